"""From an XML file to checked blocks with converted values, and all of its faults at once."""

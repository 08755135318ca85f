"""Messages of devices: one module for each group of kinds; `device_topics` lists them all."""

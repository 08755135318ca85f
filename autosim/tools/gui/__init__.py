"""Windows of the tools. PyQt6 is under the GPL and an optional extra: it is imported only here."""

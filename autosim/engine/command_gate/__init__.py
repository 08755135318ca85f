"""The gate that every command passes, and who drives which robot."""

"""Devices that other simulators compute: FMUs (`fmu_device.py`), and the values they exchange."""

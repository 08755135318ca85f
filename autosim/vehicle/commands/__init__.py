"""From the commands of a drive actuator to its wheels: steering, brakes, ABS and ESC."""

"""Drives straight on, and brakes for what its lidar sees in its way.

Of the lidar's points only those count that lie in the corridor that the car will pass through:
as wide as the car, above the road and below its roof. Made for robots/lidar_car.xml and
worlds/lidar.xml; docs/user_programs.md tells of lidars.
"""

from autosim.userprogram import describe, get_data, get_points, set_data

TOP_SPEED = 10.0  # m/s
GAP = 3.0  # m that are left when the car has stopped
DECELERATION = 5.0  # m/s^2
REVOLUTION = 0.1  # s, the age of the oldest points

SIDE = 0.2  # m beside the car that must be free
KERB = 0.3  # m above the lower edge of the body: what is lower is road, or can be driven over


class Program:
    """Goes on until something is in the way, and stands until it has gone."""

    period = 0.05

    def start(self, robot):
        """Remembers the devices, and half the size of the car [m]."""
        self.car = f"{robot}.chassis"
        length, width, height = describe(self.car).size
        self.front, self.side, self.top = length / 2, width / 2 + SIDE, height / 2

    def step(self, dt):
        """Accelerates while there is room to stop."""
        speed = get_data(f"{self.car}.velocimeter")
        needed = GAP + speed * (REVOLUTION + dt) + speed**2 / (2 * DECELERATION)
        if self.room() < needed:
            set_data(f"{self.car}.drive_chassis", [0.0, 0.0, 1.0])
        else:
            power = 0.4 if speed < TOP_SPEED else 0.0
            set_data(f"{self.car}.drive_chassis", [0.0, power, 0.0])

    def room(self):
        """Metres from the bumper to the nearest point in the way."""
        x, y, z = get_points(f"{self.car}.lidar").T
        in_way = (x > self.front) & (abs(y) < self.side) & (abs(z) < self.top - KERB)
        return x[in_way].min(initial=1000.0) - self.front

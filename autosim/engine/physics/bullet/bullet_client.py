"""A world of PyBullet, which calls name by the number of its client."""

from autosim.engine.physics.bullet.suppress_stderr import suppress_stderr

with suppress_stderr():  # it prints when it was built
    import pybullet


def connect(step_seconds: float, gravity: float) -> int:
    """Makes an empty world without a window, and returns the number of its client.

    Args:
        step_seconds: length of a step [s].
        gravity: [m/s^2], downwards.
    """
    client: int = pybullet.connect(pybullet.DIRECT)
    # numSubSteps=0: forces are held over Bullet's own sub-steps, so those gain nothing.
    pybullet.setPhysicsEngineParameter(
        fixedTimeStep=step_seconds,
        numSubSteps=0,
        deterministicOverlappingPairs=1,
        enableFileCaching=0,
        physicsClientId=client,
    )
    pybullet.setGravity(0.0, 0.0, -gravity, physicsClientId=client)
    return client


def make_visual(client: int) -> int:
    """The visual shape that all bodies share.

    Without a visual shape of its own PyBullet would copy a mesh into one. A box: it makes each
    body's again, and a sphere of it is 0.3 ms and 100 kB.
    """
    shape: int = pybullet.createVisualShape(
        pybullet.GEOM_BOX, halfExtents=[1e-3] * 3, physicsClientId=client
    )
    return shape


def disconnect(client: int) -> None:
    """Frees a world."""
    # Disconnecting alone does not free collision shapes; a reset does.
    pybullet.resetSimulation(physicsClientId=client)
    pybullet.disconnect(physicsClientId=client)

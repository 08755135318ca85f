"""The services of `simulation_interfaces`, the standard of ROS for simulators.

Each answer has a Result. What AutoSim does not offer is not served; `GetSimulatorFeatures` lists
what it does.
"""

import math
import re
from collections.abc import Callable, Mapping

from autosim.arrays import Floats
from autosim.client.link.client_errors import ClientError
from autosim.client.link.server_management import ServerManagement
from autosim.client.link.simulation_control import SimulationControl
from autosim.config.descriptions import Vector3
from autosim.model.belief import (
    ACCELERATION,
    ANGULAR_VELOCITY,
    ORIENTATION,
    POSITION,
    VELOCITY,
    truth_of,
)
from autosim.model.phase import Phase
from autosim.model.state import State
from autosim.model.tree import WORD
from autosim.orders.robot_orders import AddRobot, MoveRobot
from autosim.ros2.message_types import Fields, Message, response_type
from autosim.ros2.ros_action import Goal, GoalResult, GoalStatus, RosAction
from autosim.ros2.ros_frames import MAP, header_of, rotation_of, xyz, xyzw
from autosim.ros2.ros_graph import RosNode, ros_name

_PACKAGE = "simulation_interfaces/srv"

_UNSUPPORTED, _OK, _NOT_FOUND, _INCORRECT_STATE, _FAILED = range(5)
"""Codes of a Result."""
_ALREADY, _INCORRECT_TRANSITION = 101, 103
"""Further codes of SetSimulationState."""
_NAME_TAKEN, _NAME_INVALID, _NO_RESOURCE = 101, 102, 104
"""Further codes of SpawnEntity."""

_STOPPED, _PLAYING, _PAUSED, _QUITTING, _NO_WORLD, _LOADING = range(6)
"""Numbers of a SimulationState."""

_STATES = {
    Phase.LOADING: _LOADING,
    Phase.READY: _STOPPED,
    Phase.RUNNING: _PLAYING,
    Phase.PAUSED: _PAUSED,
    Phase.STOPPED: _QUITTING,
    Phase.EMPTY: _NO_WORLD,
}

FEATURES = (0, 1, 8, 10, 11, 12, 14, 20, 24, 25, 26, 31, 32, 33, 44)
"""The features offered, by the numbers of SimulatorFeatures: spawning, deleting, categories,
getting and setting states, getting information, spawnables, reset, getting and setting the state of
the simulation, pause, single and multiple steps, also as an action, the current world."""

_SCOPE_DEFAULT, _SCOPE_ALL = 0, 255
"""Numbers of the scopes of ResetSimulation."""

_ROBOT, _OBJECT = 1, 0
"""Numbers of an EntityCategory."""


class SimulationServices:
    """Answers the services of one world, in a thread of zenoh, one call after the other.

    Args:
        node: that serves.
        control: calls to the server.
        state: of the world.
        world: its name.
        spawnables: robot files that can be spawned, by their names with a sentence for each.
    """

    def __init__(
        self,
        node: RosNode,
        control: SimulationControl,
        state: State,
        *,
        world: str,
        spawnables: Mapping[str, str],
    ) -> None:
        self._node, self._state, self._world = node, state, world
        self._control, self._management = control, ServerManagement(control)
        self._spawnables = spawnables
        answers: dict[str, Callable[[Message], Fields]] = {
            "GetSimulatorFeatures": self._features,
            "GetSimulationState": self._get_state,
            "SetSimulationState": self._set_state,
            "StepSimulation": self._step,
            "ResetSimulation": self._reset,
            "GetCurrentWorld": self._current_world,
            "GetEntities": self._entities,
            "GetEntityInfo": self._entity_info,
            "GetEntityState": self._entity_state,
            "GetEntitiesStates": self._entities_states,
            "SetEntityState": self._set_entity_state,
            "GetSpawnables": self._list_spawnables,
            "SpawnEntity": self._spawn,
            "DeleteEntity": self._delete,
        }
        for name, answer in answers.items():
            topic = re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
            node.serve(f"/simulation/{topic}", f"{_PACKAGE}/{name}", self._answering(name, answer))
        self._steps = RosAction(
            node,
            "/simulation/simulate_steps",
            "simulation_interfaces/action/SimulateSteps",
            self._simulate_steps,
        )

    def close(self) -> None:
        """Cancels steps that are being done; the node ends the services."""
        self._steps.close()

    def _answering(
        self, name: str, answer: Callable[[Message], Fields]
    ) -> Callable[[Message], Message]:
        def respond(request: Message) -> Message:
            try:
                fields = answer(request)
            except ClientError as error:
                fields = {"result": _result(_FAILED, str(error))}
            return self._node.types.build(response_type(f"{_PACKAGE}/{name}"), fields)

        return respond

    def _features(self, request: Message) -> Fields:
        info = "AutoSim: robots are described by its own XML files, see GetSpawnables."
        return {
            "features": {
                "features": FEATURES,
                "spawn_formats": ["autosim"],
                "custom_info": info,
            }
        }

    def _get_state(self, request: Message) -> Fields:
        state = _STATES[self._control.status().phase]
        return {"state": {"state": state}, "result": _result(_OK)}

    def _set_state(self, request: Message) -> Fields:
        wanted, present = request.state.state, _STATES[self._control.status().phase]
        if wanted == present:
            return {"result": _result(_ALREADY, "it is in this state already")}
        if wanted == _PLAYING and present in (_STOPPED, _PAUSED):
            self._control.run()
        elif wanted == _PAUSED and present == _PLAYING:
            self._control.pause()
        elif wanted == _STOPPED and present in (_PLAYING, _PAUSED):
            self._load_again()
        elif wanted == _QUITTING:
            self._control.stop()
        else:
            reason = f"no way from state {present} to state {wanted}"
            return {"result": _result(_INCORRECT_TRANSITION, reason)}
        return {"result": _result(_OK)}

    def _step(self, request: Message) -> Fields:
        if self._control.status().phase not in (Phase.PAUSED, Phase.READY):
            return {"result": _result(_FAILED, "the simulation is not paused")}
        self._control.step(request.steps)
        return {"result": _result(_OK)}

    def _simulate_steps(self, goal: Goal, send: Callable[[Fields], None]) -> GoalResult:
        """Steps one by one, with feedback after each."""
        steps, done = goal.message.steps, 0
        try:
            status = self._control.status()
            if status.phase not in (Phase.PAUSED, Phase.READY):
                return _aborted("the simulation is not paused")
            while done < steps and not goal.is_canceling:
                before, status = status.step, self._control.step()
                if status.step != before + 1:
                    return _aborted(f"interrupted after {done} of {steps} steps")
                done += 1
                send({"completed_steps": done, "remaining_steps": steps - done})
        except ClientError as error:
            return _aborted(f"after {done} of {steps} steps: {error}")
        if done < steps:
            text = f"canceled after {done} of {steps} steps"
            return GoalResult(GoalStatus.CANCELED, {"result": _result(_OK, text)})
        return GoalResult(GoalStatus.SUCCEEDED, {"result": _result(_OK)})

    def _reset(self, request: Message) -> Fields:
        if request.scope not in (_SCOPE_DEFAULT, _SCOPE_ALL):
            reason = "the whole simulation can be reset (SCOPE_ALL), and no part of it"
            return {"result": _result(_UNSUPPORTED, reason)}
        was_playing = self._control.status().phase is Phase.RUNNING
        self._load_again()
        if was_playing:
            self._control.run()
        return {"result": _result(_OK)}

    def _load_again(self) -> None:
        for _ in self._management.load(""):
            pass

    def _current_world(self, request: Message) -> Fields:
        return {
            "result": _result(_OK),
            "world": {"name": self._world, "world_resource": {"uri": self._world}},
        }

    def _entities(self, request: Message) -> Fields:
        found = self._matching(request.filters)
        if isinstance(found, str):
            return {"result": _result(_FAILED, found)}
        return {"result": _result(_OK), "entities": found}

    def _entities_states(self, request: Message) -> Fields:
        found = self._matching(request.filters)
        if isinstance(found, str):
            return {"result": _result(_FAILED, found)}
        states = [self._motion(name) for name in found]
        return {"result": _result(_OK), "entities": found, "states": states}

    def _matching(self, filters: Message) -> list[str] | str:
        """The names of the entities that filters let through, or why the filters are wrong."""
        try:
            pattern = re.compile(filters.filter)
        except re.error as error:
            return f"{filters.filter!r} is not a regular expression: {error}"
        categories = {each.category for each in filters.categories}
        return [
            name
            for name in (*self._robots(), *self._state.tree.objects)
            if pattern.search(name) and (not categories or self._category(name) in categories)
        ]

    def _robots(self) -> list[str]:
        return [node.name for node in self._state.tree.robots]

    def _category(self, name: str) -> int:
        return _OBJECT if name in self._state.tree.objects else _ROBOT

    def _entity_info(self, request: Message) -> Fields:
        if not self._is_entity(request.entity):
            return {"result": _no_entity(request.entity)}
        info = {"category": {"category": self._category(request.entity)}}
        return {"result": _result(_OK), "info": info}

    def _entity_state(self, request: Message) -> Fields:
        if not self._is_entity(request.entity):
            return {"result": _no_entity(request.entity)}
        return {"result": _result(_OK), "state": self._motion(request.entity)}

    def _is_entity(self, name: str) -> bool:
        return name in self._robots() or name in self._state.tree.objects

    def _motion(self, name: str) -> Fields:
        """An EntityState: in W; of an object its pose and velocities alone."""
        tree, floats = self._state.tree, self._state.floats
        header = header_of(int(self._state.ints[1]), MAP)
        if name in tree.objects:
            node = tree.find(name)
            assert node is not None
            words = floats[node.start // WORD : node.own_stop // WORD]
            twist = {"linear": xyz(words[7:10]), "angular": xyz(words[10:13])}
            pose = {"position": xyz(words[:3]), "orientation": xyzw(words[3:7])}
            return {"header": header, "pose": pose, "twist": twist}
        node = truth_of(tree, name)
        words = floats[node.start // WORD : node.own_stop // WORD]
        return {
            "header": header,
            "pose": {
                "position": xyz(words[POSITION:ORIENTATION]),
                "orientation": xyzw(words[ORIENTATION:VELOCITY]),
            },
            "twist": {
                "linear": xyz(words[VELOCITY:ANGULAR_VELOCITY]),
                "angular": xyz(words[ANGULAR_VELOCITY:ACCELERATION]),
            },
            "acceleration": {"linear": xyz(words[ACCELERATION : ACCELERATION + 3])},
        }

    def _set_entity_state(self, request: Message) -> Fields:
        name, wanted = request.entity, request.state
        if not self._is_entity(name):
            return {"result": _no_entity(name)}
        if request.set_acceleration:
            return {"result": _result(_UNSUPPORTED, "accelerations follow from forces")}
        present = self._node.types.build(
            "simulation_interfaces/msg/EntityState", self._motion(name)
        )
        pose = (wanted if request.set_pose else present).pose
        twist = (wanted if request.set_twist else present).twist
        yaw = _yaw(pose.orientation)
        if yaw is None:
            return {"result": _result(101, "the orientation is not a quaternion of length 1")}
        axes = rotation_of([getattr(pose.orientation, each) for each in "xyzw"]).T  # type: ignore[arg-type]
        self._management.move_robot(
            MoveRobot(
                name,
                (pose.position.x, pose.position.y),
                yaw,
                pose.position.z if request.set_pose else None,
                _vector(axes @ [twist.linear.x, twist.linear.y, twist.linear.z]),
                _vector(axes @ [twist.angular.x, twist.angular.y, twist.angular.z]),
            )
        )
        return {"result": _result(_OK)}

    def _list_spawnables(self, request: Message) -> Fields:
        text = "; ".join(f"{each} is not a known source" for each in request.sources)
        found = [
            {"entity_resource": {"uri": uri}, "description": description}
            for uri, description in self._spawnables.items()
        ]
        return {"result": _result(_OK, text), "spawnables": found}

    def _spawn(self, request: Message) -> Fields:
        uri = request.entity_resource.uri
        if not uri:
            is_text = bool(request.entity_resource.resource_string)
            code = _UNSUPPORTED if is_text else _NO_RESOURCE
            return {
                "result": _result(code, "uri names a robot file of the server; see GetSpawnables")
            }
        name = request.name or uri.rpartition("/")[2].partition(".")[0]
        if name != ros_name(name):
            return {"result": _result(_NAME_INVALID, f"{name!r}: letters, digits and _")}
        taken = {*self._robots(), *self._state.tree.objects}
        if name in taken and not request.allow_renaming:
            return {"result": _result(_NAME_TAKEN, f"there is already {name!r}")}
        free = name if name not in taken else ""
        number = 2
        while not free:
            candidate = f"{name}_{number}"
            free = candidate if candidate not in taken else ""
            number += 1
        pose = request.initial_pose.pose
        yaw = _yaw(pose.orientation)
        if yaw is None:
            return {"result": _result(109, "the orientation is not a quaternion of length 1")}
        position = (pose.position.x, pose.position.y)
        # A pose that was left out is zero: then it is put on a free lane.
        is_placed = any((*position, pose.position.z, yaw))
        self._management.add_robot(AddRobot(uri, free, position if is_placed else None, yaw))
        return {"result": _result(_OK), "entity_name": free}

    def _delete(self, request: Message) -> Fields:
        if request.entity not in self._robots():
            return {"result": _no_entity(request.entity)}
        self._management.remove_robot(request.entity)
        return {"result": _result(_OK)}


def _aborted(reason: str) -> GoalResult:
    return GoalResult(GoalStatus.ABORTED, {"result": _result(_FAILED, reason)})


def _result(code: int, text: str = "") -> Fields:
    return {"result": code, "error_message": text}


def _no_entity(name: str) -> Fields:
    return _result(_NOT_FOUND, f"there is no entity {name!r}")


def _yaw(orientation: Message) -> float | None:
    """The heading [rad] from east of a quaternion; None where its length is not 1."""
    x, y, z, w = (float(getattr(orientation, each)) for each in "xyzw")
    if not abs(math.hypot(x, y, z, w) - 1.0) < 1e-3:
        return None
    return math.atan2(2.0 * (x * y + z * w), 1.0 - 2.0 * (y * y + z * z))


def _vector(values: Floats) -> Vector3:
    x, y, z = (float(each) for each in values)
    return x, y, z

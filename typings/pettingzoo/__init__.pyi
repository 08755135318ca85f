"""What AutoSim uses of PettingZoo, which comes without types."""

from typing import Any, Generic, TypeVar

import gymnasium

AgentID = TypeVar("AgentID")
ObsType = TypeVar("ObsType")
ActionType = TypeVar("ActionType")

class ParallelEnv(Generic[AgentID, ObsType, ActionType]):
    metadata: dict[str, Any]
    agents: list[AgentID]
    possible_agents: list[AgentID]
    observation_spaces: dict[AgentID, gymnasium.Space[Any]]
    action_spaces: dict[AgentID, gymnasium.Space[Any]]

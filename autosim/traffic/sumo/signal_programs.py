"""Programs of SUMO's traffic lights, with the times of ours.

Source: SUMO's documentation, Simulation/Traffic Lights.
"""

from collections.abc import Sequence

from lxml import etree

from autosim.traffic.signals.signal_plan import SignalPlan
from autosim.traffic.sumo.plain_xml import add, number
from autosim.traffic.sumo.sumo_network import SumoConnection, controller_name
from autosim.world.lanes.lane_rules import SignalState

_LETTERS = {
    SignalState.OFF: "O",
    SignalState.RED: "r",
    SignalState.RED_AMBER: "u",
    SignalState.GREEN: "G",
    SignalState.AMBER: "y",
    SignalState.FLASHING: "o",
}
"""SUMO's letters for the states of signals."""


def signal_letter(state: int) -> str:
    """SUMO's letter for the state of a signal."""
    return _LETTERS[SignalState(state)]


_MAX_GAP = 3.0
"""Time [s] between vehicles up to which a green light stays, as with `control="actuated"`."""


def write_program(
    root: etree._Element, plan: SignalPlan, controller: int, links: Sequence[SumoConnection]
) -> None:
    """Adds the program of a controller: greens, amber, red for all, red and amber.

    Greens have their fixed times, which SUMO extends and shortens as `control="actuated"` does.
    """
    element = add(
        root, "tlLogic", id=controller_name(controller), type="actuated", programID="0", offset=0
    )
    add(element, "param", key="max-gap", value=number(_MAX_GAP))
    phases = list(plan.phases_of(controller))
    first = int(plan.phase_starts[controller])
    for place, greens in enumerate(phases):
        following = phases[(place + 1) % len(phases)]
        ends = [group for group in greens if group not in following]
        seconds = float(plan.fixed_greens[first + place])
        amber = max((float(plan.ambers[group]) for group in ends), default=0.0)
        clear = max((float(plan.clearances[group]) for group in ends), default=0.0)
        stays = [group for group in greens if group in following]
        begins = [group for group in following if group not in greens]
        green, ending = SignalState.GREEN, SignalState.AMBER
        _phase(element, links, seconds, {green: greens})
        if any(link.group in greens for link in links):
            row = first + place
            element[-1].set("minDur", number(float(plan.least_greens[row])))
            element[-1].set("maxDur", number(float(plan.most_greens[row])))
        _phase(element, links, amber, {green: stays, ending: ends})
        _phase(element, links, clear - plan.red_amber, {green: stays})
        _phase(element, links, plan.red_amber, {green: stays, SignalState.RED_AMBER: begins})


def _phase(
    element: etree._Element,
    links: Sequence[SumoConnection],
    seconds: float,
    shown: dict[SignalState, Sequence[int]],
) -> None:
    if seconds <= 0.0:
        return
    states = {group: state for state, groups in shown.items() for group in groups}
    letters = (signal_letter(states.get(link.group, SignalState.RED)) for link in links)
    add(element, "phase", duration=number(seconds), state="".join(letters))

"""Printed output of a record as whole lines."""

from collections.abc import Iterable, Iterator

from autosim.records.events import Event, OutputPrinted


def with_whole_lines(events: Iterable[Event]) -> Iterator[Event]:
    """Joins the pieces in which programs print into one event for each line.

    `print("speed", 3)` writes four pieces. A line has the step of its last piece, and no line end;
    one that is never completed comes last. All other events pass in their order.
    """
    rests: dict[str, OutputPrinted] = {}
    for event in events:
        if not isinstance(event, OutputPrinted):
            yield event
            continue
        before = rests.pop(event.source, None)
        *lines, rest = ((before.text if before else "") + event.text).split("\n")
        for line in lines:
            yield OutputPrinted(event.step, line, event.source)
        if rest:
            rests[event.source] = OutputPrinted(event.step, rest, event.source)
    yield from rests.values()

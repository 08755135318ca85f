"""Which changes can be undone, and together with which."""

from autosim.applications.gui.server.map.undoing import MAX_CHANGES, Change, UndoStack


class Log:
    """Changes that note when they are undone."""

    def __init__(self):
        self.undone = []

    def change(self, label, needs="car", key=""):
        return Change(label, needs, lambda: self.undone.append(label), key)


def test_the_last_change_is_undone_first():
    log, stack = Log(), UndoStack()
    for label in ("move", "removal"):
        stack.add(log.change(label))
    assert stack.label == "removal"
    for _ in range(3):
        stack.undo()
    assert log.undone == ["removal", "move"]
    assert stack.label == ""


def test_a_slider_that_is_dragged_is_one_change():
    now, log = [0.0], Log()
    stack = UndoStack(lambda: now[0])
    for seconds, label in ((0.0, "first"), (0.5, "second"), (0.5, "third"), (5.0, "later")):
        now[0] += seconds
        stack.add(log.change(label, key="car.brake"))
    for _ in range(4):
        stack.undo()
    assert log.undone == ["later", "first"]


def test_changes_of_a_robot_that_is_gone_are_forgotten_but_not_its_removal():
    log, stack = Log(), UndoStack()
    for change in (log.change("move of a", "a"), log.change("move of b", "b")):
        stack.add(change)
    stack.add(log.change("removal of a", ""))
    stack.keep_of({"b"})
    for _ in range(3):
        stack.undo()
    assert log.undone == ["removal of a", "move of b"]


def test_a_refused_change_is_forgotten_and_the_number_is_bounded():
    log, stack = Log(), UndoStack()
    refused = log.change("refused")
    stack.add(refused)
    stack.drop(refused)
    assert stack.label == ""
    for number in range(MAX_CHANGES + 5):
        stack.add(log.change(str(number)))
    for _ in range(MAX_CHANGES + 5):
        stack.undo()
    assert len(log.undone) == MAX_CHANGES

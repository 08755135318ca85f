"""Orders to a simulation: which waits for which, and whose answer counts."""

from concurrent.futures import Future
from types import SimpleNamespace

import pytest

from autosim.applications.gui.client.pause_control import PauseControl
from autosim.applications.gui.shared.orders import Orders
from autosim.model.phase import Phase
from autosim.model.tree import Access, Field, SimulationTree, TreeNode
from tests.applications.gui.driving import until


class HeldCalls:
    """Does nothing until told to: `answer` does what was submitted first, of the two kinds."""

    def __init__(self):
        self.waiting = []

    def submit(self, work, *, on_result=lambda _: None, on_error=None, is_in_order=False):
        future = Future()
        self.waiting.append(SimpleNamespace(**locals()))
        return future

    def answer(self, *, is_in_order):
        call = next(each for each in self.waiting if each.is_in_order is is_in_order)
        self.waiting.remove(call)
        if not call.future.set_running_or_notify_cancel():
            return
        try:
            call.future.set_result(call.work())
            call.on_result(call.future.result())
        except OSError as error:
            call.on_error(error)


class Server:
    """Notes what is ordered of it."""

    def __init__(self):
        self.ordered, self.is_lost = [], False

    def _do(self, what):
        if self.is_lost:
            raise OSError("gone")
        self.ordered.append(what)
        return what

    def run(self, *, real_time_factor):
        return self._do(f"run {real_time_factor}")

    def pause(self):
        return self._do("pause")

    def step(self):
        return self._do("step")

    def status(self):
        return self._do("status")

    def set_data_now(self, commands):
        for each in commands:
            self._do(f"set {each.device}")


@pytest.fixture
def desk():
    """Orders with all they need; `told` and `failed` are what was heard of them."""
    found = SimpleNamespace(server=Server(), calls=HeldCalls(), told=[], failed=[], unanswered=[])
    found.orders = Orders(lambda: found.server, found.calls, None)
    found.orders.told.connect(found.told.append)
    found.orders.failed.connect(lambda error: found.failed.append(str(error)))
    found.orders.unanswered.connect(lambda: found.unanswered.append(True))
    return found


def test_orders_are_given_one_after_another(desk):
    desk.orders.run(2.0)
    desk.orders.pause()
    for _ in range(2):
        desk.calls.answer(is_in_order=True)
    assert desk.told == desk.server.ordered == ["run 2.0", "pause"]


def test_a_pause_interrupts_a_step_and_takes_back_the_runs_behind_it(desk):
    desk.orders.step()
    desk.orders.run()
    desk.orders.pause()
    desk.calls.answer(is_in_order=False)
    assert desk.told == ["pause"]
    for _ in range(2):
        desk.calls.answer(is_in_order=True)
    assert desk.server.ordered == ["pause", "step"]


def test_a_pause_after_a_step_waits_its_turn(desk):
    desk.orders.step()
    desk.calls.answer(is_in_order=True)
    desk.orders.pause()
    desk.calls.answer(is_in_order=True)
    assert desk.told == ["step", "pause"]


def test_a_status_from_before_an_order_is_not_told(desk):
    desk.orders.ask_status()
    desk.orders.pause()
    desk.calls.answer(is_in_order=False)
    assert desk.told == []
    desk.calls.answer(is_in_order=True)
    desk.orders.ask_status()
    desk.calls.answer(is_in_order=False)
    assert desk.told == ["pause", "status"]


def test_one_question_at_a_time(desk):
    desk.orders.ask_status()
    desk.orders.ask_status()
    assert len(desk.calls.waiting) == 1


def test_a_lost_server_fails_orders_and_leaves_questions_unanswered(desk):
    desk.server.is_lost = True
    desk.orders.step()
    desk.orders.ask_status()
    desk.calls.answer(is_in_order=True)
    desk.calls.answer(is_in_order=False)
    assert (desk.failed, desk.unanswered, desk.told) == (["gone"], [True], [])


def test_without_a_server_nothing_is_called(desk):
    desk.server = None
    for order in (desk.orders.run, desk.orders.pause, desk.orders.step, desk.orders.ask_status):
        order()
    assert desk.calls.waiting == []


@pytest.fixture
def mirror():
    """Of a tree with one actuator; `streamed` is what it was told to set by itself."""
    tree = SimulationTree()
    part = tree.register(TreeNode("car", "Robot")).register(TreeNode("chassis", "Box"))
    part.register(TreeNode("lamp", "Light", (Field("power"),), access=Access.SET))
    found = SimpleNamespace(tree=tree.lay_out(), streamed=[])
    found.set_data = found.streamed.append
    return found


def test_a_step_takes_what_was_set_before_it_where_the_simulation_stands(desk, mirror):
    desk.orders.set_data(mirror, "car.chassis.lamp", [1.0], is_running=False)
    desk.orders.step()
    for _ in range(2):
        desk.calls.answer(is_in_order=True)
    assert desk.server.ordered == ["set car.chassis.lamp", "step"]
    assert not mirror.streamed


def test_a_running_simulation_takes_what_is_set_as_it_comes(desk, mirror):
    desk.orders.set_data(mirror, "car.chassis.lamp", [1.0], is_running=True)
    assert mirror.streamed == [{"car.chassis.lamp": [1.0]}]
    assert not desk.calls.waiting


def test_a_status_from_before_a_change_is_not_told(desk):
    answers = []
    desk.orders.ask_status()
    desk.orders.change(lambda server: server.step(), on_result=answers.append)
    assert desk.orders.is_changing
    desk.calls.answer(is_in_order=True)
    assert answers == ["step"]
    assert not desk.orders.is_changing
    desk.calls.answer(is_in_order=False)
    assert desk.told == []


def test_a_change_that_fails_is_over(desk):
    desk.server.is_lost = True
    desk.orders.change(lambda server: server.step(), on_result=desk.told.append)
    desk.calls.answer(is_in_order=True)
    assert desk.failed == ["gone"]
    assert not desk.orders.is_changing


def test_what_the_last_order_leads_to_is_known_until_it_is_answered(desk):
    changes = []
    desk.orders.coming_changed.connect(lambda: changes.append(desk.orders.coming))
    desk.orders.run()
    desk.orders.pause()
    desk.calls.answer(is_in_order=True)
    assert desk.orders.coming is Phase.PAUSED  # the answer to the run counts no longer
    desk.calls.answer(is_in_order=True)
    assert changes == [Phase.RUNNING, Phase.PAUSED, None]
    desk.server.is_lost = True
    desk.orders.run()
    desk.calls.answer(is_in_order=True)
    assert desk.orders.coming is None


def test_a_client_that_toggles_twice_at_once_runs_and_pauses(application):
    ordered = []

    def order(phase):
        ordered.append(phase)
        return SimpleNamespace(phase=phase)

    server = SimpleNamespace(
        run=lambda real_time_factor: order(Phase.RUNNING), pause=lambda: order(Phase.PAUSED)
    )
    control = PauseControl(lambda: server, None)
    control.phase = Phase.PAUSED
    control.toggle()
    control.toggle()
    until(lambda: control.orders.coming is None)
    control.close()
    assert ordered == [Phase.RUNNING, Phase.PAUSED]

"""A recipe of steps, written as the calls of functions that its results go through.

A call in a recipe computes nothing: it adds a step, and returns a promise of the function's result,
which later calls take as arguments. To a type checker the promise *is* the result, so it
checks each connection between two steps as it checks a call:

    recipe = Recipe()
    inputs = promise(WorldInputs)
    osm_map = recipe.step("read the map", read_map)(inputs)
    frame = recipe.step("place the map", place_map)(inputs, osm_map)

Here `frame` has the type `MapFrame`; until the recipe is run, only another call may use it.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, cast

P = ParamSpec("P")
T = TypeVar("T")
V = TypeVar("V")


class Promise:
    """The future result of a step, or an input of a recipe as a whole."""

    __slots__ = ()


class _Given(Promise):
    """An input of a recipe when it is run."""

    __slots__ = ()


def promise(kind: type[T]) -> T:
    """A promise of a value of that type, which is given to the recipe when it is run."""
    del kind  # it is there for the type checker
    return cast("T", _Given())


@dataclass(frozen=True, slots=True)
class Parts(Generic[V]):
    """The parts of a step, which several processes can share."""

    numbers: Callable[[V], Sequence[int]]
    """Returns their numbers, the longest parts first."""

    of: V
    """Promise of the argument of `numbers`."""


@dataclass(frozen=True, eq=False, slots=True)
class Step(Promise):
    """One step, and the promise of its result: of the results of its parts by ascending number."""

    name: str
    """Description of the step, for users."""

    run: Callable[..., object]
    """A pure function; where there are parts, its first argument is the number of one."""

    arguments: tuple[object, ...] = ()
    """Its arguments: values and promises."""

    keywords: dict[str, object] = field(default_factory=dict)
    """Its arguments by name: values and promises."""

    share: float = 0.0
    """Its share of the processor time of a town centre [%]; for progress alone."""

    is_shared: bool = False
    """Whether a helper may run it. Its result is then pickled."""

    parts: Parts[Any] | None = None
    """Its parts; None where it is done as a whole."""

    @property
    def takes(self) -> frozenset[Promise]:
        """The promises that must be kept before it can run."""
        return frozenset(each for each in self._all() if isinstance(each, Promise))

    def _all(self) -> Iterator[object]:
        yield from self.arguments
        yield from self.keywords.values()
        if self.parts is not None:
            yield self.parts.of


class Recipe:
    """The steps of a computation, in the order in which they are preferred where several are ready.

    `steps` are those added so far.
    """

    def __init__(self) -> None:
        self.steps: list[Step] = []

    def step(self, name: str, run: Callable[P, T], share: float = 0.0) -> Callable[P, T]:
        """A function like `run` that adds a step and returns a promise of its result.

        Args:
            name: description of the step, for users.
            run: a pure function.
            share: its share of the processor time of a town centre [%].
        """
        return cast("Callable[P, T]", self._noting(name, run, share))

    def shared(self, name: str, run: Callable[P, T], share: float = 0.0) -> Callable[P, T]:
        """The same for a step that a helper may run."""
        return cast("Callable[P, T]", self._noting(name, run, share, is_shared=True))

    def in_parts(
        self,
        name: str,
        run: Callable[Concatenate[int, P], T],
        share: float,
        *,
        numbers: Callable[[V], Sequence[int]],
        of: V,
    ) -> Callable[P, tuple[T, ...]]:
        """The same for a step whose parts helpers may run.

        Args:
            name: description of the step, for users.
            run: a pure function that does the part of the number that it is given first.
            share: the share of the whole step of the processor time of a town centre [%].
            numbers: gives the numbers of the parts.
            of: promise of the argument of `numbers`.
        """
        noting = self._noting(name, run, share, is_shared=True, parts=Parts(numbers, of))
        return cast("Callable[P, tuple[T, ...]]", noting)

    def _noting(
        self,
        name: str,
        run: Callable[..., object],
        share: float,
        *,
        is_shared: bool = False,
        parts: Parts[Any] | None = None,
    ) -> Callable[..., Step]:
        def note(*arguments: object, **keywords: object) -> Step:
            step = Step(name, run, arguments, keywords, share, is_shared, parts)
            self.steps.append(step)
            return step

        return note


class Results:
    """The promises that are kept so far, with their values."""

    def __init__(self) -> None:
        self._values: dict[Promise, object] = {}

    def keep(self, what: T, value: T) -> None:
        """Keeps a promise."""
        self._values[_promise(what)] = value

    def of(self, what: T) -> T:
        """The value of a promise.

        Raises:
            KeyError: it is not available, or no longer.
        """
        return cast("T", self._values[_promise(what)])

    def has(self, promises: frozenset[Promise]) -> bool:
        """Whether all these promises are kept."""
        return self._values.keys() >= promises

    def drop(self, promises: frozenset[Promise]) -> None:
        """Forgets the values of these promises."""
        for each in promises:
            self._values.pop(each, None)

    def __len__(self) -> int:
        return len(self._values)

    def call(self, step: Step) -> "Call":
        """The call of a step whose promises are all kept."""
        return Call(
            step.run,
            tuple(self._value(each) for each in step.arguments),
            {name: self._value(each) for name, each in step.keywords.items()},
        )

    def numbers(self, parts: Parts[Any]) -> Sequence[int]:
        """The numbers of the parts of a step whose promises are all kept."""
        return parts.numbers(self._value(parts.of))

    def _value(self, argument: object) -> object:
        return self._values[argument] if isinstance(argument, Promise) else argument


@dataclass(frozen=True, slots=True)
class Call:
    """A function with the values that it is called with.

    Attributes:
        run: the function.
        arguments: its positional arguments.
        keywords: its keyword arguments.
    """

    run: Callable[..., object]
    arguments: tuple[object, ...]
    keywords: dict[str, object]

    def __call__(self, *first: int) -> object:
        """Calls it; `first` is the number of a part."""
        return self.run(*first, *self.arguments, **self.keywords)


def _promise(what: object) -> Promise:
    assert isinstance(what, Promise)
    return what

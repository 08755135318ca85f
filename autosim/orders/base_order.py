"""The base of all orders, which says what answers each."""

from typing import Generic, TypeVar

AnswerT = TypeVar("AnswerT", covariant=True)


class Order(Generic[AnswerT]):
    """An order that is answered by an `AnswerT`; by None where it is only done."""

    __slots__ = ()

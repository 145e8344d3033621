"""What a case is: how to measure one proxy once, what to print of it, and what is aimed at."""

from dataclasses import dataclass, field
from typing import Callable, Optional


@dataclass(frozen=True)
class Column:
    key: str
    heading: str
    decimals: int = 0


@dataclass(frozen=True)
class Target:
    """An aim for Shunt: `metric` against `limit`, or against `limit` times what `peer` has in the same round.

    The peer `best` is whichever of them has the lowest."""
    metric: str
    limit: float
    peer: Optional[str] = None
    at_least: bool = False


@dataclass(frozen=True)
class Case:
    name: str
    title: str
    measure: Callable  # (bench, peer) -> {metric: number}
    columns: list  # the first is the main figure, of which ratios are made
    targets: list = field(default_factory=list)
    rounds: Optional[int] = None  # instead of what was asked for
    quick_rounds: Optional[int] = None
    peers: tuple = ("shunt", "nginx", "haproxy")  # whom it is for
    is_usual: bool = True  # runs if none is named
    tools: tuple = ()  # programs that it needs beside those that all do

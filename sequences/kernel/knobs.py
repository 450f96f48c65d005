# SPDX-License-Identifier: Apache-2.0
"""What the knobs of constrained random stimulus of all blocks have in common.

A block's ``Knobs`` derives from :class:`BaseKnobs` and is a frozen dataclass. Each knob says, where
its default stands, which values it takes, and which of them make faults::

    @dataclass(frozen=True)
    class Knobs(BaseKnobs):
        gaps: Weights = weights(("none", "sparse", "long"))
        illegal: float = share(0.0, faulty=True)
        length: int = number(7, least=1)

Weights are relative: a draw takes entry ``k`` with probability ``weight[k] / sum(weights)``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final

Weights = Mapping[str, float]

_RULE: Final = "rule"


@dataclass(frozen=True)
class _Rule:
    """Of the values of a knob: what is wrong with one (nothing: empty), whether it makes faults."""

    wrong: Callable[[Any], str]
    faulty: Callable[[Any], bool]


def _knob(default: Any, rule: _Rule) -> Any:
    if isinstance(default, Mapping):
        return field(default_factory=lambda: default, metadata={_RULE: rule})
    return field(default=default, metadata={_RULE: rule})


def weights(
    names: Collection[str],
    default: Weights | None = None,
    *,
    legal: Collection[str] | None = None,
) -> Any:
    """A knob: weights of some of ``names``, by default 1 for each; none below 0, not all 0.

    With a weight above 0 for a name that is not in ``legal`` (all are), faults can happen.
    """

    def wrong(value: Weights) -> str:
        if unknown := sorted(set(value) - set(names)):
            return f"unknown {unknown}"
        positive = min(value.values(), default=0) >= 0 and sum(value.values()) > 0
        return "" if positive else "weights must be positive in sum, none below 0"

    def makes_faults(value: Weights) -> bool:
        return legal is not None and any(value[name] for name in value if name not in legal)

    chosen = dict.fromkeys(names, 1.0) if default is None else default
    return _knob(chosen, _Rule(wrong, makes_faults))


def share(default: float, *, faulty: bool = False) -> Any:
    """A knob: a share from 0 to 1; ``faulty``: above 0, faults can happen."""

    def wrong(value: float) -> str:
        return "" if 0 <= value <= 1 else f"{value} is not a share between 0 and 1"

    return _knob(default, _Rule(wrong, lambda value: faulty and value > 0))


def number(default: Any, *, least: float = 0, optional: bool = False) -> Any:
    """A knob: a number, or a tuple of them, of at least ``least``; ``optional``: or ``None``."""

    def wrong(value: Any) -> str:
        if value is None and optional:
            return ""
        each = value if isinstance(value, tuple) else (value,)
        return next((f"{one} is below {least}" for one in each if not one >= least), "")

    return _knob(default, _Rule(wrong, lambda _value: False))


def tilted(
    given: Weights, factors: tuple[float, ...], shift: int, but: Collection[str] = ()
) -> dict[str, float]:
    """``given`` with each weight times a factor, in turn from ``factors[shift]`` on.

    No kind comes or goes, and what is in ``but`` keeps its weight.
    """
    return {
        name: weight * (1.0 if name in but else factors[(place + shift) % len(factors)])
        for place, (name, weight) in enumerate(given.items())
    }


@dataclass(frozen=True)
class BaseKnobs:
    """Knobs; ``ValueError`` when one of them has a value that it does not take."""

    def __post_init__(self) -> None:
        self.check()

    def check(self) -> None:
        """``ValueError``, ``knob name: what is wrong``, unless each knob takes its value."""
        for knob in fields(self):
            if wrong := _rule(knob).wrong(getattr(self, knob.name)):
                raise ValueError(f"knob {knob.name}: {wrong}")

    def legal(self) -> bool:
        """Whether these are default constraints: no knob makes faults."""
        return not any(_rule(knob).faulty(getattr(self, knob.name)) for knob in fields(self))


def _rule(knob: Any) -> _Rule:
    """The rule of a knob (a field of a dataclass); ``TypeError`` for one without."""
    if _RULE not in knob.metadata:
        raise TypeError(f"knob {knob.name} does not say which values it takes")
    rule: _Rule = knob.metadata[_RULE]
    return rule

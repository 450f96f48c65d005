# SPDX-License-Identifier: Apache-2.0
"""Arguments that are checked where they are given, by their annotations."""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Callable, Mapping
from types import UnionType
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import numpy as np

_Made = TypeVar("_Made", bound=Callable[..., Any])
_Fits = Callable[[Any], bool]


def checked(most: Callable[[], Mapping[str, int]] = dict) -> Callable[[_Made], _Made]:
    """Decorate a dataclass or a function: an argument that does not fit is a ``ValueError``.

    ``most``: the greatest values of whole numbers, 0 being the least.
    """

    def decorate(made: _Made) -> _Made:
        own = made.__init__ if isinstance(made, type) else made
        parameters = inspect.signature(own).parameters
        defaults = {name: one.default for name, one in parameters.items()}
        names = tuple(parameters)
        said = made.__qualname__.removesuffix(".__init__")
        many = [n for n, one in parameters.items() if one.kind is one.VAR_POSITIONAL]

        @functools.cache
        def wanted() -> dict[str, tuple[str, _Fits]]:
            limits, hints = most(), get_type_hints(own)
            return {name: _wanted(hints[name], limits.get(name)) for name in names if name in hints}

        @functools.wraps(own)
        def call(*args: Any, **some: Any) -> Any:
            for name, value in (*zip((*names, *many * len(args)), args, strict=False), *some.items()):
                if value is not defaults.get(name) and name in wanted():
                    text, fits = wanted()[name]
                    if not fits(value):
                        raise ValueError(f"{said}: {name}: {text}, not {value!r:.80}")
            return own(*args, **some)

        if not isinstance(made, type):
            return call  # type: ignore[return-value]  # as it was, to its callers
        made.__init__ = call  # type: ignore[misc]
        return made

    return decorate


def _wanted(hint: Any, most: int | None) -> tuple[str, _Fits]:
    """What a value has to be, in words, and whether one is."""
    kind, parts = get_origin(hint) or hint, get_args(hint)
    if kind is Literal:
        return f"one of {', '.join(parts)}", parts.__contains__
    if kind is tuple:
        text, fits = _wanted(parts[0], most)
        if parts[-1] is ...:
            return f"a tuple, each {text}", lambda value: type(value) is tuple and _all(fits, value)
        count = len(parts)
        return (
            f"a tuple of {count}, each {text}",
            lambda value: type(value) is tuple and len(value) == count and _all(fits, value),
        )
    if kind is int:
        range_ = "" if most is None else f" from 0 to {most}"
        return f"a whole number{range_}", lambda value: _is_whole(value, most)
    if kind is UnionType:
        texts, tests = zip(*(_wanted(part, most) for part in parts), strict=True)
        return " or ".join(texts), lambda value: any(fits(value) for fits in tests)
    if kind in (bool, Any) or not isinstance(kind, type):
        return "", lambda _: True  # whatever is true or false; what no class tells
    return f"a {kind.__name__}", lambda value: isinstance(value, kind)


def _all(fits: _Fits, values: tuple[Any, ...]) -> bool:
    return all(map(fits, values))


def _is_whole(value: Any, most: int | None) -> bool:
    if isinstance(value, np.ndarray) and value.dtype.kind in "iub":  # words of many rows
        return most is None or bool(((value >= 0) & (value <= most)).all())
    try:
        number = operator.index(value)
    except TypeError:
        return False
    return most is None or 0 <= number <= most

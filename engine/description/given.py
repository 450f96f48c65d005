# SPDX-License-Identifier: Apache-2.0
"""Arguments that are checked where they are given, by their annotations."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import numpy as np

_Made = TypeVar("_Made", bound=Callable[..., Any])
_Wanted = tuple[str, Callable[[Any], bool]]


def checked(most: Callable[[], Mapping[str, int]] = dict) -> Callable[[_Made], _Made]:
    """Decorate a dataclass or a function: an argument that does not fit is a ``ValueError``.

    ``most``: the greatest values of whole numbers, 0 being the least.
    """

    def decorate(made: _Made) -> _Made:
        own = vars(made).get("__init__", made)
        known = inspect.signature(own).parameters
        many = [name for name, one in known.items() if one.kind is one.VAR_POSITIONAL]

        @functools.cache
        def wanted() -> dict[str, _Wanted]:
            limits, hints = most(), get_type_hints(own)
            return {name: _wanted(hints[name], limits.get(name)) for name in known if name in hints}

        @functools.wraps(own)
        def call(*args: Any, **some: Any) -> Any:
            places = (*known, *many * len(args))
            for name, value in (*zip(places, args, strict=False), *some.items()):
                if name in wanted() and value is not known[name].default:
                    text, fits = wanted()[name]
                    if not fits(value):
                        kind = made.__qualname__.removesuffix(".__init__")
                        raise ValueError(f"{kind}: {name}: {text}, not {value!r:.80}")
            return own(*args, **some)

        if not isinstance(made, type):
            return call  # type: ignore[return-value]  # as it was, to its callers
        made.__init__ = call  # type: ignore[misc]
        return made

    return decorate


def _wanted(hint: Any, most: int | None) -> _Wanted:
    """What a value has to be, in words, and whether one is."""
    kind, parts = get_origin(hint) or hint, get_args(hint)
    if kind is Literal:
        return f"one of {', '.join(parts)}", lambda value: value in parts
    each = [_wanted(part, most) for part in parts if part is not ...]
    if kind is UnionType:
        text = " or ".join(text for text, _ in each)
        return text, lambda value: any(fits(value) for _, fits in each)
    if kind is tuple:
        (text, one_fits), *_ = each
        some = "" if ... in parts else f" of {len(parts)}"
        return (
            f"a tuple{some}, each {text}",
            lambda value: (
                type(value) is tuple
                and (not some or len(value) == len(parts))
                and all(map(one_fits, value))
            ),
        )
    if kind is Mapping:
        (key, is_key), (text, one_fits) = each
        return (
            f"a mapping, {key} to {text} each",
            lambda value: (
                isinstance(value, Mapping)
                and all(map(is_key, value))
                and all(map(one_fits, value.values()))
            ),
        )
    if kind is int:  # or numbers for many rows
        text = "a whole number" if most is None else f"a whole number from 0 to {most}"
        return (
            text,
            lambda value: (
                hasattr(value, "__index__")
                and (most is None or bool(np.all((value >= 0) & (value <= most))))
            ),
        )
    if kind is bool:
        return "true or false", lambda value: hasattr(value, "__bool__")
    if not isinstance(kind, type):
        return "", lambda _: True  # what no class tells
    text = "None" if kind is NoneType else f"a {kind.__name__}"
    return text, lambda value: isinstance(value, kind)

# SPDX-License-Identifier: Apache-2.0
"""Compilation of the models' inner loops."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, ParamSpec, TypeVar

import numba
from numba.core.registry import CPUDispatcher

P = ParamSpec("P")
T = TypeVar("T")


def _compile(function: Callable[..., Any], **options: Any) -> Any:
    # Without _nrt=False each call counts the references of all its arrays: on the kernels here,
    # which are made of many small parts, that took 20 times as long as the work.
    njit: Any = numba.njit  # the option is not in its type
    return njit(_nrt=False, **options)(function)


_MODELS: Final = Path(__file__).parent
_ISA: Final = _MODELS.parent / "isa"


def _digest(folder: Path) -> bytes:
    """Hash of all sources in ``folder``, beside it, in ``isa``, its boundary and ``models/adc``.

    Kernels contain parts of each other, opcodes from ``isa`` and numbers of its streams; those of
    a block's coverage parts of its model, and those of the unpackers the counters' commands.
    """
    total = hashlib.sha256()
    model = _MODELS / folder.parent.name
    folders = dict.fromkeys((_MODELS, _ISA, _ISA / "boundary", _MODELS / "adc", folder, model))
    for path in (path for some in folders for path in sorted(some.glob("*.py"))):
        total.update(path.name.encode() + b"\0" + path.read_bytes())
    return total.digest()


def kernel(function: Callable[P, T]) -> Callable[P, T]:
    """Compiled function with a cache on disk; the plain function when ``NUMBA_DISABLE_JIT=1``.

    It may read and write the arrays it is given, and must not make any.

    Numba drops a cached kernel when the file that defines it has changed, but not when a part or
    constant that it takes from another file has. The stamp of the cache is therefore widened to
    all files in the folder, the shared ones in ``models/``, a block's model, and those in ``isa``.
    Where Numba has no such stamp any more, nothing is cached.
    """
    compiled: Any = _compile(function)
    if not hasattr(compiled, "enable_caching"):
        return function
    compiled.enable_caching()
    stamped: Any = getattr(compiled._cache, "_cache_file", None)
    if hasattr(stamped, "_source_stamp"):
        stamped._source_stamp = _digest(Path(function.__code__.co_filename).parent)
    else:
        compiled = _compile(function)
    typed: Callable[P, T] = compiled
    return typed


class _Part(CPUDispatcher):
    """A part is compiled into kernels only: what calls it from Python gets the plain function."""

    def __call__(self, *arguments: Any) -> Any:
        return self.py_func(*arguments)


def part(function: Callable[P, T]) -> Callable[P, T]:
    """Part of a kernel, merged into each place it is called from; plain when Python calls it.

    Without what only calls from Python need it compiles in two thirds of the time.
    """
    options = dict.fromkeys(("forceinline", "no_cpython_wrapper", "no_cfunc_wrapper"), True)
    compiled: Any = _compile(function, **options)
    if isinstance(compiled, CPUDispatcher):
        compiled.__class__ = _Part
    typed: Callable[P, T] = compiled
    return typed

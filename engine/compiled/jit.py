# SPDX-License-Identifier: Apache-2.0
"""Compilation of the models' inner loops."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

import numba
from numba import types
from numba.core.registry import CPUDispatcher

from tilepath.engine.compiled.jit_cache import KernelCache
from tilepath.engine.compiled.jit_parts import LoopCompiler, PartCompiler, PartDispatcher

P = ParamSpec("P")
T = TypeVar("T")


def _compile(function: Callable[..., Any], **options: Any) -> Any:
    # Without _nrt=False each call counts the references of all its arrays: on the loops here,
    # which are made of many small parts, that took 20 times as long as the work.
    njit: Any = numba.njit  # the option is not in its type
    return njit(_nrt=False, **options)(function)


def _compile_part(function: Callable[..., Any], merged: bool) -> Any:
    options = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "forceinline": merged}
    compiled = _compile(function, pipeline_class=PartCompiler, **options)
    if isinstance(compiled, CPUDispatcher):
        compiled.__class__ = PartDispatcher
    return compiled


class _Kernel(CPUDispatcher):
    """A loop that Python calls, or that loops call where it is."""

    _cache: KernelCache

    def compile(self, sig: Any) -> Any:
        """Compile as Numba does, while no other process compiles the same."""
        untyped, collects = cast(Any, super()), gc.isenabled()
        gc.disable()  # a sixth of the time goes into looking at what stays until all is compiled
        try:
            entry = untyped.compile(sig)
        finally:
            self._cache.release()
            if collects:
                gc.enable()
        made, function = cast(Any, self.overloads[tuple(sig)]), self.py_func
        symbol = made.fndesc.mangled_name
        made.library.kernel = function.__module__, function.__name__, tuple(sig), symbol
        return entry


class _Loop(_Kernel):
    """Called from Python the loop; called from another loop a part that is not merged.

    So a loop that only loops call is never compiled for calls from Python.
    """

    _as_part: Any

    @property
    def _numba_type_(self) -> Any:
        return types.Dispatcher(self._as_part)


def shared(function: Callable[P, T]) -> Callable[P, T]:
    """As :func:`compiled`, and loops that call it do not have it in them: it is compiled once."""
    compiled: Any = _compile(function, pipeline_class=LoopCompiler)
    if isinstance(compiled, CPUDispatcher):
        made: Any = compiled
        made.__class__ = _Kernel
        made._cache = KernelCache(function)
    typed: Callable[P, T] = compiled
    return typed


def compiled(function: Callable[P, T]) -> Callable[P, T]:
    """Compiled function with a cache on disk; the plain function when ``NUMBA_DISABLE_JIT=1``.

    It may read and write the arrays it is given, and must not make any. The cache goes by content:
    :mod:`tilepath.engine.compiled.jit_cache`.
    """
    compiled: Any = shared(function)
    if isinstance(compiled, CPUDispatcher):
        made: Any = compiled
        made.__class__ = _Loop
        made._as_part = _compile_part(function, merged=False)
    typed: Callable[P, T] = compiled
    return typed


def part(function: Callable[P, T]) -> Callable[P, T]:
    """Part of a loop, merged into each place it is called from; plain when Python calls it.

    Without what only calls from Python need it compiles in half of the time.
    """
    typed: Callable[P, T] = _compile_part(function, merged=True)
    return typed

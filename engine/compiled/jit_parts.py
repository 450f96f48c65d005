# SPDX-License-Identifier: Apache-2.0
"""Numba's compiler without what loops and their parts need not: 0.65 of the time.

Numba makes machine code of every function that it compiles. A part is only ever linked into
loops, so that of parts is never run: here a part ends as optimised intermediate code. Neither
goes through passes for what no loop has (closures, ``with``, objects, array expressions), each
of which ends with another analysis of all variables. And before each pass Numba describes all
arguments to whoever listens: of a record of records that took an eighth of the time.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterable
from typing import Any, Final, cast

from llvmlite import binding  # type: ignore[import-untyped]
from numba.core import typed_passes, untyped_passes
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.registry import CPUDispatcher
from numba.core.typed_passes import NativeLowering
from numba.core.types import NestedArray, Record

_LEFT_OUT: Final = frozenset(
    getattr(untyped_passes, name, None) or getattr(typed_passes, name)
    for name in (
        *("WithLifting", "InlineClosureLikes", "MakeFunctionToJitFunction", "InlineInlinables"),
        *("RewriteDynamicRaises", "FindLiterallyCalls", "LiteralUnroll", "AnnotateTypes"),
        *("LiteralPropagationSubPipelinePass", "InlineOverloads", "NopythonRewrites"),
        *("NoPythonSupportedFeatureValidation", "DumpParforDiagnostics"),
    )
)

# What a package says of its loops, as ``LOOPS``. ``rows``: one that is unrolled before its
# part is merged becomes no vector; where they are ``whole rows`` parts have vectors already, before
# all that they are merged into is unrolled. Other loops are of two or three: the sooner they are
# unrolled, the better.
ROWS: Final = "rows"
WHOLE_ROWS: Final = "whole rows"


def _remembered(described: Any) -> Any:
    """The text of a type, made once for each type."""

    @functools.wraps(described)
    def text(self: Any) -> str:
        found: str | None = self.__dict__.get("_tilepath_text")
        if found is None:
            found = self.__dict__["_tilepath_text"] = described(self)
        return found

    return text


for _kind in (Record, NestedArray):
    _untyped: Any = _kind
    _untyped.__repr__ = _remembered(_untyped.__repr__)


class _PartLibrary(JITCodeLibrary):
    """Intermediate code of one part, with the parts merged into it; no machine code.

    Attributes:
        is_merged: into each place that the part is called from.
        apart: what else it calls, and what that calls.
    """

    is_merged: bool
    apart: tuple[JITCodeLibrary, ...]

    def finalize(self) -> None:
        """Merge what is to be merged: with each caller the rest would be optimised again."""
        untyped: Any = self
        called = untyped._linking_libraries
        self.apart = _apart(called)
        untyped._linking_libraries = [one for one in called if one not in self.apart]
        super().finalize()  # type: ignore[no-untyped-call]

    def _optimize_functions(self, _module: Any) -> None:
        """Do nothing: the module as a whole is optimised right behind it."""

    def _optimize_final_module(self) -> None:
        # once and cheaply: what it is merged into is optimised as a whole
        codegen: Any = self._codegen
        tuning: Any = binding.create_pipeline_tuning_options(speed_level=1)
        package = sys.modules.get(self.name.rpartition(".")[0])  # its name: the part's module
        loops = getattr(package, "LOOPS", "")
        tuning.loop_unrolling = loops not in (ROWS, WHOLE_ROWS)
        tuning.loop_vectorization = loops == WHOLE_ROWS
        tuning.slp_vectorization = False
        builder = binding.create_pass_builder(codegen._tm, tuning)
        builder.getModulePassManager().run(self._final_module, builder)

    def _finalize_final_module(self) -> None:
        untyped: Any = self
        untyped._finalize_dynamic_globals()
        self._finalized = True


def _apart(called: Iterable[Any]) -> tuple[JITCodeLibrary, ...]:
    """Loops and parts that are not merged, in the order in which they are called."""
    found: list[JITCodeLibrary] = []
    for one in called:
        if isinstance(one, LoopLibrary) or (isinstance(one, _PartLibrary) and not one.is_merged):
            found.append(one)
        found += getattr(one, "apart", ())
    return tuple(dict.fromkeys(found))


class LoopLibrary(JITCodeLibrary):
    """Machine code of a loop, with all parts that it calls.

    Attributes:
        loops: those that it calls, which have machine code of their own.
        kernel: module and name of the function, the types of its arguments, the code's name.
    """

    loops: tuple[LoopLibrary, ...] = ()
    kernel: tuple[str, str, tuple[Any, ...], str]

    def finalize(self) -> None:
        """Add the parts that parts call."""
        untyped: Any = self
        called = dict.fromkeys((*untyped._linking_libraries, *_apart(untyped._linking_libraries)))
        self.loops = tuple(one for one in called if isinstance(one, LoopLibrary))
        untyped._linking_libraries = [one for one in called if one not in self.loops]
        untyped.enable_object_caching()
        super().finalize()  # type: ignore[no-untyped-call]


_registered: Any = register_pass  # Numba has few types


@_registered(mutates_CFG=True, analysis_only=False)
class _PartLowering(NativeLowering):
    _name = "part_lowering"

    def run_pass(self, state: Any) -> bool:
        library = state.library
        library.is_merged = state.flags.forceinline
        state.flags.no_compile = True
        lowering: Any = super()
        lowering.run_pass(state)
        # What follows stands in NativeLowering for what has machine code. Callers find the part by
        # its entry point; here that is its description.
        described = state["cr"].fndesc
        library._ensure_finalized()
        state.targetctx.insert_user_function(described, described, [library])
        state.reload_init.extend(library._reload_init)
        state["cr"] = state["cr"]._replace(cfunc=described)
        return True


class LoopCompiler(CompilerBase):
    """Numba's usual passes without those that no loop needs."""

    _library: Any = LoopLibrary
    _lowering: Any = NativeLowering

    def define_pipelines(self) -> list[Any]:
        """The one pipeline there is; of repeated passes it has the first."""
        state, usual = self.state, cast(Any, DefaultPassBuilder)
        state.library = self._library(state.targetctx.codegen(), state.func_id.modname)
        passes = usual.define_nopython_pipeline(state)
        passes.passes = [
            (self._lowering if one is NativeLowering else one, said)
            for one, said in dict(passes.passes).items()
            if one not in _LEFT_OUT
        ]
        passes.finalize()
        return [passes]


class PartCompiler(LoopCompiler):
    """The compiler of a part does the same."""

    _library = _PartLibrary
    _lowering = _PartLowering


class PartDispatcher(CPUDispatcher):
    """A part is compiled into loops only: what calls it from Python gets the plain function."""

    def __call__(self, *arguments: Any) -> Any:
        """Call the plain function."""
        return self.py_func(*arguments)

    def add_overload(self, compiled: Any) -> None:
        """Keep what was compiled for loops; there is nothing that Python could call."""
        self.overloads[tuple(compiled.signature.args)] = compiled

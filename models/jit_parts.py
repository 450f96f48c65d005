# SPDX-License-Identifier: Apache-2.0
"""Numba's compiler without what parts of kernels need not.

Numba makes machine code of every function that it compiles. A part is only ever linked into
kernels, so that of parts is never run: here a part ends as optimised intermediate code.
"""

from __future__ import annotations

from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.registry import CPUDispatcher
from numba.core.typed_passes import NativeLowering


class _PartLibrary(JITCodeLibrary):
    """Intermediate code of one part, with the parts it calls; no machine code."""

    def _optimize_final_module(self) -> None:
        # once and cheaply: what it is merged into is optimised as a whole
        codegen: Any = self._codegen
        passes, builder = codegen._module_pass_manager(
            loop_vectorize=False, slp_vectorize=False, opt=1
        )
        passes.run(self._final_module, builder)

    def _finalize_final_module(self) -> None:
        untyped: Any = self
        untyped._finalize_dynamic_globals()
        self._finalized = True


_registered: Any = register_pass  # Numba has few types


@_registered(mutates_CFG=True, analysis_only=False)
class _PartLowering(NativeLowering):
    _name = "part_lowering"

    def run_pass(self, state: Any) -> bool:
        make: Any = _PartLibrary
        library = make(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library = library
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


class PartCompiler(CompilerBase):
    """Numba's usual passes with the last replaced."""

    def define_pipelines(self) -> list[Any]:
        """The passes for a part: the one pipeline there is."""
        usual: Any = DefaultPassBuilder
        passes = usual.define_nopython_pipeline(self.state)
        passes.passes = [
            (_PartLowering if one is NativeLowering else one, said) for one, said in passes.passes
        ]
        passes.finalize()
        return [passes]


class PartDispatcher(CPUDispatcher):
    """A part is compiled into kernels only: what calls it from Python gets the plain function."""

    def __call__(self, *arguments: Any) -> Any:
        """Call the plain function."""
        return self.py_func(*arguments)

    def add_overload(self, compiled: Any) -> None:
        """Keep what was compiled for kernels; there is nothing that Python could call."""
        self.overloads[tuple(compiled.signature.args)] = compiled

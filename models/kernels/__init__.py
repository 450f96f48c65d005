# SPDX-License-Identifier: Apache-2.0
"""Kernels as text files: tiles, the programs of three threads, what is expected at the end.

``docs/kernels.md`` explains the language.

- ``program``: what a file says, as values; ``expressions``: numbers and arrays in a line;
- ``parser``: what stands outside of threads; ``threads``: inside;
- ``checks``: what can be told to be wrong before anything runs;
- ``imported``: kernel files of logs of words that come from elsewhere;
- ``play``: L1 filled, the programs run on a ``Machine``, what came of it compared.
"""

from __future__ import annotations

from tilepath.engine.text import TextError
from tilepath.models.kernels.parser import load, parse
from tilepath.models.kernels.play import Verdict, machine_of, play
from tilepath.models.kernels.program import Kernel

__all__ = ["Kernel", "TextError", "Verdict", "load", "machine_of", "parse", "play"]

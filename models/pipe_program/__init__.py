# SPDX-License-Identifier: Apache-2.0
"""Programs of the flag pipe: text format, checker, expansion, commands of the cores."""

from __future__ import annotations

from tilepath.engine.text import TextError
from tilepath.models.pipe_program.check import check
from tilepath.models.pipe_program.expand import Expanded, expand
from tilepath.models.pipe_program.lower import Command, lower
from tilepath.models.pipe_program.parser import load, parse
from tilepath.models.pipe_program.printer import to_text
from tilepath.models.pipe_program.program import (
    A2A3,
    A5,
    AUTO,
    CORES,
    Alloc,
    Core,
    Free,
    Func,
    GmRef,
    If,
    ImportPeerBuffer,
    Init,
    Loop,
    Platform,
    Pop,
    Program,
    Push,
    ReserveBuffer,
    Stmt,
    Use,
)
from tilepath.models.pipe_program.report import Diag, Kpn, Report

__all__ = [
    "A2A3",
    "A5",
    "AUTO",
    "CORES",
    "Alloc",
    "Command",
    "Core",
    "Diag",
    "Expanded",
    "Free",
    "Func",
    "GmRef",
    "If",
    "ImportPeerBuffer",
    "Init",
    "Kpn",
    "Loop",
    "Platform",
    "Pop",
    "Program",
    "Push",
    "Report",
    "ReserveBuffer",
    "Stmt",
    "TextError",
    "Use",
    "check",
    "expand",
    "load",
    "lower",
    "parse",
    "to_text",
]

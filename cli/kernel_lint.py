# SPDX-License-Identifier: Apache-2.0
"""What ``tilepath lint-kernel`` does: rules over the words of kernels, without a run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from textwrap import indent

from tilepath.cli.kernels import constants_of, load_kernel
from tilepath.engine.commands.as_json import Tell
from tilepath.engine.commands.compiling import announce_kernels
from tilepath.engine.commands.errors import UsageError, for_user
from tilepath.engine.text import TextError
from tilepath.isa import IsaError
from tilepath.models import lint


def show_rules() -> None:
    """Print a line for each rule."""
    for rule in lint.table().values():
        print(f"{rule.number}  {rule.name:20}  {rule.meaning}")


@for_user(IsaError)
def explain(name: str) -> None:
    """Print a rule's reason and its examples; ``UsageError`` where there is no such rule."""
    (rule,) = lint.chosen([name])
    print(f"{rule.number} {rule.name}: {rule.meaning}.\n\n{rule.reason.strip()}\n")
    wrong, right = (indent(text.strip(), "    ") for text in (rule.wrong, rule.right))
    print(f"Instead: {rule.hint}.\n\nWrong, profile {rule.profile}:\n{wrong}\n\nRight:\n{right}")


@for_user(IsaError, TextError, lint.StreamError)
def lint_kernels(
    files: Sequence[Path],
    profile: str,
    given: Iterable[str],
    select: Iterable[str],
    ignore: Iterable[str],
    tell: Tell | None,
) -> int:
    """Print what rules find in kernel files; 1 if they find something.

    Raises:
        UsageError: no file, one that is no kernel, an unknown rule (in a comment too) or profile, a
            stream that ends in the middle of a recording.
    """
    if not files:
        raise UsageError("give a FILE, --list or --explain RULE")
    rules, constants = lint.chosen(select, ignore), constants_of(given)
    kernels = [load_kernel(file, profile, constants) for file in files]
    announce_kernels()
    found = [one for kernel in kernels for one in lint.findings(kernel, rules)]
    for one in found:
        print(one)
    plural = "" if len(found) == 1 else "s"
    print(f"{len(found)} finding{plural}, {len(rules)} rules, profile {profile}")
    if tell is not None:
        keys = ("number", "name", "meaning", "hint")
        rows = [
            {"where": str(where), "about": about, **{key: getattr(rule, key) for key in keys}}
            for where, rule, about in found
        ]
        tell({"findings": rows})
    return 1 if found else 0

# SPDX-License-Identifier: Apache-2.0
"""What every check raises that finds a run wanting."""

from __future__ import annotations

from collections.abc import Sequence


class CheckError(AssertionError):
    """A run fails; ``report`` is the full text, ``cycle`` where to look, if there is such a place.

    The message is one line; the report begins with the kind of failure in capitals.
    """

    def __init__(self, headline: str, report: str = "", cycle: int | None = None) -> None:
        super().__init__(headline)
        self.report = report
        self.cycle = cycle


def parts(headline: str, *lists: Sequence[str]) -> str:
    """A report: its headline, then lists of lines apart from one another."""
    indented = ("".join(f"  {line}\n" for line in lines) for lines in lists if lines)
    return "\n".join((f"{headline}\n", *indented))


def of_stimulus(text: str, lines: Sequence[str], cycle: int) -> CheckError:
    """What was sent is not what arrived."""
    return CheckError(text, parts(f"STIMULUS {text}", lines), cycle)

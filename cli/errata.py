# SPDX-License-Identifier: Apache-2.0
"""Errata, as ``tilepath list --errata`` prints them, and as ``docs/silicon.md`` has them.

``python -m tilepath.cli.errata`` writes the page; with ``--check`` it says if it is stale.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Final

from rich.markup import escape

from tilepath.engine.commands import report
from tilepath.engine.commands.errors import UsageError
from tilepath.engine.commands.given import check_block
from tilepath.engine.commands.jobs import check_profile
from tilepath.engine.description.block import ROOT
from tilepath.engine.description.registry import load_block
from tilepath.isa import errata, profiles
from tilepath.isa.errata import Erratum

PAGE: Final = ROOT / errata.PAGE

_HEAD: Final = """\
# Errata

What chips do that documents do not say, or that the other chip does not, by block and name; made
from `isa/data/errata.toml` by `make docs`. `tilepath list --errata` prints the same, with
`--block NAME` those of a block, with `--profile NAME` those that a profile has.

- **Chips**: `wormhole` is the older one, `blackhole` the newer one; `baseline` is the older one as
  notes describe it.
- **Off**: what to write behind a profile to be without it, `PROFILE=blackhole,implied_fmt=0`. It
  can be turned off everywhere, and on where the chip has it or nobody has looked; else that is
  refused. What has no such parameter cannot be turned off. Where a **fault** is named, a kernel
  that meets the erratum has it: its report says which erratum, as `Fault.erratum` of a `Machine`.
- **Strength**: **A** the vendor's own reading of a chip or its RTL, or two independent sources;
  **B** one other project's reading of two chips; **C** one reading of one chip, or sources that
  disagree.
- A stored run, coverage or regression has the values of its profile's parameters (`readings`). One
  that is older than a parameter is read as what it was, under the name that means that now, like
  `blackhole,implied_fmt=0`; where no value of the parameter is what was so before, it is refused.
"""
_TITLES: Final = ("erratum", "chips", "what happens", "how a kernel keeps clear of it")
_ABOUT: Final = ("source", "strength", "off, or fault")


def page() -> str:
    """The whole page."""
    every = list(errata.table().values())
    blocks = list(dict.fromkeys(one.blocks[0] for one in every))
    lines = [_HEAD, "| block | errata |", "|---|---|"]
    for block in blocks:
        links = (f"[{one.name}](#{one.name})" for one in every if block in one.blocks)
        lines.append(f"| [{block}](#{block}) | {', '.join(links)} |")
    for block in blocks:
        titles = (*_TITLES, *_ABOUT)
        lines += ["", f"## {block}", "", f"| {' | '.join(titles)} |", f"|{'---|' * len(titles)}"]
        for one in every:
            if one.blocks[0] == block:
                name = f'<a id="{one.name}"></a>`{one.name}`'
                rest = (_chips(one), one.what, one.clear, *_about(one))
                lines.append(f"| {' | '.join((name, *rest))} |")
    return "\n".join((*lines, *_profiles())) + "\n"


def _profiles() -> Iterator[str]:
    """What profiles have unlike each other, and on whose word the older chip has it."""
    about = "Parameters in which profiles differ; evidence where `wormhole` is not as `baseline`."
    yield from ("", "## Profiles", "", about, "")
    titles = ("parameter", *profiles.names(), "what it is", "decision", "evidence")
    yield from (f"| {' | '.join(titles)} |", f"|{'---|' * len(titles)}")
    for name, row in profiles.parameters().items():
        values = [profiles.written(value) for value in row["values"]]
        if len(set(values)) > 1:
            rest = (row["meaning"], row["source"], row.get("wormhole", "–"))
            yield f"| {' | '.join((f'`{name}`', *values, *rest))} |"


def show(blocks: Sequence[str], profile: str | None) -> None:
    """Print the errata of these blocks, or of all, that a profile has.

    Raises:
        UsageError: an unknown block or profile, or nothing to print.
    """
    for block in blocks:
        check_block(block)
    names = {name for block in blocks for name in (block, *load_block(block).borrows)}
    if profile is not None:
        check_profile(profile)
    every = errata.table().values()
    of_blocks = [one for one in every if not blocks or names & {*one.blocks}]
    found = [one for one in of_blocks if profile is None or one.is_in(profile)]
    if not found:
        where = f" in {profile}" if of_blocks else ""
        having = ", ".join(dict.fromkeys(one.blocks[0] for one in every))
        raise UsageError(f"block {', '.join(blocks)} has no errata{where}; these have: {having}")
    table = report.table_of("block", *_TITLES, *_ABOUT)
    for column in (1, -1):  # names that are looked for, and typed
        table.columns[column].no_wrap = True
    for one in found:
        row = (", ".join(one.blocks), one.name, _chips(one), one.what, one.clear, *_about(one))
        table.add_row(*map(escape, (text.replace("`", "") for text in row)))
    report.make_console().print(table)


def _chips(one: Erratum) -> str:
    return ", ".join(one.chips)


def _about(one: Erratum) -> Iterator[str]:
    yield ": ".join(filter(None, (one.decision, one.source)))
    yield one.strength
    named = [f"`{one.turned_off}`"] if one.turned_off else []
    yield ", ".join([*named, *(f"fault `{fault}`" for fault in one.faults)]) or "–"


def main(arguments: Sequence[str]) -> int:
    """Write the page, or with ``--check`` say whether it is stale; 0 when all is well, else 1."""
    if PAGE.is_file() and PAGE.read_text() == page():
        return 0
    if arguments == ["--check"]:
        print(f"{PAGE.name} is stale: python -m tilepath.cli.errata")
        return 1
    PAGE.write_text(page())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

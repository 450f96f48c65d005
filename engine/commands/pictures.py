# SPDX-License-Identifier: Apache-2.0
"""Pictures of docs/: ``docs/pictures/*.d2``, each drawn by D2 as an SVG of the same name.

``python -m tilepath.engine.commands.pictures`` draws all of them, and runs the programs in
pages that draw pictures of their own; with ``--check`` it says which of the former are stale.
"""

from __future__ import annotations

import re
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tilepath.engine.description.block import ROOT

FOLDER: Final = ROOT / "docs" / "pictures"

_D2: Final = (
    *(f"{sysconfig.get_path('scripts')}/d2", "--omit-version", "--pad", "14"),
    *("--layout", "elk", "--elk-nodeNodeBetweenLayers", "34", "--stdout-format", "svg"),
)


def drawn(description: Path) -> str:
    """The SVG of a picture; ``ValueError``, with file and line, for a description that is none."""
    command = [*_D2, description.name, "-"]
    done = subprocess.run(
        command, cwd=description.parent, capture_output=True, text=True, check=False
    )
    if done.returncode:
        wrong = next(line for line in done.stderr.splitlines() if line.startswith("err: "))
        raise ValueError(wrong.removeprefix("err: "))
    return done.stdout


def pictures() -> Iterator[tuple[Path, str]]:
    """Yield each SVG's path and what its description gives; ``ValueError`` as :func:`drawn`."""
    for path in sorted(FOLDER.glob("*.d2")):
        if path.stem != "style":  # which the others import
            yield path.with_suffix(".svg"), drawn(path)


def stale() -> list[str]:
    """Names of the SVGs that are not what their description gives."""
    return [
        path.name for path, text in pictures() if not path.is_file() or path.read_text() != text
    ]


def draw_pages() -> None:
    """Run the programs in pages of docs/ that draw what the page shows."""
    for page in sorted(FOLDER.parent.glob("*.md")):
        for program in re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL):
            if re.search(r'Path\(".*\.svg"\)', program):
                command = (sys.executable, "-c", program)
                subprocess.run(command, cwd=page.parent, check=True, stdout=subprocess.DEVNULL)


def main(arguments: list[str]) -> int:
    """Draw all, or with ``--check`` none; 0 when all is well, else 1."""
    if arguments == ["--check"]:
        found = stale()
        for name in found:
            print(f"{name} is stale: python -m tilepath.engine.commands.pictures")
        return int(bool(found))
    for path, text in pictures():
        path.write_text(text)
    draw_pages()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

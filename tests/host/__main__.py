# SPDX-License-Identifier: Apache-2.0
"""What the host library does and ships, again: ``python -m tilepath.tests.host [PYTHON]``.

No part of CI. PYTHON has the library; without it an environment is made in a temporary folder, by
python3.10 or python3.12, whichever is there. Exits with 1 if something is not as it was.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tilepath.tests.host import encodings, tiles

LIBRARY = "ttnn==0.81.1"
_SIDE = Path(__file__).with_name("library_side.py")


def environment(folder: Path) -> str:
    """The Python of a new environment with the library."""
    for python in filter(None, map(shutil.which, ("python3.10", "python3.12"))):
        # may also be a shim of a version that is not there
        if subprocess.run([python, "-m", "venv", folder], capture_output=True).returncode == 0:
            made = str(folder / "bin" / "python")
            wanted = (LIBRARY, "pyyaml>=6,<7")
            subprocess.run([made, "-m", "pip", "install", "--quiet", *wanted], check=True)
            return made
    raise SystemExit(f"{LIBRARY} has wheels for python3.10 and python3.12; neither makes a venv")


def main(python: str | None) -> int:
    """Print what differs; 1 if something does."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        library = python or environment(folder / "environment")

        def answers(requests: Sequence[tiles.Request]) -> list[np.ndarray[Any, Any]]:
            arrays = {str(k): one.given for k, one in enumerate(requests)}
            np.savez(folder / "given.npz", **arrays)
            said = {k: one[:4] for k, one in zip(arrays, requests, strict=True)}
            (folder / "requests.json").write_text(json.dumps(said))
            command = [library, str(_SIDE), str(folder)]
            try:
                done = subprocess.run(command, capture_output=True, text=True)
            except OSError as error:
                print(f"{library}: {error.strerror}", file=sys.stderr)
                sys.exit(2)
            if done.returncode:
                raise SystemExit(f"{done.stdout}\n{done.stderr}\n{' '.join(command)}: failed")
            found = np.load(folder / "answers.npz")
            return [found[k] for k in arrays]

        differ = tiles.problems(answers)
        shipped = json.loads((folder / "encodings.json").read_text())
        differ += encodings.problems(shipped, Path(shipped["root"]))
    for line in differ:
        print(line)
    return bool(differ)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2] or [None]))

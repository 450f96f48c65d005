# SPDX-License-Identifier: Apache-2.0
"""What files a design has: of a folder, of files, of ``.f`` lists as simulators take them.

In a list a path is looked for in the list's folder, and then in the current one. ``//`` and ``#``
begin comments, ``$NAME`` is a variable of the environment.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tilepath.engine.commands.errors import UsageError

HDL: Final = (".sv", ".v")
_HEADERS: Final = (".svh", ".vh")
LISTS: Final = (".f", ".vc")
_COMMENT: Final = re.compile(r"(?:^|(?<=\s))(?://|#).*")
_PACKAGE: Final = re.compile(r"^\s*package\s+(?:automatic\s+|static\s+)?(\w+)", re.MULTILINE)
_NAMED: Final = re.compile(r"\b(\w+)::")
_TAKEN: Final = "files, -f, -F, -v, -y, +incdir+, +define+, +libext+"


@dataclass
class FileList:
    """Files in the order in which they are named, once each; all paths are absolute.

    ``libraries``: folders in which modules are looked for, in files called like them.
    """

    files: dict[Path, None] = field(default_factory=dict)
    folders: dict[Path, None] = field(default_factory=dict)
    libraries: dict[Path, None] = field(default_factory=dict)
    extensions: dict[str, None] = field(default_factory=lambda: dict.fromkeys(HDL))
    defines: dict[str, None] = field(default_factory=dict)


def read(given: Sequence[str]) -> FileList:
    """What is named by ``given``; ``UsageError`` for what is not there, or is not understood."""
    found = FileList()
    for name in given:
        path = Path(name).resolve()
        if path.is_dir():
            _add_folder(found, path, name)
        elif not path.is_file():
            raise UsageError(f"--rtl: there is no {name}")
        elif path.suffix in LISTS:
            _add_list(found, path, (), name)
        else:
            found.files[path] = None
    return found


def _add_folder(found: FileList, folder: Path, name: str) -> None:
    """All HDL below a folder; headers are found where they are."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    files = [path for path in paths if path.suffix in HDL]
    if not files:
        raise UsageError(f"--rtl: there is no {' or '.join(HDL)} file in {name}")
    found.files |= dict.fromkeys(in_order(files))
    headers = (path.parent for path in paths if path.suffix in _HEADERS)
    found.folders |= dict.fromkeys([folder, *headers])


def in_order(files: Sequence[Path]) -> list[Path]:
    """Packages first, each behind those that it names: simulators read from top to bottom."""
    texts = {path: path.read_text(errors="replace") for path in files}
    owner = {name: path for path, text in texts.items() for name in _PACKAGE.findall(text)}
    ordered: dict[Path, None] = {}

    def add(path: Path, above: tuple[Path, ...]) -> None:
        for name in _NAMED.findall(texts[path]):
            if (other := owner.get(name, path)) not in (*above, path):
                add(other, (*above, path))
        ordered[path] = None

    for path in (*dict.fromkeys(owner.values()), *files):
        if path not in ordered:
            add(path, ())
    return list(ordered)


def _add_list(found: FileList, path: Path, inside: tuple[Path, ...], name: str) -> None:
    """What a list has; ``inside``: lists that name it."""
    if path in inside:
        raise UsageError(f"{name}: it names itself")
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{name}: {getattr(error, 'strerror', None) or error}") from None
    for number, line in enumerate(lines, 1):
        place = f"{name}:{number}"
        try:
            words = iter(shlex.split(_COMMENT.sub("", line)))
        except ValueError as error:
            raise UsageError(f"{place}: {error}") from None
        for word in words:
            _add_word(found, word, words, path, inside, place)


def _add_word(
    found: FileList,
    word: str,
    rest: Iterator[str],
    path: Path,
    inside: tuple[Path, ...],
    place: str,
) -> None:
    """A word of a list, and the next one if it belongs to it."""

    def there(name: str) -> Path:
        expanded = Path(os.path.expandvars(name))
        for base in (path.parent, Path.cwd()):
            if (base / expanded).exists():
                return (base / expanded).resolve()
        raise UsageError(f"{place}: there is no {name}")

    option, _, value = word[1:].partition("+") if word[0] == "+" else (word, "", "")
    values = [one for one in value.split("+") if one]
    if word in ("-f", "-F", "-v", "-y"):
        after = next(rest, "")
        if not after:
            raise UsageError(f"{place}: nothing is behind {word}")
        target = there(after)
        if word == "-y":
            found.libraries[target] = None
        elif word == "-v":
            found.files[target] = None
        else:
            _add_list(found, target, (*inside, path), f"{place}: {after}")
    elif option == "incdir" and values:
        found.folders |= dict.fromkeys(map(there, values))
    elif option == "define" and values:
        found.defines |= dict.fromkeys(values)
    elif option == "libext" and values:
        found.extensions |= dict.fromkeys(values)
    elif word[0] in "+-":
        raise UsageError(f"{place}: {word} is not taken; there are: {_TAKEN}")
    elif (file := there(word)).is_dir():
        raise UsageError(f"{place}: {word} is a folder; -y or +incdir+ is in front of one")
    else:
        found.files[file] = None

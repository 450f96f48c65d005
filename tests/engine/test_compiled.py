# SPDX-License-Identifier: Apache-2.0
"""Compiled loops are found by content: by any checkout, after a touch, not after a change."""

from __future__ import annotations

import os
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tilepath.engine.compiled import jit_cache
from tilepath.engine.host import folders
from tilepath.tests.commands import Done, python

_FILES = {
    "__init__.py": "",
    "limits.py": "LIMIT = 5\n",
    "lower.py": """
from tilepath.engine.compiled.jit import part
from tiny.limits import (
    LIMIT,  # a number
)

@part
def add(value):
    return value + LIMIT
""",
    "upper.py": """
import numpy as np
from tilepath.engine.compiled.jit import compiled
from tiny import lower

add = lower.add

@compiled
def twice(values):
    values[0] = add(values[0]) * 2

@compiled
def run(values):
    twice(values)
    twice(values)
""",
    "other.py": "NUMBER = 1\n",
}
_CALL = """
import numpy as np
from tiny.upper import run
{before}
values = np.ones(1, np.int64)
run(values)
print(values[0], *run.stats.cache_hits.values())
"""
_EDIT = "import tiny.limits; open(tiny.limits.__file__, 'w').write('LIMIT = 8')"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A loop, its part in a second file and that one's constant in a third; an empty cache."""
    monkeypatch.setenv("TILEPATH_BUILD", str(tmp_path / "build"))
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "0")
    folder = tmp_path / "first" / "tiny"
    folder.mkdir(parents=True)
    for name, text in _FILES.items():
        (folder / name).write_text(text)
    return folder


def _done(package: Path, before: str = "") -> Done:
    """A new process that calls the loop."""
    path = os.pathsep.join([str(package.parent), *(p for p in sys.path if p)])
    # -B: Python takes a file of the same size and second for the one whose bytecode it has
    done = python("-B", "-c", _CALL.format(before=before), env={**os.environ, "PYTHONPATH": path})
    assert done.returncode == 0, done.stderr
    return done


def _run(package: Path, before: str = "") -> tuple[int, bool]:
    """What the loop computes in a new process, and whether it was found compiled."""
    value, *hits = _done(package, before).stdout.split()
    return int(value), hits == ["1"]


def _kept(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "build").rglob("*.nbc"))


def test_the_next_process_and_another_checkout_compile_nothing(
    package: Path, tmp_path: Path
) -> None:
    assert _run(package) == (34, False)
    assert len(_kept(tmp_path)) == 1  # not the loop that only a loop calls
    assert _run(package) == (34, True)
    second = tmp_path / "second" / "tiny"
    shutil.copytree(package, second)
    shutil.rmtree(package)
    for path in second.glob("*.py"):
        path.touch()
    (second / "other.py").write_text("NUMBER = 2\n")  # nothing that the loop takes
    assert _run(second) == (34, True)


def test_a_change_in_any_file_compiles_again(package: Path) -> None:
    assert _run(package) == (34, False)
    for name, old, new, value in (
        ("upper.py", "* 2", "* 3", 69),
        ("lower.py", "value + LIMIT", "value - LIMIT", -26),
        ("limits.py", "5", "6", 40),
    ):
        text = (package / name).read_text()
        (package / name).write_text(text.replace(old, new))
        assert _run(package) == (value, False), name
        (package / name).write_text(text)
    assert _run(package) == (34, True)


def test_what_is_damaged_is_made_anew(package: Path, tmp_path: Path) -> None:
    _run(package)
    (path,) = _kept(tmp_path)
    content = path.read_bytes()
    middle = len(content) // 2
    changed = content[:middle] + b"?" + content[middle + 1 :]
    for damaged in (b"", content[:20], content[:-1], changed):
        path.write_bytes(damaged)
        assert _run(package) == (34, False)
    assert _run(package) == (34, True)


def test_processes_at_the_same_time_leave_one_whole_file(package: Path, tmp_path: Path) -> None:
    with ThreadPoolExecutor(3) as pool:
        assert {value for value, _ in pool.map(_run, [package] * 3)} == {34}
    (folder,) = (tmp_path / "build" / "kernels").iterdir()
    assert {path.name for path in folder.iterdir()} == {"lock", "used", _kept(tmp_path)[0].name}
    assert _run(package) == (34, True)


def test_a_loop_that_loops_share_is_kept_by_itself(package: Path, tmp_path: Path) -> None:
    upper = package / "upper.py"
    text = upper.read_text().replace("@compiled\ndef twice", "@shared\ndef twice")
    upper.write_text(text.replace("import compiled", "import compiled, shared"))
    assert _run(package) == (34, False)
    assert _run(package) == (34, True)
    _, twice = _kept(tmp_path)
    twice.unlink()  # it is made anew, under another name than the one that is called
    assert _run(package) == (34, False)
    assert _run(package) == (34, True)


def test_a_command_names_what_it_compiles(package: Path) -> None:
    announced = "from tilepath.engine.commands.compiling import announce_loops; announce_loops()"
    first, second = _done(package, announced).stderr.splitlines()
    assert first == "compiling loops of the models, once for these sources:"
    assert second == "compiling tiny.upper.run (after 0 s)"
    assert _done(package, announced).stderr == ""


def test_a_cache_that_cannot_be_written_fails_no_run(package: Path, tmp_path: Path) -> None:
    (tmp_path / "build").write_text("in the way")
    assert _run(package) == (34, False)


def test_a_file_changed_under_a_process_is_not_kept_for_its_new_content(package: Path) -> None:
    assert _run(package, _EDIT) == (34, False)
    assert _run(package) == (52, False)


def test_a_setting_that_changes_the_code_has_its_own(
    package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _run(package)
    monkeypatch.setenv("NUMBA_OPT", "0")
    assert _run(package) == (34, False)


def test_loops_are_in_the_users_cache_or_else_in_the_checkout(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("TILEPATH_BUILD", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert jit_cache.compiled_folder() == folders.cache_folder() / "kernels"
    assert folders.cache_folder() == tmp_path / "tilepath"
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert jit_cache.compiled_folder() == folders.ROOT / "build" / "kernels"


def test_the_sources_of_a_loop_are_those_it_imports() -> None:
    name = "tilepath.engine.compiled.compiled_io"
    file = folders.ROOT / "engine" / "compiled" / "compiled_io.py"
    names = set(jit_cache.sources_of(file, name))
    assert {name, "tilepath.engine.compiled.jit", "tilepath.engine.description.boundary"} <= names
    assert not [other for other in names if other.startswith("tilepath.engine.stimulus")]

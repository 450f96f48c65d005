# SPDX-License-Identifier: Apache-2.0
"""C that the bench generates: compiled once, found again, compiled anew where it is damaged."""

from __future__ import annotations

import os
import textwrap
from pathlib import Path

import numpy as np
import pytest

from tilepath.engine.coverage import generated
from tilepath.engine.coverage.generated import counting
from tilepath.engine.host import library as module
from tilepath.engine.host.library import library
from tilepath.tests.commands import python
from tilepath.tests.engine.plan_meanings import rows_by_chance
from tilepath.tests.engine.test_plan import EVERYTHING

_SOURCE = "long twice(long a) { return 2 * a; }"


@pytest.fixture(autouse=True)
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TILEPATH_BUILD", str(tmp_path))
    return tmp_path / "kernels"


def _calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    calls: list[str] = []
    compiles = module._compile

    def counted(compiler: str, source: str, product: Path) -> None:
        calls.append(source)
        compiles(compiler, source, product)

    monkeypatch.setattr(module, "_compile", counted)
    return calls


def test_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = _calls(monkeypatch)
    for _ in range(2):
        found = library(_SOURCE)
        assert found is not None and found.twice(21) == 42
    assert calls == [_SOURCE]


def test_damaged_it_is_compiled_anew(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    calls = _calls(monkeypatch)
    product = tmp_path / "library.so"
    product.write_bytes(b"no library")
    assert module._loaded("c++", _SOURCE, product).twice(21) == 42 and calls == [_SOURCE]


def test_a_folder_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILEPATH_BUILD", "/proc/nowhere")
    found = library(_SOURCE)
    assert found is not None and found.twice(4) == 8


def test_what_the_compiler_refuses(empty: Path) -> None:
    with pytest.raises(RuntimeError, match=r"refuses what the bench has generated: .*error"):
        library("long twice(long a) { return b; }")
    assert not list(empty.glob("library-*/library.*"))


def test_a_full_disk_is_told(empty: Path) -> None:
    script = f"""
        import resource
        from tilepath.engine.host.library import library
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        library({_SOURCE!r})
    """
    done = python("-c", textwrap.dedent(script), env={**os.environ, "TILEPATH_BUILD": str(empty)})
    assert "File too large" in done.stderr.splitlines()[-1] and done.returncode == 1
    assert not list(empty.rglob("library.*"))


def test_without_a_compiler_numpy_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "no-such-compiler")
    assert library(_SOURCE) is None
    some = rows_by_chance(EVERYTHING)[:200]
    counts = np.zeros(EVERYTHING.group.size, np.int64)
    count = counting([EVERYTHING])["word"]
    count(some, [counts], [EVERYTHING.memory()])
    count(some, [counts], [EVERYTHING.memory()])
    assert np.array_equal(counts, 2 * EVERYTHING.plain(some))


def test_rows_of_another_layout_are_refused() -> None:
    count = generated.counting([EVERYTHING])["word"]
    with pytest.raises(AssertionError):
        counts = np.zeros(EVERYTHING.group.size, np.int64)
        count(np.zeros(3, [("other", np.int8)]), [counts], [EVERYTHING.memory()])

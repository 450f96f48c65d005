# SPDX-License-Identifier: Apache-2.0
"""The store: builds by content, what is removed when it has grown, C that is compiled once."""

from __future__ import annotations

import fcntl
import os
import textwrap
import threading
from pathlib import Path

import numpy as np
import pytest

from tilepath.engine.coverage import generated
from tilepath.engine.coverage.generated import counting
from tilepath.engine.description.block import ROOT
from tilepath.engine.host import folders, store
from tilepath.engine.host import library as module
from tilepath.engine.host.folders import build_folder, in_checkout
from tilepath.engine.host.library import library
from tilepath.tests.commands import python
from tilepath.tests.engine.plan_meanings import rows_by_chance
from tilepath.tests.engine.test_plan import EVERYTHING

HOUR = 3600.0


def test_the_key_is_that_of_all_contents() -> None:
    sources = {"rtl/a.sv": b"module a;", "rtl/b.sv": b"endmodule"}
    key = store.content_key(["-O2"], sources)
    assert key == store.content_key(["-O2"], dict(sources))
    others = [
        store.content_key(["-O3"], sources),
        store.content_key([], sources),
        store.content_key(["-O2"], dict(reversed(sources.items()))),  # the order of compilation
        store.content_key(["-O2"], {**sources, "rtl/b.sv": b"endmodule "}),
        store.content_key(["-O2"], {"rtl/a.sv": b"module a;", "rtl/c.sv": b"endmodule"}),
        store.content_key(["-O2"], {"rtl/a.sv": b"module a;rtl/b.sv", "": b"endmodule"}),
        store.content_key(["-O2", "rtl/a.sv"], {"rtl/b.sv": b"endmodule"}),
    ]
    assert len({key, *others}) == len(others) + 1


def make_build(root: Path, number: int, age: float, size: int = 1000) -> Path:
    """A build last used ``age`` seconds ago."""
    folder = root / f"adc-{number:016x}"
    with store.locked(folder):
        store.mark_used(folder)
        (folder / "sim").write_bytes(bytes(size))
    then = (folder / "used").stat().st_mtime - age
    os.utime(folder / "used", (then, then))
    return folder


def test_the_longest_unused_go_first(tmp_path: Path) -> None:
    builds = [make_build(tmp_path, n, age=(n + 1) * HOUR) for n in range(4)]
    (tmp_path / "adc-ordinary").mkdir()
    (tmp_path / "adc-ordinary" / "sim").write_bytes(bytes(5000))
    store.prune(tmp_path, keep_bytes=2500)
    assert [path.exists() for path in builds] == [True, True, False, False]
    assert (tmp_path / "adc-ordinary").exists()  # not named after its content: not the store's


def test_what_was_used_lately_stays(tmp_path: Path) -> None:
    builds = [make_build(tmp_path, n, age=n * HOUR) for n in range(2)]
    store.mark_used(builds[1])
    store.prune(tmp_path, keep_bytes=10)
    assert all(path.exists() for path in builds)


def test_what_is_being_built_stays(tmp_path: Path) -> None:
    made = make_build(tmp_path, 1, age=HOUR)
    with store.locked(made):
        store.prune(tmp_path, keep_bytes=10)
    assert (made / "sim").exists()
    store.prune(tmp_path, keep_bytes=10)
    assert not made.exists()


def test_what_is_being_built_drives_nothing_out(tmp_path: Path) -> None:
    """While a build is made its folder holds a hundred times what it comes to."""
    builds = [make_build(tmp_path, n, age=n * HOUR) for n in range(2)]
    (builds[0] / store.WORK / "obj").mkdir(parents=True)
    (builds[0] / store.WORK / "obj" / "Vtop.o").write_bytes(bytes(5000))
    store.prune(tmp_path, keep_bytes=2500)
    assert all(path.exists() for path in builds)


def test_a_lock_that_was_removed_meanwhile_is_none(tmp_path: Path) -> None:
    folder = tmp_path / "adc-0"
    folder.mkdir()
    inside = threading.Event()

    def wait_for_it() -> None:
        with store.locked(folder):
            inside.set()
            (folder / "made").touch()

    with (folder / "lock").open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        other = threading.Thread(target=wait_for_it)
        other.start()
        assert not inside.wait(0.2)
        (folder / "lock").unlink()
        folder.rmdir()
    other.join()
    assert (folder / "made").exists() and (folder / "lock").exists()


def test_builds_are_in_the_checkout_or_else_in_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TILEPATH_BUILD", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert in_checkout() and build_folder() == ROOT / "build"
    monkeypatch.setattr(folders, "in_checkout", lambda: False)
    assert build_folder() == tmp_path / "tilepath" / "build"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert build_folder() == tmp_path / "home" / ".cache" / "tilepath" / "build"
    monkeypatch.setenv("TILEPATH_BUILD", str(tmp_path / "shared"))
    assert build_folder() == tmp_path / "shared"


# -- C that the bench generates: found again, and compiled anew where it is damaged


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

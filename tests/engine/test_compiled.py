# SPDX-License-Identifier: Apache-2.0
"""Compiled loops: found by content, not after a change; how they take and give streams."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from tilepath.engine.compiled import compiled_io, jit_cache
from tilepath.engine.compiled.compiled_io import (
    NEVER,
    LoopInputs,
    Room,
    due,
    has,
    look,
    next_cycle,
    origin,
    put,
    put_flags,
    take,
)
from tilepath.engine.compiled.records import Records, record
from tilepath.engine.description.boundary import Boundary, Fault, Field, Origin, Stream, flags
from tilepath.engine.description.cycle_model import CompiledCycleModel, CycleModel
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


# -- streams of a boundary as loops of the models take and give them


FAULTS: Final = tuple(Fault(name, "fault", k, "") for k, name in enumerate(("odd", "late", "lost")))
BOUNDARY: Final = Boundary(
    "of_a_test",
    (
        Stream("pack", "input", fields=(Field("word", 32),)),
        Stream("flop", "input", "level", (Field("value", 8),)),
        Stream("issue", "input", fields=(Field("word", 32),), copies=3),
        Stream("fault", "output", fields=flags(FAULTS), copies=3),
        Stream("conflict", "output", fields=(Field("where", 2),)),
    ),
    FAULTS,
)


def records(stream: str, *cycles: int) -> Records:
    """Records of an input in these cycles."""
    found = np.zeros(len(cycles), BOUNDARY.table[stream].dtype)
    found["cycle"] = cycles
    return found


def test_what_is_not_taken_stays_for_the_next_block() -> None:
    inputs = LoopInputs(BOUNDARY)
    given = {"flop": records("flop", 3, 5), "t1.issue": records("t1.issue", 4)}
    rows = inputs.rows(inputs.checked(given, 0, 10))
    assert not has(rows.flop, 2) and has(rows.flop, 3) and look(rows.flop).cycle == 3
    assert take(rows.flop).cycle == 3
    assert (due(rows.flop), due(rows.issue[1]), due(rows.issue[0])) == (5, 4, NEVER)
    rows = inputs.rows(inputs.checked({"flop": records("flop", 12)}, 10, 20))
    taken = []
    for each in (rows.flop, rows.flop, rows.issue[1]):
        cycle = take(each).cycle
        taken.append((int(cycle), Origin.decode(int(origin(each)), BOUNDARY.inputs)))
    assert taken == [(5, Origin("flop", 1)), (12, Origin("flop", 2)), (4, Origin("t1.issue", 0))]


@pytest.mark.parametrize("far", [9, 1 << 21], ids=["near", "far"])
def test_the_next_cycle_is_that_of_any_input(far: int) -> None:
    inputs = LoopInputs(BOUNDARY)
    given = {"flop": records("flop", 3, far), "pack": records("pack", 3, 7)}
    rows = inputs.rows(inputs.checked(given, 0, far + 1))
    assert [next_cycle(rows, cycle) for cycle in (0, 3, 4, 8, far + 1)] == [3, 3, 7, far, NEVER]
    assert next_cycle(inputs.rows(inputs.checked({}, far + 1, far + 2)), 0) == 3  # none was taken


def test_what_is_put_is_taken_once() -> None:
    room = Room(BOUNDARY, 4)
    out = room.outputs()
    put_flags(out.fault[2], 6, 0b101, 17)
    put(out.conflict[0], 7, 18).where = 3
    found = room.taken()
    names = [field.name for field in BOUNDARY.table["t2.fault"].fields]
    assert [int(found["t2.fault"][0][name]) for name in names] == [1, 0, 1]
    assert found["t2.fault"][["cycle", "origin"]].tolist() == [(6, 17)]
    assert found["conflict"][["cycle", "where", "origin"]].tolist() == [(7, 3, 18)]
    assert list(found) == [*BOUNDARY.outputs]
    assert sum(map(len, found.values())) == 2 and not any(map(len, room.taken().values()))


def test_a_name_stands_for_the_same_fields_always() -> None:
    """A compiled loop that is kept finds its tuple by that name."""
    LoopInputs(BOUNDARY)
    with pytest.raises(AssertionError, match="of_a_test_rows has had other fields"):
        compiled_io._tuple("of_a_test_rows", ("other",))


# events and levels of one field and of two, one of them wide; and an event without any
_SUMS: Final = Boundary(
    "sums",
    (
        Stream("add", "input", "event", (Field("one", 8), Field("wide", 40))),
        Stream("scale", "input", "level", (Field("value", 4),)),
        Stream("clear", "input", "event"),
        Stream("sum", "output", "event", (Field("value", 32),)),
        Stream("seen", "output", "level", (Field("wide", 40), Field("count", 8))),
    ),
)


class _Loop(CompiledCycleModel):
    """Scaled sums; and as registers the last wide value, how many since the last clear."""

    boundary = _SUMS
    held = record(wide=(np.int64, 2), count_=np.int64)

    @staticmethod
    def loop(state: Records, given: Records, made: Records) -> None:
        """All cycles; not compiled."""
        held = state[0]
        for now, out in zip(given, made, strict=True):
            out.seen_wide, out.seen_count = held.wide, held.count_
            out.sum_, out.sum_value = now.add, (now.add_one + now.add_wide[0]) * now.scale
            held.wide[:] = now.add_wide if now.add else held.wide
            held.count_ = 0 if now.clear else held.count_ + now.add


class _Called(CycleModel):
    """The same, called cycle by cycle."""

    boundary = _SUMS
    seen: Any = (None, 0)

    def cycle(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """A cycle; a level that is left out stays."""
        out = {"seen": self.seen} if self.seen[1] or given["scale"] == 4 else {}
        wide, count = self.seen
        if given["add"] is not None:
            one, wide = given["add"]
            out["sum"], count = (one + (wide & 0xFFFF_FFFF)) * given["scale"], count + 1
        self.seen = wide, 0 if given["clear"] else count
        return out


@pytest.mark.parametrize("made", [_Loop, _Called])
@pytest.mark.parametrize("cut", range(8))
def test_a_loop_over_cycles_is_a_model_that_is_called_each_cycle(made: type, cut: int) -> None:
    """A run may be cut anywhere; what came last, the last of the inputs, is the origin."""
    rows = {
        "add": [(1, 2, (5, 1)), (4, 7, (6, 3))],
        "scale": [(0, 3), (5, 4)],
        "clear": [(4,)],
    }
    model, found = made(), {"sum": [], "seen": []}
    for begin, end in ((0, cut), (cut, cut), (cut, 8)):
        inputs = {}
        for name, each in rows.items():
            dtype = _SUMS.table[name].dtype
            some = [row for row in each if begin <= row[0] < end]
            inputs[name] = np.zeros(len(some), dtype)
            for field, values in zip(dtype.names or (), zip(*some, strict=True), strict=False):
                inputs[name][field] = values
        for name, records_ in model.step(inputs, end).items():
            found[name] += records_.tolist()
    assert found["sum"] == [(1, 21, 0), (4, 39, 2)]
    seen = [(cycle, wide.tolist(), *rest) for cycle, wide, *rest in found["seen"]]
    assert seen == [(2, [5, 1], 1, 0), (5, [6, 3], 0, 257)]


class _Counter(CycleModel):
    """Nothing goes in; what comes out has a name that Python has a use for."""

    boundary = Boundary("counter", (Stream("in", "output", "level", (Field("value", 8),)),))

    def cycle(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """One more every cycle but the first."""
        self.count = getattr(self, "count", -1) + 1
        assert not given
        return {"in" if self.count < 4 else "out": self.count}


def test_a_model_without_inputs() -> None:
    model = _Counter()
    assert model.step({}, 4)["in"].tolist() == [(n, n, -1) for n in (1, 2, 3)]
    with pytest.raises(ValueError, match=r"gave .out.; there are: in"):
        model.step({}, 5)


def test_columns_of_one_name_are_refused() -> None:
    class Twice(_Loop):
        boundary = Boundary(
            "x", (Stream("a", "input", fields=(Field("b"),)), Stream("a_b", "input"))
        )

    with pytest.raises(ValueError, match="a_b: another stream has a column a_b, too"):
        Twice()

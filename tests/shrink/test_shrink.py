# SPDX-License-Identifier: Apache-2.0
"""``tilepath shrink``: what is left of failing runs, how it ends, what it refuses."""

from __future__ import annotations

import json
import re
import shutil
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import pytest

from tilepath.engine.commands.report import make_console
from tilepath.engine.commands.shrink import items
from tilepath.engine.commands.shrink.command import _failed, _reduced, _Tries, written
from tilepath.engine.commands.shrink.items import One, as_played, bits, kind, program, values
from tilepath.engine.commands.shrink.reduce import Fails, Reduction, Spent
from tilepath.engine.description.registry import load_block, with_files
from tilepath.engine.host.run import RunRequest, RunResult, run
from tilepath.sequences.frontend.programs import PROGRAMS
from tilepath.tests.cli.fakes import invoke
from tilepath.tests.commands import passed, python, refused
from tilepath.tests.planted import SIM, Edit, changed_rtl

CORE = load_block("frontend").player_table["t0.core"]


def ones(*words: int) -> list[One]:
    return [One("t0.core", (0, word)) for word in words]


def of(block: str, name: str, **fields: object) -> list[One]:
    """Items of a player, from their fields."""
    words = load_block(block).player_table[name].pack(**fields)  # type: ignore[arg-type]
    return [One(name, tuple(map(int, one)), place) for place, one in enumerate(words)]


def of_bits(one: One, bits: Iterable[tuple[str, int]]) -> One:
    return one._replace(words=(0, sum(bit for _, bit in bits)))


def reduction(
    items: Sequence[One],
    fails: Fails,
    jobs: int = 1,
    seconds: float = 60,
    bits: Sequence[int] = (),
    kind: Callable[[One], int] = lambda _: 0,
) -> Reduction:
    """Items may lose these ``bits`` of theirs."""

    def had(one: One) -> list[tuple[str, int]]:
        return [("word", bit) for bit in bits if one.words[1] & bit]

    return Reduction(items, fails, kind, had, of_bits, seconds, lambda _: None, jobs)


def reduced(items: Sequence[One], fails: Fails, jobs: int = 1, **more: Any) -> Reduction:
    found = reduction(items, fails, jobs, **more)
    found.reduce()
    return found


WORD: Final = [1 << bit for bit in range(16)]


def test_what_does_not_matter_is_left_out() -> None:
    """Of a hundred words it takes two, in their order, and of these one needs one bit only."""

    def fails(some: Sequence[One]) -> bool:
        words = [one.words[1] for one in some]
        return 67 in words and any(word >= 12 for word in words[: words.index(67)])

    alone, four = (reduced(ones(*range(100)), fails, jobs, bits=WORD) for jobs in (1, 4))
    assert alone.best in ([*ones(n, 67)] for n in (16, 32, 64))
    assert four.best == alone.best and four.tried == alone.tried


def test_the_last_items_are_tried_first() -> None:
    """Long runs cost most: 3 of 10,000 items, the first one among them, take few tries."""

    def fails(some: Sequence[One]) -> bool:
        words = [one.words[1] for one in some]
        assert len(words) < 300
        return {0, 9990, 9999} <= {*words}

    found = reduced(ones(*range(10_000)), fails)
    assert found.best == ones(0, 9990, 9999) and found.tried < 60


@pytest.mark.parametrize(
    ("some", "kind", "needed", "left"),
    [
        # ten phases of fifty items, in which two in the middle matter
        (
            [One(f"t{n % 2}.core", (0, n), n, n // 50 * 50) for n in range(500)],
            lambda one: 0,
            (260, 299),
            lambda tried: {one.behind for one in tried} == {250},
        ),
        # ten kinds, the items of which alternate, and two of which matter
        (
            [One("t0.core", (0, n), n) for n in range(500)],
            lambda one: one.words[1] % 10,
            (263, 298),
            lambda tried: {one.words[1] % 10 for one in tried} == {3, 8} and len(tried) > 10,
        ),
    ],
)
def test_phases_and_kinds_are_left_out_before_items(
    some: list[One],
    kind: Callable[[One], int],
    needed: tuple[int, int],
    left: Callable[[Sequence[One]], bool],
) -> None:
    tried: list[Sequence[One]] = []
    best = [some[place] for place in needed]

    def fails(items: Sequence[One]) -> bool:
        tried.append(items)
        return {*best} <= {*items}

    assert reduced(some, fails, kind=kind).best == best and any(map(left, tried[:40]))


def test_so_many_are_asked_at_once() -> None:
    together = threading.Barrier(3)

    def fails(_: Sequence[One]) -> bool:
        together.wait(60)
        return False

    found = reduction(ones(9), fails, jobs=3)
    assert found._first(map(ones, (1, 2, 3))) is None
    assert found.tried == 3 and found.best == ones(9)


def test_items_wait_for_what_is_left() -> None:
    """Without the first of three items the wait for all three is one for two."""
    for block, other in (("control", "risc"), ("flag_pipe", "core1.cmd"), ("unpack", "cfg")):
        described = load_block(block)
        player = described.player_table[other]
        assert player.waits is not None
        source = player.waits.sources[other]
        some = of(block, other, after_source=source, after_count=[0, 0, 0, 3])
        for kept, left in ((some[1:], 2), (some[3:], 0)):
            (*_, last) = as_played(kept, described)
            assert values(last, player).get("after_count", 0) == left
            assert values(last, player).get("after_source", 0) == (source if left else 0)


def test_items_wait_for_what_is_left_of_all_players() -> None:
    """Three phases, each of which waits for all items of those before."""
    block = load_block("unpack")
    issue = block.player_table["t0.issue"]
    assert issue.waits is not None
    all_done = issue.waits.everyone
    (begun,) = of("unpack", "cfg")
    waiting = of("unpack", "t0.issue", after_source=all_done, after_count=[3, 4])
    second, third = (one._replace(behind=one.place + 3) for one in waiting)
    some = [begun._replace(place=1), begun._replace(place=2), second, third]
    left = as_played(some, block)
    assert [values(one, issue)["after_count"] for one in left[2:]] == [2, 3]
    assert values(as_played(some[3:], block)[0], issue) == {}


def test_players_that_do_not_matter_are_left_out_first() -> None:
    some = [*ones(1), *(One("t1.core", (0, n)) for n in range(500))]
    found = reduced(some, lambda items: any(one.player == "t0.core" for one in items), bits=WORD)
    assert found.best == ones(0) and found.tried < 8


def test_a_budget_keeps_the_least_so_far() -> None:
    found = reduction(ones(*range(9)), lambda _: True, seconds=-1)
    with pytest.raises(Spent):
        found.reduce()
    assert found.best == ones(*range(9))
    slow = reduction(ones(1, 2), lambda _: bool(time.sleep(2)), seconds=0.2)
    with pytest.raises(Spent):
        slow.reduce()
    assert len(slow.asked) == 1  # for whoever ends it


def test_bits_of_items() -> None:
    (one,) = of("frontend", "t0.core", gap=3, push=1, word=0b101)
    one = one._replace(place=7)
    had = bits(one, CORE)
    assert had == [("gap", 0, 1), ("gap", 0, 0), ("push", 0, 0), ("word", 0, 2), ("word", 0, 0)]
    assert items.of_bits(one, CORE, had) == one
    left = items.of_bits(one, CORE, had[2:4])
    assert values(left, CORE) == {"push": 1, "word": 4} and left.place == 7
    gate = load_block("frontend").player_table["t0.gate"]
    (level,) = of("frontend", "t0.gate", cycles=7, ready=1)
    assert values(items.of_bits(level, gate, [("ready", 0, 0)]), gate) == {"cycles": 1, "ready": 1}
    cmd = load_block("flag_pipe").player_table["core1.cmd"]
    fields = {name: value | 1 for name, value in cmd.unpack(cmd.pack(gap=1)).items()}
    (whole,) = of("flag_pipe", "core1.cmd", **fields)  # long fields, too
    assert items.of_bits(whole, cmd, bits(whole, cmd)) == whole


def test_kinds_are_what_the_block_says() -> None:
    block = load_block("control")
    (init,) = of("control", "t0.issue", word=2737898492)
    assert kind(init, block) == ("SEMINIT",)
    (write,) = of("control", "stream", stream=1, register=29)
    assert kind(write, block) == ("stream", "stream", "register")


def test_a_program_beside_the_test(tmp_path: Path) -> None:
    """It has every item, or is not there: the front end's programs cannot say ``sfpu_cc``."""
    block, path = load_block("frontend"), tmp_path / "least.py"
    core = of("frontend", "t0.core", push=[0, 1], mopcfg=[1, 0], word=[0, 0x1230000], gap=[0, 3])
    more = of("frontend", "t1.brisc", word=5, safe=[1, 0], gap=2)
    some = [*core, *more, *of("frontend", "t1.gate", cycles=[3, 4], ready=[0, 1])]
    assert written(block, path, "all", some, "baseline") == (path, tmp_path / "least.tt")
    played = PROGRAMS.load(tmp_path / "least.tt", "baseline").players
    assert {name: len(items) for name, items in played.items()} == {
        **{"t0.core": 2, "t1.brisc": 2},
        "t1.gate": 2,
    }
    assert (played["t0.core"] == [one.words for one in core]).all()
    busy = of("frontend", "sfpu_cc", cycles=3, busy=1)
    assert written(block, path, "all", [*some, *busy], "baseline") == (path,)
    both = of("frontend", "t0.core", push=1, mopcfg=1)
    unset = of("frontend", "t0.core", sync=1, word=3)  # a line cannot say what is not pushed
    for other in (both, unset):
        assert program(block, "", other, "baseline") == ""
    assert program(load_block("adc"), "", of("adc", "t0.issue", word=5), "baseline") == ""
    waiting = of("pack", "cfg", after_source=14, after_count=1)  # for more than programs know
    assert program(load_block("pack"), "", waiting, "baseline") == ""


def test_a_program_of_control() -> None:
    block = load_block("control")
    waits = {"after_source": [2, 4, 6], "after_count": [1, 2, 0], "after_limit": [0, 0, 3]}
    some = [
        *of("control", "t1.issue", word=[0x58805EDC, 0xA1000003, 0x2000000], **waits),
        *of("control", "risc", address=5, write=[1, 0], data=[7, 0]),
        *of("control", "risc_sem", index=5, write=[1, 1, 0], get=[1, 0, 0]),
        *of("control", "stream", stream=1, register=29, data=4, gap=6),
    ]
    text = program(block, "all", some, "baseline")
    for line in ("wait issue 1 1", "wait cores 2", "wait below 0 3", "get 5", "write 1 29 0x4"):
        assert f"\n{line}\n" in text
    assert program(block, "", of("control", "work", cycles=1), "baseline") == ""


def test_what_comes_late_is_found_in_longer_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """At the end of a short block it looks lost, which is another signature."""

    def ran(_: object, length: int = 0) -> Any:
        return SimpleNamespace(signature="late" if length == 1024 else "lost", run_dir=None)

    def fails(some: object, wanted: str) -> bool:
        return ran(some).signature == wanted

    tries: Any = SimpleNamespace(run=ran, fails=fails, block=load_block("frontend"))
    left = of("frontend", "t0.core", push=1)
    monkeypatch.setattr(items, "stored", lambda *_: left)
    for lengths, best in (((64, 1024), left), ((64,), None)):
        found = _reduced(tries, [*left, *left], ("late", lengths), 60, 1, make_console())
        assert found[0] == best


def ran(folder: Path, test: str, seed: int, cycles: int, wrong: Edit) -> RunResult:
    """A run of RTL with something wrong in it."""
    block = "adc" if wrong[0].startswith("adc") else "flag_pipe"
    root = changed_rtl(folder / "source", block, [wrong])
    request = RunRequest(block, test, seed, SIM, cycles=cycles, out_dir=folder / "runs")
    return run(replace(request, source_root=root, build_root=folder / "build"))


@pytest.fixture(scope="module")
def failed(tmp_path_factory: pytest.TempPathFactory) -> RunResult:
    """A run of ``adc`` in which the last thread writes a checkpoint of the wrong channel."""
    right = "{live1, cr1} = applied(live1, cr1, change1_i[T2]);"
    wrong = ("adc_group.sv", right, right.replace("live1, cr1,", "live1, cr0,"))
    result = ran(tmp_path_factory.mktemp("shrink"), "random", 7, 4096, wrong)
    assert result.status == "fail"
    return result


def test_an_event_too_many(failed: RunResult) -> None:
    """A change that is not expected is told as such, and nothing behind it is its cause."""
    assert failed.message.startswith("t2.unpacker1 event 1, cycle 3: extra: the RTL has an event ")
    assert failed.report is not None and failed.signature == "target counter differs"
    table, _, causes = failed.report.read_text().partition("caused by: not known (the model ")
    assert [row.split()[0] for row in table.split("\n\n")[1].splitlines()[1:]] == ["cycle", "x1_cr"]
    cycles = [int(cycle) for cycle in re.findall(r"event \d+: cycle (\d+)", causes)]
    assert max(cycles) == 2 and "t2.issue event 1: cycle 2" in causes


def test_a_candidate_ends_soon(failed: RunResult, tmp_path: Path) -> None:
    """A little behind the cycle in which the run failed; nothing stays of it but the verdict."""
    request, wanted, _lengths, cycles = _failed(failed.run_dir)
    outcome = json.loads((failed.run_dir / "outcome.json").read_text())
    assert 128 <= cycles - outcome["mismatch_cycle"] < 4096
    block = load_block("adc")
    mended = replace(request, source_root=None, build_root=None)
    tries = _Tries(mended, block, tmp_path, 100)
    every = items.stored(failed.run_dir, block)
    with with_files([tries.played]):
        result = tries.run(every)
        assert (result.status, result.cycles) == ("pass", 128), result.message
        assert not tries.fails(every, wanted)
    assert [path.name for path in tmp_path.glob("runs/adc/*")] == [result.run_dir.name]


def test_a_run_that_an_assertion_ended(tmp_path: Path) -> None:
    """It has no outcome: the assertion is its signature. Whatever is refused goes on."""
    done = "wire logic done = state_q == Done && err_q == Ok;"
    err = done.replace("Ok;", "Ok || state_q == Done && err_q == FreeEmpty;")
    failed = ran(tmp_path, "random_errors", 5, 2048, ("pipe_core.sv", done, err))
    assert not (failed.run_dir / "outcome.json").exists(), failed.message
    out = tmp_path / "least.py"
    command = ("-m", "tilepath", "shrink", failed.run_dir, "--out", out, "--seconds", "600")
    text = passed(python(*command))
    assert "an error of core" in text and "core" in out.read_text()
    (left,) = re.findall(r" (\d+) of \d+ items; nothing more can be left out", text)
    assert int(left) < 10
    (failed.run_dir / "block_cycles").unlink()
    refused(python(*command), "block_cycles")


def test_one_instruction_is_left(failed: RunResult, tmp_path: Path) -> None:
    out = tmp_path / "least.py"
    command = ("-m", "tilepath", "shrink", failed.run_dir, "--out", out, "--seconds", "300")
    text = passed(python(*command))
    assert f"{failed.signature}: 1 of " in text
    assert "t2.issue {" in text and f"again: tilepath run --tests {out}" in text
    # with the RTL as it is the test that is left passes
    passed(
        python("-m", "tilepath", "run", "--tests", out, "--sim", SIM, "--out", tmp_path / "runs")
    )


_INTERRUPTED: Final = """
import signal
from tilepath.cli.main import main
from tilepath.engine.commands.shrink import command
say = command.say
def interrupted(console, *lines):
    say(console, *lines)
    if " items, " in lines[0]:  # of a fast machine all would be over before a signal from outside
        signal.raise_signal(signal.SIGINT)
command.say = interrupted
main()
"""


def test_ctrl_c_keeps_the_least_so_far(failed: RunResult, tmp_path: Path) -> None:
    out = tmp_path / "least.py"
    text = passed(python("-c", _INTERRUPTED, "shrink", failed.run_dir, "--out", out))
    assert "; interrupted" in text and "t2.issue" in out.read_text()


def test_bad_input(failed: RunResult, tmp_path: Path) -> None:
    good = run(RunRequest("adc", "vectors", 1, SIM, out_dir=tmp_path / "good"))
    lost = Path(shutil.copytree(failed.run_dir, tmp_path / "lost"))
    (lost / "outcome.json").unlink()
    for arguments, says in (
        ((tmp_path,), "is not the directory of a run"),
        ((failed.run_dir, "--out", tmp_path / "x.txt"), "is called .py"),
        ((failed.run_dir, "--seconds", "0"), "0"),
        ((good.run_dir,), "holds a run that did not fail"),
        ((lost,), "holds no run that came to an end"),
    ):
        refused(invoke("shrink", *arguments), says)


def test_a_run_that_fails_no_more(failed: RunResult, tmp_path: Path) -> None:
    """As where the RTL has been mended since: here its folder names the RTL as it is."""
    folder = Path(shutil.copytree(failed.run_dir, tmp_path / "runs" / "adc" / "random-7"))
    request = json.loads((folder / "request.json").read_text())
    mended = request | {"source_root": None, "build_root": None}
    (folder / "request.json").write_text(json.dumps(mended))
    out = tmp_path / "least.py"
    done = python("-m", "tilepath", "shrink", folder, "--out", out)
    refused(done, "does not fail alike when its items are played again")
    assert not out.exists()

# SPDX-License-Identifier: Apache-2.0
"""Requests, results and their files; seeds."""

from __future__ import annotations

import datetime
import json
import shutil
import socket
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tilepath import __version__
from tilepath.engine.description.block import ROOT
from tilepath.engine.description.seeds import derive
from tilepath.engine.description.stimulus import Context
from tilepath.engine.host.origin import now, origin
from tilepath.engine.host.request import (
    KEEP_CYCLES,
    STARTED_BY_VARIABLE,
    RunRequest,
    RunResult,
    write_json,
)
from tilepath.engine.host.start import START_LIMIT

REQUEST = RunRequest("fake", "walk", 7, "verilator")
_origin = origin.__wrapped__  # not what it said the first time


def result(folder: Path) -> RunResult:
    return RunResult(
        *("fake", "walk", (1 << 64) - 1, "icarus", "blackhole", "fail", 100, 20, 1.5, "why"),
        run_dir=folder,
        command="make …",
        report=folder / "report.txt",
    )


# -- requests


def test_lengths() -> None:
    assert REQUEST.endless_cycles > replace(REQUEST, sim="icarus").endless_cycles
    short, long = replace(REQUEST, cycles=100), replace(REQUEST, cycles=10_000_000)
    assert short.endless_cycles == 100
    assert short.keeps_trace and not long.keeps_trace
    assert replace(REQUEST, cycles=KEEP_CYCLES).keeps_trace
    assert short.cycles_per_block(endless=True) < long.cycles_per_block(endless=True)
    assert replace(REQUEST, block_cycles=17).cycles_per_block(endless=False) == 17


@pytest.mark.parametrize(
    ("more", "options", "made"),
    [
        ({}, "", ""),
        (
            {"profile": "blackhole", "cycles": 5},
            *(" --profile blackhole --cycles 5", " PROFILE=blackhole CYCLES=5"),
        ),
        ({"start": 99}, " --start 99", " START=99"),
        (
            {"knobs": ("a=b:3", "pace=none"), "where": 'a <= 3 and b == "c"'},
            " --knob a=b:3 --knob pace=none --where 'a <= 3 and b == \"c\"'",
            " KNOBS='a=b:3 pace=none' WHERE='a <= 3 and b == \"c\"'",
        ),
    ],
)
def test_the_command_repeats_what_is_not_default(
    more: dict[str, Any], options: str, made: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the words of who typed ``tilepath`` or ``make``."""
    monkeypatch.delenv(STARTED_BY_VARIABLE, raising=False)
    request = replace(REQUEST, **more)
    usual = "tilepath run --sim verilator --block fake --test walk --seed 7"
    assert request.command == usual + options
    monkeypatch.setenv(STARTED_BY_VARIABLE, "make")
    assert request.command == "make SIM=verilator BLOCK=fake TEST=walk SEED=7" + made


@pytest.mark.parametrize(
    ("field", "values", "says"),
    [
        ("seed", (-1, 1 << 64), "is not an unsigned number of 64 bits"),
        ("cycles", (0, -3), "is not a positive number"),
        ("start", (-1, 0, START_LIMIT), "is not a positive number of 31 bits"),
    ],
)
def test_numbers_have_their_range(field: str, values: tuple[int, ...], says: str) -> None:
    for value in values:
        with pytest.raises(ValueError, match=f"{field} {value} {says}"):
            replace(REQUEST, **{field: value})  # type: ignore[arg-type]
    assert replace(REQUEST, seed=(1 << 64) - 1, cycles=1, start=START_LIMIT - 1).seed


@pytest.mark.parametrize(
    "request_",
    [
        REQUEST,
        replace(
            REQUEST,
            seed=(1 << 64) - 1,
            cycles=9,
            source_root=Path("a"),
            build_root=Path("b"),
            wave_window=(3, 9),
            check=False,
        ),
    ],
)
def test_request_round_trip(request_: RunRequest, tmp_path: Path) -> None:
    request_ = replace(request_, out_dir=tmp_path)
    request_.run_dir.mkdir(parents=True)
    path = request_.run_dir / "request.json"
    request_.write_json(path)
    assert RunRequest.from_json(path) == request_
    assert [p.name for p in request_.run_dir.iterdir()] == ["request.json"]
    # an older version said whether waves were to be made where a run failed
    path.write_text(json.dumps({**json.loads(path.read_text()), "rerun_for_waves": True}))
    assert RunRequest.from_json(path) == request_


def test_copied_results_speak_of_themselves(tmp_path: Path) -> None:
    request_ = replace(REQUEST, out_dir=tmp_path / "first")
    request_.run_dir.mkdir(parents=True)
    request_.write_json(request_.run_dir / "request.json")
    files = {name: request_.run_dir / name for name in ("coverage_file", "report")}
    replace(result(request_.run_dir), **files).write_json()
    copied = shutil.copytree(tmp_path / "first", tmp_path / "second") / "fake" / "walk-7"
    assert str(tmp_path) not in "".join(path.read_text() for path in copied.iterdir())
    assert RunRequest.from_json(copied / "request.json").run_dir == copied
    found = RunResult.from_json(copied / "result.json")
    assert (found.run_dir, found.coverage_file) == (copied, copied / "coverage_file")
    assert (found.report, found.waves) == (copied / "report", None)


# -- files that are none


def damaged(good: dict[str, Any]) -> list[str]:
    """Texts that are not the stored form of anything."""
    first = next(iter(good))
    short = {key: value for key, value in good.items() if key != first}
    return ["", "{", "[]", "7", "null", '"text"', "{}", json.dumps(short), "\xff"]


Stored = type[RunRequest] | type[RunResult]


def stored(kind: Stored, folder: Path) -> tuple[Path, dict[str, Any]]:
    """A file of that kind, and what is in it."""
    path = folder / ("request.json" if kind is RunRequest else "result.json")
    if kind is RunRequest:
        REQUEST.write_json(path)
    else:
        result(folder).write_json()
    return path, json.loads(path.read_text())


def refuses(kind: Stored, path: Path) -> None:
    what = "run request" if kind is RunRequest else "result"
    with pytest.raises(ValueError, match=rf"{path.name} is not a stored {what}: ") as caught:
        kind.from_json(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kind", [RunRequest, RunResult])
@pytest.mark.parametrize("place", range(9))
def test_bad_files(place: int, kind: Stored, tmp_path: Path) -> None:
    path, good = stored(kind, tmp_path)
    path.write_bytes(damaged(good)[place].encode("latin-1"))
    refuses(kind, path)


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        (RunRequest, {"seed": "7"}),
        (RunRequest, {"seed": -1}),
        (RunRequest, {"cycles": "9"}),
        (RunRequest, {"wave_window": 5}),
        (RunRequest, {"colour": 1}),
        (RunResult, {"coverage_file": "/etc/hosts"}),
        (RunResult, {"coverage_file": "../other/coverage.json"}),
    ],
)
def test_bad_values(kind: Stored, change: dict[str, Any], tmp_path: Path) -> None:
    path, good = stored(kind, tmp_path)
    path.write_text(json.dumps(good | change))
    refuses(kind, path)


@pytest.mark.parametrize("kind", [RunRequest, RunResult])
def test_missing_files(kind: Stored, tmp_path: Path) -> None:
    refuses(kind, tmp_path / "none.json")


def test_results_are_read_those_of_earlier_versions_too(tmp_path: Path) -> None:
    written = replace(result(tmp_path), start=99)
    written.write_json()
    path = tmp_path / "result.json"
    assert RunResult.from_json(path) == written
    data = json.loads(path.read_text())
    del data["began"], data["origin"], data["start"]
    path.write_text(json.dumps(data))
    assert RunResult.from_json(path) == result(tmp_path)


def test_a_result_says_where_it_comes_from() -> None:
    found = origin("verilator")
    assert found["versions"]["tilepath"] == __version__
    assert found["versions"]["numpy"] == np.__version__
    assert found["versions"]["cocotb"].startswith("2.") and found["versions"]["pyuvm"]
    assert "verilator" in found["tools"][0]
    assert found["host"] == socket.gethostname() and found["system"]
    assert datetime.datetime.fromisoformat(now()).utcoffset() == datetime.timedelta(0)
    json.dumps(found)


def test_without_git_or_its_folder_there_is_no_revision(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tilepath.engine.host.origin.ROOT", tmp_path)
    monkeypatch.setattr("tilepath.engine.host.origin.in_checkout", lambda: True)
    assert (_origin("verilator")["revision"], _origin("verilator")["modified"]) == ("", False)
    monkeypatch.setattr("tilepath.engine.host.origin.ROOT", ROOT)
    monkeypatch.setattr("tilepath.engine.host.origin.tools", lambda _sim: ())
    monkeypatch.setenv("PATH", str(tmp_path))
    assert (_origin("verilator")["revision"], _origin("verilator")["modified"]) == ("", False)


@pytest.mark.skipif(not shutil.which("git"), reason="makes a repository: needs git")
def test_the_revision_is_that_of_the_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tilepath.engine.host.origin.ROOT", tmp_path)
    monkeypatch.setattr("tilepath.engine.host.origin.in_checkout", lambda: True)
    (tmp_path / "file").touch()
    who = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    for command in (["init", "-q"], ["add", "file"], [*who, "commit", "-qm", "one"]):
        subprocess.run(["git", "-C", str(tmp_path), *command], check=True)
    assert len(_origin("verilator")["revision"]) == 40
    assert not _origin("verilator")["modified"]
    (tmp_path / "file").write_text("changed")
    assert _origin("verilator")["modified"]


def test_json_is_there_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "some.json"
    write_json(path, {"a": Path("x")})
    loop: dict[str, Any] = {}
    loop["self"] = loop
    with pytest.raises(ValueError, match="Circular"):
        write_json(path, loop)
    assert json.loads(path.read_text()) == {"a": "x"}
    assert [p.name for p in tmp_path.iterdir()] == ["some.json"]


# -- seeds


def draws(seed: int, *names: str) -> list[int]:
    return derive(seed, *names).integers(0, 1 << 62, 8).tolist()


def test_draws_depend_on_seed_and_names_alone() -> None:
    assert draws(1, "a", "b") == draws(1, "a", "b")
    all_of = [draws(seed, *names) for seed in (0, 1, 1 << 63) for names in ((), ("a",), ("b",))]
    all_of += [draws(1, "a", "b"), draws(1, "b", "a"), draws(11), draws(1, "1")]
    assert len({tuple(some) for some in all_of}) == len(all_of)


def test_a_seed_means_the_same_in_every_version() -> None:
    raw = derive(1, "frontend").bit_generator.random_raw(2)
    assert [int(word) for word in raw] == [0xDC36CF82B90FCB63, 0xE4EFFE5503460E03]


def test_streams_of_a_test_do_not_disturb_each_other() -> None:
    context = Context("fake", "walk", 3, "baseline", 100)
    alone = context.rng("t0").random(5)
    other = context.rng("t1")
    other.random(1000)
    assert np.array_equal(context.rng("t0").random(5), alone)
    assert not np.array_equal(context.rng("t1").random(5), alone)
    elsewhere = replace(context, test="run").rng("t0").random(5)
    assert not np.array_equal(elsewhere, alone)

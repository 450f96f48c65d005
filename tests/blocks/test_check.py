# SPDX-License-Identifier: Apache-2.0
"""A stored run is checked again: what is on disk now counts, not what was said of it then."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from tilepath.engine.checking.stored import check_run
from tilepath.engine.description.registry import load_block
from tilepath.engine.host.run import RunRequest
from tilepath.isa.profiles import readings
from tilepath.tests.cosim_runs import FAST, simulate

STREAMS = load_block("frontend").stream_table


@pytest.fixture(scope="module")
def passed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that passed."""
    folder = tmp_path_factory.mktemp("passed")
    request = RunRequest("frontend", "vectors", 1, FAST, out_dir=folder, block_cycles=1000)
    return simulate(request)


@pytest.fixture
def stored(passed: Path, tmp_path: Path) -> Path:
    """A copy of it, to be spoiled."""
    return Path(shutil.copytree(passed, tmp_path / "run"))


def change(path: Path, **values: object) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


def flip(run_dir: Path, stream: str, event: int, field: str, bit: int = 0) -> int:
    """Flip a bit of a field of a stored record; the record's cycle."""
    path = run_dir / "trace" / f"{stream}.bin"
    dtype = STREAMS[stream].dtype
    records = np.frombuffer(path.read_bytes(), dtype).copy()
    records[field][event] ^= np.uint32(1 << bit)
    path.write_bytes(records.tobytes())
    return int(records["cycle"][event])


def test_pass(stored: Path) -> None:
    result = check_run(stored)
    assert (result.status, result.message) == ("pass", "")
    outcome = json.loads((stored / "outcome.json").read_text())
    assert result.events == outcome["events"] > 0


def test_what_the_outcome_says_does_not_matter(stored: Path) -> None:
    change(stored / "outcome.json", status="fail", events=0, message="no")
    assert check_run(stored).status == "pass"


@pytest.mark.parametrize(
    ("name", "left", "says"),
    [
        *(
            (f"trace/{stream}.bin", None, f"{stream}.bin cannot be read: No such file")
            for stream in ("t0.issue", "t2.push", "sfpu_cc", "t1.qstatus")
        ),
        ("trace/t0.issue.bin", slice(-1), "t0.issue.bin is truncated"),
        ("trace/t0.issue.bin", slice(0), "t0.issue.bin has 0 blocks"),
        ("stimulus/t1.core.state", slice(0), "t1.core.state has not the states of "),
        ("stimulus/t1.core.state", slice(8), "t1.core.state has not the states of "),
        ("stimulus/t0.core.0.bin", slice(-1), "t0.core.0.bin is truncated"),
        ("stimulus/t0.core.0.bin", None, "t0.core"),
    ],
)
def test_files_that_are_gone_or_cut(name: str, left: slice | None, says: str, stored: Path) -> None:
    path = stored / name
    content = path.read_bytes()
    path.unlink()
    if left is not None:
        path.write_bytes(content[left])
    result = check_run(stored)
    assert result.status == "fail" and says in result.message


def test_flipped_bit_of_an_output(stored: Path) -> None:
    cycle = flip(stored, "t0.issue", 5, "word", bit=13)
    result = check_run(stored)
    assert result.status == "fail"
    assert result.message.startswith(f"MISMATCH t0.issue event 5, cycle {cycle}: word differs\n")
    # the word is the sixth of V1a: the model knows where it came from
    assert "caused by: t0.push event" in result.message
    assert "0x26004000" in result.message and "0x26006000" in result.message


def test_flipped_bit_of_an_input(stored: Path) -> None:
    cycle = flip(stored, "t0.push", 3, "word", bit=14)
    result = check_run(stored)
    assert result.status == "fail"
    first = result.message.splitlines()[0]
    assert first.startswith("MISMATCH t0.mq event 3, cycle ") and first.endswith("word differs")
    assert int(first.split("cycle ")[1].split(":")[0]) > cycle


@pytest.mark.parametrize("stream", ["t0.issue", "t1.mq", "t2.rq", "t0.push", "t0.qstatus"])
def test_flipped_bit_of_a_cycle(stream: str, stored: Path) -> None:
    flip(stored, stream, 2, "cycle", bit=1)
    assert check_run(stored).status == "fail"


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"profile": "blackhole", "readings": readings("blackhole")}, "MISMATCH "),  # V8b: count 0
        ({"test": "random_illegal", "cycles": 100_000}, "issue had only "),
        ({"test": "matmul"}, "FAULT "),
    ],
)
def test_floors_faults_and_profile_of_the_request_hold_here_too(
    values: dict[str, object], says: str, stored: Path
) -> None:
    change(stored / "request.json", **values)
    result = check_run(stored)
    assert result.status == "fail" and result.message.startswith(says)


# -- what was sent


def test_flipped_bit_of_an_item(stored: Path) -> None:
    path = stored / "stimulus" / "t0.core.0.bin"
    player = load_block("frontend").player_table["t0.core"]
    # the file has each item from its last word on, and each word from its highest byte on
    items = np.frombuffer(path.read_bytes(), ">u4").reshape(-1, player.words)[:, ::-1].copy()
    pushes = np.flatnonzero(player.unpack(items.astype(np.uint32))["push"])
    items[pushes[3], player.layout.places["word"].word] ^= 1
    path.write_bytes(items[:, ::-1].tobytes())
    result = check_run(stored)
    assert result.status == "fail"
    assert result.message.startswith(f"STIMULUS item {pushes[3]} of t0.core was changed")


# -- folders that are no run


def refuses(folder: Path, says: str) -> None:
    with pytest.raises(ValueError, match=says) as caught:
        check_run(folder)
    assert "\n" not in str(caught.value)


def test_not_a_run(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "none"):
        refuses(folder, r"request\.json is not a stored run request")


@pytest.mark.parametrize("text", ["", "{", "[]", "7", "{}", '{"ends": 7}', '{"ends": ["x"]}'])
def test_run_without_an_end(text: str, stored: Path) -> None:
    (stored / "outcome.json").write_text(text)
    refuses(stored, "holds no run that came to an end")
    (stored / "outcome.json").unlink()
    refuses(stored, "holds no run that came to an end")


@pytest.mark.parametrize("ends", [[1000], [1000, 2000, 3000, 4000, 5000, 6000], [500, 3000]])
def test_wrong_ends(ends: list[int], stored: Path) -> None:
    change(stored / "outcome.json", ends=ends)
    assert check_run(stored).status == "fail"


@pytest.mark.parametrize(
    ("file", "values", "says"),
    [
        ("request", {"test": "gone"}, "has no test gone any more"),
        ("outcome", {"ends": []}, "holds no cycle to check"),
        ("request", {"check": False}, "kept no traces: the run was too long, or not recorded"),
        ("request", {"cycles": 10_000_000}, "kept no traces: the run was too long, or not rec"),
        ("request", {"block": "gone"}, "no block 'gone'"),
        ("request", {"block": 7}, "block"),
        ("request", {"profile": "gold"}, "unknown profile 'gold'"),
    ],
)
def test_runs_that_cannot_be_judged(
    file: str, values: dict[str, object], says: str, stored: Path
) -> None:
    change(stored / f"{file}.json", **values)
    refuses(stored, says)

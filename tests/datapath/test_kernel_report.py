# SPDX-License-Identifier: Apache-2.0
"""``tilepath kernel-report``: its sums, the trace for Perfetto, the picture, what it refuses."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from tilepath.cli.kernel_report import show_headline
from tilepath.engine.checking.stored import stored_run
from tilepath.engine.checking.tables import recorded
from tilepath.engine.checking.trace import stored_blocks
from tilepath.engine.description.registry import load_block
from tilepath.engine.drawing import LETTER
from tilepath.engine.host.run import RunRequest
from tilepath.isa.boundary.datapath import BOUNDARY, THREADS
from tilepath.tb.datapath.report import GROUPS, Report, read_report
from tilepath.tb.datapath.report_svg import draw
from tilepath.tests.cli.fakes import invoke
from tilepath.tests.commands import refused
from tilepath.tests.cosim_runs import FAST, simulate
from tilepath.tests.engine.fakes import encode

_TILES: Final = 4  # of test add1
_OF_THE_BOUND: Final = 1.1  # steady cycles, of the bound


@pytest.fixture(scope="module")
def add1(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return simulate(RunRequest("datapath", "add1", 1, FAST, out_dir=tmp_path_factory.mktemp("r")))


@pytest.fixture(scope="module")
def found(add1: Path) -> Report:
    return read_report(add1)


def _recorded(run_dir: Path, name: str) -> Any:
    return recorded(run_dir, name, BOUNDARY.table[name])


def _cycles(run_dir: Path, name: str, field: str, bits: int, end: int) -> int:
    """In which any of ``bits`` of a level is set."""
    records = _recorded(run_dir, name)
    return int(np.diff(records["cycle"].astype(int), append=end)[records[field] & bits > 0].sum())


def test_the_cycles_of_each_thread_add_up(add1: Path, found: Report) -> None:
    """To the run's; words, the address phase and latches are those that the run recorded."""
    stood = found.stood()
    assert [sum(row[t] for row in stood.values()) for t in range(THREADS)] == [found.cycles] * 3
    for thread in range(THREADS):
        of: dict[str, int] = defaultdict(int)
        for text, row in stood.items():
            of[text.partition(":")[0]] += row[thread]
        assert of["issues"] == len(_recorded(add1, f"t{thread}.dispatch"))
        assert 0 < of["latch"] <= _cycles(add1, f"t{thread}.latch", "valid", 1, found.cycles)
    held = stood["hold: address phase"][0]
    assert 0 < held <= _cycles(add1, "hold", "value", 1, found.cycles)


def test_a_tile_takes_what_its_busiest_unit_takes(found: Report) -> None:
    """Units have no more work than busy or idle cycles, and K3 comes close to the bound."""
    assert len(found.done) == _TILES and found.done[-1] < found.end <= found.cycles
    assert all(0 < unit.work.sum() <= found.end - found.begin for unit in found.units)
    work = {unit.name: unit.work.sum() for unit in found.units}
    lines = 2 * 16 * 16 * 2 // 16 * 2  # four faces of BF16
    assert work["L1 port of unpacker 0"] == work["L1 port of unpacker 1"] == _TILES * lines
    assert work["SrcA 0"] == work["SrcB 1"] == _TILES * 2 * (32 + 16)  # lines written, rows read
    assert work["Matrix Unit"] == _TILES * 92  # ELWADD 10, SETRWC 2
    steady = found.tiles.steady
    assert steady is not None
    assert steady <= _OF_THE_BOUND * found.bound[1]


def test_the_account_changes_no_record(add1: Path) -> None:
    """That of the parts and of the seams."""
    block, (request, ends) = load_block("datapath"), stored_run(add1)
    told = [block.model(request.profile) for _ in range(2)]
    told[1].keep_account()
    for part in stored_blocks(add1 / "trace", block.stream_table, ends):
        inputs = {name: part.streams[name] for name in block.inputs}
        plain, kept = (model.step(inputs, part.end) for model in told)
        assert all(np.array_equal(plain[name], kept[name]) for name in plain.keys() | kept.keys())
    assert not any(map(len, told[0].account)) and any(map(len, told[1].account))


@pytest.mark.parametrize("test", ["copy_2", "matmul"])
def test_k1_and_k5_come_close_to_the_bound(test: str, tmp_path: Path) -> None:
    found = read_report(simulate(RunRequest("datapath", test, 1, FAST, out_dir=tmp_path)))
    assert found.tiles.steady is not None
    assert found.tiles.steady <= _OF_THE_BOUND * found.bound[1]


def test_the_table_and_the_same_as_json(
    add1: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "add1.json"
    told = invoke("kernel-report", add1, "--out", path).stdout
    whole = json.loads(path.read_text())
    assert json.loads(invoke("kernel-report", add1, "--json").stdout) == whole
    assert re.search(rf" {_TILES} tiles, cycles: first [\d,]+, steady", told)
    for unit in whole["units"]:
        row = rf"^{re.escape(unit['name'])} +{unit['busy']:,} +{round(unit['bound']):,} "
        assert re.search(row, told, re.MULTILINE)
    for thread in whole["threads"]:
        assert sum(thread.values()) == whole["cycles"]
    assert f"{whole['cycles']:,}" in told.partition("the run")[2]
    show_headline(add1)
    first, last = capsys.readouterr().out.splitlines()
    assert told.splitlines()[0].endswith(first) and last.endswith(f"tilepath kernel-report {add1}")


def test_trace_events_are_such_as_perfetto_opens(add1: Path, found: Report, tmp_path: Path) -> None:
    """Names of all tracks; slices that do not overlap and, of threads, have all cycles."""
    path = tmp_path / "add1.trace.json"
    assert invoke("kernel-report", add1, "--out", path).stdout.endswith(f"wrote {path}\n")
    whole = json.loads(path.read_text())
    named: dict[tuple[int, int], str] = {}
    tracks: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    counters = defaultdict(list)
    kinds = {}
    for event in whole["traceEvents"]:
        track = event["pid"], event["tid"]
        assert all(isinstance(number, int) and number >= 0 for number in track)
        if event["ph"] == "M" and event["name"] == "thread_name":
            named[track] = event["args"]["name"]
        elif event["ph"] == "M" and event["name"] == "process_name":
            kinds[event["pid"]] = event["args"]["name"]
        elif event["ph"] == "X":
            assert event["dur"] > 0 and event["name"] and event["cat"]
            tracks[track].append((event["ts"], event["ts"] + event["dur"]))
        elif event["ph"] == "C":
            counters[event["name"]].append(event["args"]["value"])
        else:
            assert event["ph"] == "M" and "sort_index" in event["args"]
    assert next(iter(kinds.values())) == "threads" and len(kinds) == 5
    assert tracks.keys() <= named.keys()
    for slices in tracks.values():
        slices.sort()
        assert all(one[1] <= other[0] for one, other in pairwise(slices))
        assert slices[-1][1] <= found.cycles
    spent = found.stood()
    for thread in range(THREADS):
        (track,) = (track for track, name in named.items() if name == f"thread {thread}")
        assert (
            sum(end - begin for begin, end in tracks[track])
            == found.cycles - spent["no item"][thread]
        )
    assert max(counters["MATH_PACK"]) in (1, 2) and counters["MATH_PACK"][-1] == 0


@pytest.mark.parametrize("times", [1, 16])
def test_the_picture_is_one_page(found: Report, times: int) -> None:
    """Of 4 and of 64 tiles; what is written into a lane has room there."""
    picture = ElementTree.fromstring(draw(_longer(found, times)))
    width, height = float(picture.attrib["width"]), float(picture.attrib["height"])
    assert width <= 1400 and height <= 1200
    assert picture.attrib["viewBox"] == f"0 0 {width:g} {height:g}"
    svg = "{http://www.w3.org/2000/svg}"
    marks = {line.get("x1") for line in picture.iter(f"{svg}line") if line.get("y1") == "108"}
    for text in picture.iter(f"{svg}text"):
        kind, wide = text.get("class", "").split(), len(text.text or "") * LETTER
        wide *= 15 / 9 if "h" in kind else 12 / 9 if "c" in kind else 1
        left = float(text.attrib["x"]) - wide * {"m": 0.5, "e": 1}.get("".join(kind)[:1], 0)
        assert left >= 0 and left + wide <= width and float(text.attrib["y"]) <= height, text.text
        if text.get("y") == "104" and text.text != "cycle":  # a number of the axis
            assert kind == ["m"] and text.get("x") in marks
    style = picture.findtext(f"{svg}style") or ""
    assert "prefers-color-scheme:dark" in style
    lanes = defaultdict(list)
    for text in picture.iter(f"{svg}text"):
        if text.attrib.get("class") in ("m", "m w"):
            half = len(text.text or "") * LETTER / 2
            lanes[text.attrib["y"]].append((float(text.attrib["x"]), half))
    assert lanes
    for texts in lanes.values():
        texts.sort()
        assert all(b[0] - a[0] >= a[1] + b[1] - 4 for a, b in pairwise(texts))
    tips = [tip.text or "" for tip in picture.iter(f"{svg}title")]
    assert sum(tip.startswith("tile ") for tip in tips) == _TILES * times
    for path in picture.iter(f"{svg}path"):
        assert f".{path.attrib['class']}{{fill:#" in style
        assert all(float(x) <= width for x in re.findall(r"[MH]([\d.]+)", path.attrib["d"]))


def test_what_is_written_into_a_lane_can_be_read(found: Report) -> None:
    """Dark letters on each colour of threads, light and dark, with the contrast of WCAG AA."""
    light, dark = re.split(r"@media\(prefers-color-scheme:dark\)", draw(found))[:2]
    letters = re.findall(r"\.w\{fill:#(\w+)", light + dark)
    assert letters == ["111"]
    for style in (light, dark):
        fills = dict(re.findall(r"\.(k\d+)\{fill:#(\w{6})\}", style))
        for k, group in enumerate(GROUPS[:-1]):  # the last has none
            assert (_light(fills[f"k{k}"]) + 0.05) / (_light("111111") + 0.05) >= 4.5, group


def _light(colour: str) -> float:
    """Relative luminance of sRGB, as WCAG 2 defines it."""
    parts = [int(colour[k : k + 2], 16) / 255 for k in (0, 2, 4)]
    linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in parts]
    return sum(np.array([0.2126, 0.7152, 0.0722]) * linear)


def _longer(found: Report, times: int) -> Report:
    """The kernel's cycles so many times."""
    begin, end = found.begin, found.end
    length = end - begin
    units = [
        unit._replace(
            busy=np.tile(unit.busy[begin:end], times), work=np.tile(unit.work[begin:end], times)
        )
        for unit in found.units
    ]
    return replace(
        found,
        cycles=times * length,
        begin=0,
        done=[done - begin + k * length for k in range(times) for done in found.done],
        why=np.tile(found.why[:, begin:end], times),
        units=units,
        owners=np.tile(found.owners[:, begin:end], times),
        semaphores=np.tile(found.semaphores[:, begin:end], times),
    )


def _stored(folder: Path, block: str = "datapath", but: str = "") -> Path:
    """A run of 20 cycles in which nothing happens."""
    request = RunRequest(block, "add1", 1, FAST, out_dir=folder, cycles=20)
    request.trace_dir.mkdir(parents=True)
    request.write_json(request.run_dir / "request.json")
    (request.run_dir / "outcome.json").write_text(json.dumps({"ends": [20]}))
    streams: Mapping[str, Any] = BOUNDARY.table
    for name, stream in streams.items():
        if name != but:
            (request.trace_dir / f"{name}.bin").write_bytes(encode(stream, stream.empty()))
    return request.run_dir


def test_what_is_no_run_of_a_kernel(tmp_path: Path) -> None:
    refused(invoke("kernel-report", tmp_path), "is not the directory of a run")
    other = _stored(tmp_path / "other", "unpack")
    refused(invoke("kernel-report", other), "is a run of block unpack, not of datapath")
    idle = _stored(tmp_path / "idle")
    refused(invoke("kernel-report", idle), "no core did anything in any cycle")
    refused(invoke("kernel-report", idle, "--out", "x.txt"), "x.txt: a file ends in .trace.json")
    (idle / "trace" / "hold.bin").write_bytes(b"")
    refused(invoke("kernel-report", idle), "hold.bin")
    (idle / "outcome.json").unlink()
    refused(invoke("kernel-report", idle), "holds no run that came to an end")
    older = _stored(tmp_path / "older", but="w0.stored")
    refused(invoke("kernel-report", older), "w0.stored.bin cannot be read")


def test_a_run_that_the_models_see_otherwise(tmp_path: Path) -> None:
    folder = _stored(tmp_path)
    stream = BOUNDARY.table["t0.dispatch"]
    rows = np.zeros(1, stream.dtype)
    (folder / "trace" / "t0.dispatch.bin").write_bytes(encode(stream, rows))
    refused(invoke("kernel-report", folder), "let other words of thread 0 pass", "tilepath check")

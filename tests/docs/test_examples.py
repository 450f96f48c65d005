# SPDX-License-Identifier: Apache-2.0
"""Every example of README.md and docs/ is run by somebody, and what people type is understood."""

from __future__ import annotations

import contextlib
import io
import itertools
import os
import re
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest
import typer

from tilepath.cli.main import app
from tilepath.cli.pipes import check_pipe
from tilepath.engine.description.block import ROOT
from tilepath.engine.description.player import plays
from tilepath.engine.description.registry import load_block, load_file, with_files
from tilepath.engine.description.stimulus import Context
from tilepath.engine.description.taps import taps_hdl
from tilepath.engine.host.run import RunRequest, run
from tilepath.engine.stimulus.checks import check_items
from tilepath.engine.stimulus.corners import corners_file
from tilepath.isa.boundary import Boundary, Field, Stream
from tilepath.models.pipe_program import check, expand, parse, to_text
from tilepath.tests.cli.fakes import invoke
from tilepath.tests.commands import call, make, passed, refused
from tilepath.tests.cosim_runs import missing
from tilepath.tests.docs.examples import SHOWN, WHO, blocks, commands, sources
from tilepath.tests.pipe_program.texts import MESSAGES

_PAGE: Final = "docs/write-a-sequence.md"
_OWN: Final = [
    *sources(_PAGE, "# SPDX-License-Identifier"),
    *sources(_PAGE, "from __future__"),
    *sources("README.md", "from tilepath.engine.stimulus.uvm"),
]
_NAMES: Final = [re.search(r'TESTS = .*?(\w+)[,"]', text, re.DOTALL) for text in _OWN]
_IDS: Final = [name[1] for name in _NAMES if name]
_COMMANDS: Final = sorted(set(commands()))


def test_every_block_is_run_by_a_test() -> None:
    found = list(blocks())
    for block in found:
        assert block.who, f"{block.page}: nobody runs the block that begins {block.text[:60]!r}"
        if block.who == SHOWN:
            assert block.language in ("", "text"), f"{block.page}: {block.text[:60]!r} can be run"
            continue
        file, _, function = block.who.partition("::")
        assert re.search(rf"(?m)^def {function}\(", (ROOT / file).read_text()), block.who
    for page, known in WHO.items():
        for begin in known:
            assert any(b.page == page and b.text.startswith(begin) for b in found), (page, begin)


# -- what people type


def _parsed(words: list[str]) -> None:
    """Parse a command line of tilepath, without doing it; what it refuses it raises."""
    group: Any = typer.main.get_command(app)
    if words[0] in {option for one in group.params for option in one.opts}:
        return
    assert words[0] in group.commands, words
    group.commands[words[0]].make_context(words[0], words[1:]).close()


@pytest.mark.parametrize(("page", "line"), _COMMANDS)
def test_commands_are_understood(page: str, line: str) -> None:
    """Subcommands, targets, options and their values exist."""
    # what is left out, or may be: a number after "seed", else something
    line = re.sub(r"(?i)(seed[= ])…", r"\g<1>1", line)
    words = shlex.split(re.sub(r" …(?= |$)", "", line).translate({ord(c): None for c in "[]"}))
    if words[0] == "make":
        passed(make("-n", *words[1:]))
        return
    try:
        _parsed(words[1:])
    except Exception as error:
        # --version and --help end here; and a text may name a command alone
        named_alone = len(words) == 2 and type(error).__name__ == "MissingParameter"
        if not (named_alone or type(error).__name__ == "Exit"):
            raise


def test_there_are_commands_of_both() -> None:
    assert {line.split()[0] for _, line in _COMMANDS} == {"make", "tilepath"}
    assert len(_COMMANDS) > 40


# -- the model


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("README.md", 1),
        ("docs/machine.md", 8),
        ("docs/missing-waits.md", 1),
        ("docs/tiles.md", 1),
        ("docs/replay-a-kernel.md", 1),
        ("docs/lint-a-kernel.md", 1),
        ("docs/pipe-programs.md", 1),
    ],
)
def test_model_examples(
    name: str, count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model's examples print what their comments say, and draw the pictures of the pages."""
    monkeypatch.chdir(tmp_path)
    model = re.compile(r"(Machine|FlagPipe|machine_of|findings|Program)\(")
    found = [b.text for b in blocks() if (b.page, b.language) == (name, "python")]
    found = [text for text in found if model.search(text)]
    assert len(found) == count
    for source in found:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(source, name, "exec"), {})
        assert out.getvalue().splitlines() == re.findall(r"print\(.*\)(?:  |\n)# (.*)", source)
    drawn = sorted(tmp_path.iterdir())
    assert [path.name for path in drawn] == re.findall(r'Path\("(.*)"\)', "".join(found))
    for path in drawn:
        assert path.read_text() == (ROOT / "docs" / path.name).read_text()
        assert f"]({path.name})" in (ROOT / name).read_text()


# -- tests of one's own


def _check_stimulus(file: Path) -> None:
    """Its tests have valid stimulus for players that exist, in every profile of the block."""
    with with_files([file]):
        name, tests = load_file(file)
        block = load_block(name)
        assert tests
        for (test, spec), profile in itertools.product(tests.items(), block.profiles):
            players = spec.stimulus(Context(name, test, 1, profile, 2000))
            assert set(players) <= set(block.player_table)
            for player, arrays in players.items():
                for items in itertools.islice(arrays, 3):
                    check_items(block.player_table[player], items)


@pytest.mark.parametrize("text", _OWN, ids=_IDS)
def test_files_of_ones_own(text: str, tmp_path: Path) -> None:
    file = tmp_path / "my_file.py"
    file.write_text(text)
    _check_stimulus(file)


def test_the_first_example_is_short() -> None:
    assert _IDS[0] == "MyWords" and len(_OWN[0].rstrip().splitlines()) <= 25


def _simulate(file: Path, out: Path) -> None:
    with with_files([file]):
        block, tests = load_file(file)
        # Icarus compiles sooner, but takes much longer for the unpackers
        sim = "verilator" if block in ("unpack", "pack") or missing("icarus") else "icarus"
        for test in tests:
            result = run(RunRequest(block, test, 1, sim, cycles=2000, out_dir=out))
            assert result.status == "pass", result.message


@pytest.mark.parametrize("number", range(len(_OWN)), ids=_IDS)
def test_files_of_ones_own_on_rtl(number: int, tmp_path: Path) -> None:
    file = tmp_path / "my_file.py"
    file.write_text(_OWN[number])
    _simulate(file, tmp_path / "out")


def test_the_line_that_adds_a_test(tmp_path: Path) -> None:
    """What adds one of these files to the tests of the front end, with the file where it says."""
    (line,) = sources(_PAGE, "from tilepath.sequences.frontend.my_zmask")
    text = (ROOT / "sequences" / "frontend" / "__init__.py").read_text()
    assert 'TESTS = corner_tests("frontend", {**_RANDOM, **_DIRECTED, **_PROGRAMS})' in text
    file = tmp_path / "my_zmask.py"
    file.write_text(_OWN[_IDS.index("my_zmask")])
    mine = load_file(file)[1]
    given: dict[str, Any] = {"_RANDOM": {}, "_DIRECTED": {}, "_PROGRAMS": {}, "_MINE": mine}
    given["corner_tests"] = lambda _block, tests: tests
    exec(line.partition("\n\n")[2], given)
    assert given["TESTS"] == mine


def test_the_row_is_one_of_the_front_end() -> None:
    (row,) = sources(_PAGE, "[zero_masks]")
    assert row in corners_file("frontend").read_text()


# -- habits of UVM: a line each

_UVM: Final = "docs/for-uvm-users.md"
_FILE: Final = sources(_UVM, "# SPDX-License-Identifier")[0]
_ROWS: Final = re.findall(r"(?m)^\| (?!in UVM).*\| (.*) \|$", (ROOT / _UVM).read_text())
_LINES: Final = [line for cell in _ROWS for line in re.findall(r"`([^`]+)`", cell)]
_TYPED: Final = re.compile(r"(UVM_VERBOSITY=\w+ )?(tilepath|grep|pytest) ")


def test_uvm_lines_of_python_are_of_the_file() -> None:
    assert len(_ROWS) > 20 and all("`" in cell for cell in _ROWS)
    python = {line for line in _LINES if not _TYPED.match(line)}
    assert python <= {line.strip() for line in _FILE.splitlines()}


def test_uvm_errors_fail_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UVM_VERBOSITY", "uvm_full")
    for severity in ("fatal", "error"):
        told = f'report.{severity}("ITEM", str(item))'
        file = tmp_path / f"{severity}.py"
        file.write_text(_FILE.replace('report.info("ITEM", str(item), UVM_HIGH)', told))
        result = invoke("run", "--tests", file, "--seed", 1, "--out", tmp_path)
        if severity == "fatal":
            refused(result, "RuntimeError: UVM_FATAL: issue(")
    assert result.exit_code == 1 and "  12 UVM_ERROR reported" in result.stdout
    log = (tmp_path / "control" / "my_uvm-1" / "sim.log").read_text()
    assert all(f"[{one}]" in log for one in ("CHUNK", "BLOCK", "CHECKED", "ITEM"))


def test_uvm_commands_on_rtl(tmp_path: Path) -> None:
    (tmp_path / "my_uvm.py").write_text(_FILE)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for line in filter(_TYPED.match, _LINES):
        text = passed(call("sh", "-c", line, cwd=tmp_path, env={**os.environ, "PATH": path}))
        if line.startswith("grep ITEM"):  # what the overrides of type and of instance draw
            assert set(re.findall(r"(t\d)\.issue.*(gap=\d+)", text)) == {("t0", "gap=3")}


# -- a new block


def test_streams_and_players_of_a_new_block() -> None:
    scope: dict[str, Any] = {"Stream": Stream, "Field": Field, "Boundary": Boundary, "plays": plays}
    for beginning in ("PUT = Stream", "PLAYERS = "):
        (text,) = sources("docs/add-a-block.md", beginning)
        exec(text, scope)
    source, gate = scope["PLAYERS"]
    assert (source.name, source.kind, gate.kind, gate.rest) == (
        "source",
        "item",
        "level",
        {"open": 1},
    )
    items = source.pack(word=np.arange(3), gap=5)
    assert (source.unpack(items)["word"] == np.arange(3)).all()


def test_taps_of_a_new_block(tmp_path: Path) -> None:
    scope: dict[str, Any] = {"Stream": Stream, "Field": Field, "Boundary": Boundary}
    exec(sources("docs/add-a-block.md", "PUT = Stream")[0], scope)
    folder = tmp_path / "tb" / "queue" / "hdl"
    folder.mkdir(parents=True)
    (folder / "queue_harness.sv").write_text('`include "queue_harness_taps.svh"\n')
    (folder / "queue_harness.taps").write_text(sources("docs/add-a-block.md", "put    put_@")[0])
    block = replace(
        load_block("adc"), name="queue", streams=scope["BOUNDARY"].streams, state=(), players=()
    )
    (text,) = taps_hdl(block, tmp_path).values()
    assert text.count("u_rec (") == 4 and ".valid_i(put_valid && !pending_q)" in text


# -- pages


def test_the_contents_name_every_page_once_and_nothing_else() -> None:
    folder = ROOT / "docs"
    text = (folder / "README.md").read_text()
    linked = re.findall(r"\]\(([\w./-]+\.md)\)", text)
    pages = {path.relative_to(folder).as_posix() for path in folder.rglob("*.md")} - {"README.md"}
    assert sorted(linked) == sorted(pages)
    for line in re.findall(r"(?m)^- (.*)$", text):
        assert re.match(r"\[[\w./-]+\.md\]\([\w./-]+\.md\): \S", line), line


@pytest.mark.parametrize("path", [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))])
def test_links_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", path.read_text()):
        if not target.startswith("http"):
            assert (path.parent / target).exists(), target


# -- programs of the flag pipe

_PIPES: Final = "docs/pipe-programs.md"


def test_the_example_and_what_is_wrong_when_it_is_broken(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    text, *_ = sources(_PIPES, "platform a5")
    right, wrong = (sources(_PIPES, begin)[0] for begin in ("@cube: %acc", "p.pipe:9:5"))
    path = tmp_path / "p.pipe"
    path.write_text(text)
    assert check_pipe(path, as_json=False) == 0
    assert capsys.readouterr().out == right
    text = text.replace("base=auto", "base=0x3fe00").replace("    tfree\n", "")
    path.write_text(text.replace("loop 16 {\n    tpop", "loop 17 {\n    tpop"))
    assert check_pipe(path, as_json=False) == 1
    assert capsys.readouterr().out.replace(f"{path}", "p.pipe").startswith(wrong)


def test_the_expansion() -> None:
    _, after = sources(_PIPES, "platform a5")
    (before,) = sources(_PIPES, "func @cube")
    expanded = expand(parse(before))
    assert expanded.program is not None
    assert to_text(expanded.program, expanded.report.resolved_bases) == after
    assert check(parse(after)).verdict == "OK"


def test_every_message_of_a_rule_is_in_the_table() -> None:
    text = (ROOT / _PIPES).read_text()
    table = {row[0]: row[1] for row in re.findall(r"(?m)^\| (C\d\d) \|(.*)$", text)}
    assert sorted(table) == [f"C{k:02d}" for k in range(1, 27)]
    for code, message in MESSAGES:
        shown = re.findall("`([^`]+)`", table[code])
        patterns = [re.sub(r"\\\{.*?\\\}", ".*", re.escape(s)).replace("…", ".*") for s in shown]
        assert any(re.match(pattern, message) for pattern in patterns), message

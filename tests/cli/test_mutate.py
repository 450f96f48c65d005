# SPDX-License-Identifier: Apache-2.0
"""``tilepath mutate``: a small block, with a mutant that no test can find; what is refused."""

from __future__ import annotations

import json
import tomllib
from concurrent.futures import CancelledError
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import pytest
from rich.console import Console

from tilepath.engine.commands import mutate as module
from tilepath.engine.commands.mutant_copy import Mutant
from tilepath.engine.commands.mutants import Elaborator, places
from tilepath.engine.commands.mutate import Wanted
from tilepath.engine.commands.report import ShowProgress
from tilepath.engine.commands.run_list import STARTS
from tilepath.engine.description.block import ROOT
from tilepath.engine.description.registry import block_names, load_block, tests_of
from tilepath.engine.host.build import BuildError
from tilepath.engine.host.launch import KILLED
from tilepath.engine.host.start import ONES, start_of
from tilepath.tests.cli.files import small_checkout, tilepath
from tilepath.tests.commands import complaints, refused
from tilepath.tests.docs.examples import sources

RTL = "rtl/doubler/doubler.sv"
WAS = "{put_valid_i, put_word_i[30:0], 1'b0};"
SPARE = "  wire logic spare = put_word_i[31];"
HALVES = """\
  wire logic [15:0] halves [2], others [2], high, low;
  assign {halves[1], halves[0]} = put_word_i;
  for (genvar i = 0; i < 2; i++) begin : gen_other
    assign others[i] = '0;
  end
  doubler_halves u_halves (.halves_i(halves), .low_o(low), .high_o(high));
endmodule

module doubler_halves (
  input wire logic [15:0] halves_i [2], output wire logic [15:0] high_o, low_o
);
  assign {high_o, low_o} = {halves_i[1][14:0], halves_i[0], 1'b0};
endmodule
"""
LISTED = """\
[[mutant]]
file = "doubler.sv"
line = "wire logic spare = put_word_i[31];"
old = "31"
new = "(31) ^ 1'd1"
reason = "nobody reads it"
"""


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With a block that has a wire for nothing."""
    root = small_checkout(tmp_path_factory.mktemp("checkout"))
    assert tilepath(root, "new-block", "doubler").returncode == 0
    text = (root / RTL).read_text()
    assert text.count("endmodule") == 1
    (root / RTL).write_text(text.replace("endmodule", f"{SPARE}\nendmodule"))
    return root


_MUTATE: Final = ("mutate", "--block", "doubler")


def _mutate(root: Path, *options: str, out: str = "") -> tuple[dict[str, Any], str]:
    """What is stored of 6 mutants, and what is printed: 1 if there is something to look at."""
    drawn = options or ("--count", "6")
    done = tilepath(root, *_MUTATE, *drawn, "--jobs", "2", "--cycles", "2000", "--seeds", "2")
    assert complaints(done.stderr) == [], done.stdout + done.stderr
    told = json.loads((root / f"runs/mutate-doubler{out}/mutants.json").read_text())
    wanted = any(one["verdict"] in ("survived", "wrong list") for one in told["mutants"])
    assert done.returncode == wanted, done.stdout
    return told, done.stdout


@pytest.fixture(scope="module")
def six(checkout: Path) -> tuple[dict[str, Any], str]:
    return _mutate(checkout)


def test_verdicts(six: tuple[dict[str, Any], str]) -> None:
    told, printed = six
    assert [one["number"] for one in told["mutants"]] == [1, 2, 3, 4, 5, 6]
    verdicts = {one["mutant"]["old"]: one for one in told["mutants"]}
    spare = verdicts["31"]
    assert spare["verdict"] == "survived"
    assert f"survived {spare['number']}: {RTL}:" in printed
    assert "(index): 31  →  (31) ^ 1'd1" in printed
    found = verdicts["put_word_i[30:0]"]
    assert found["verdict"] == "found" and found["test"] == "random" and found["seed"] > 0
    assert 0 < found["cycle"] < 100 and found["message"].startswith("got event 0")
    counts = [one["verdict"] for one in told["mutants"]]
    assert told["score"] == round(100 * counts.count("found") / len(counts), 2)
    assert f"score of doubler: {told['score']:.1f} %" in printed


def test_one_of_them_again(checkout: Path, six: tuple[dict[str, Any], str]) -> None:
    """A build with one mutant, and a folder of its own."""
    told, _ = six
    found = next(one for one in told["mutants"] if one["verdict"] == "found")
    only = ("--count", "6", "--only", str(found["number"]))
    again, _ = _mutate(checkout, *only, out="-only")
    assert again == told | {"score": 100.0, "mutants": [found]}


def test_wires_in_each_others_place(checkout: Path) -> None:
    """An array that an instance gets, and its outputs; a wire for nothing, which nobody sees."""
    path = checkout / RTL
    text = path.read_text()
    joined = text.replace("put_word_i[30:0], 1'b0}", "high, low}")
    path.write_text(joined.replace(f"{SPARE}\nendmodule", f"{SPARE}\n{HALVES}"))
    told, _ = _mutate(checkout, "--kind", "swap", "--module", "doubler", out="-swap-doubler")
    path.write_text(text)
    verdicts = {(m["old"], m["new"]): v["verdict"] for v in told["mutants"] for m in [v["mutant"]]}
    assert verdicts.pop(("put_word_i[31]", "put_valid_i")) == "survived"
    assert verdicts == {("halves", "others"): "found", ("low", "high"): "found"}


def test_a_lost_reset_begins_with_ones_too() -> None:
    """Every test, and so does what has no mutant; others begin with what a regression has.

    If no test finds it, the first one begins with others, too.
    """
    file = "rtl/adc/adc_group.sv"
    kinds = {one.kind: one for one in places(file, (ROOT / file).read_text())}
    mutants = [kinds["reset"], kinds["update"]]
    runner = module._Runner(Wanted("adc", 2, 1, seeds=1), mutants, [], Console(quiet=True))
    begun = [[start for *_, start in runner._tests(number)] for number in range(3)]
    usual = {start_of(1, index) for index in range(STARTS)}
    tests = len(tests_of("adc"))
    begun[1], more = begun[1][: 2 * tests], begun[1][2 * tests :]
    assert all(starts[::2] == [ONES] * tests for starts in begun[:2])
    assert {*begun[0][1::2], *begun[1][1::2], *begun[2]} <= usual
    assert len({*more} - usual) == len(more) == 12


def test_listed_ones_and_a_list_that_is_wrong(checkout: Path) -> None:
    path = checkout / "rtl/doubler/mutants.toml"
    path.write_text(LISTED)
    told, _ = _mutate(checkout)
    (one,) = (one for one in told["mutants"] if one["verdict"] == "listed")
    assert one["message"] == "nobody reads it" and one["mutant"]["old"] == "31"
    line = f"else {{got_valid_o, got_word_o}} <= {WAS}"
    wrong = LISTED.replace("wire logic spare = put_word_i[31];", line).replace('"31"', '"1\'b0"')
    path.write_text(wrong.replace("(31) ^ 1'd1", "1'b0 ^ 1'd1"))
    told, printed = _mutate(checkout)
    (one,) = (one for one in told["mutants"] if one["verdict"] == "wrong list")
    assert one["test"] == "random" and "wrong list " in printed
    path.write_text(LISTED.replace("spare =", "none ="))
    refused(tilepath(checkout, *_MUTATE), "rtl/doubler/mutants.toml", "any more")
    path.write_text(LISTED.replace("nobody reads it", " "))
    refused(tilepath(checkout, *_MUTATE), "rtl/doubler/mutants.toml", "no reason")
    for other, said in (
        ('profile = "nosuch"', "unknown profile 'nosuch'"),
        ('block = "nosuch"', "no block 'nosuch'"),
        ('kind = "nosuch"', "no kind 'nosuch'; operator, "),
        ('kinds = "reset"', "unexpected keyword argument 'kinds'"),
    ):
        path.write_text(f"{LISTED}{other}\n")
        refused(tilepath(checkout, *_MUTATE), "rtl/doubler/mutants.toml", said)
    path.unlink()


def test_a_block_that_fails_without_mutants(checkout: Path) -> None:
    model = checkout / "models/doubler/__init__.py"
    text = model.read_text()
    model.write_text(text.replace("<< 1", "<< 2"))
    few = tilepath(checkout, *_MUTATE, "--count", "6")
    refused(few, "without any mutant: random: got event 0", silent=False)
    model.write_text(text)


def test_what_the_simulator_refuses_is_named_and_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = "rtl/adc/adc_unpack.sv"
    mutants = list(places(file, (ROOT / file).read_text()))[:8]
    bad = mutants[2]
    texts = []

    def build(_block: str, options: Any, _begins: object) -> Path:
        texts.append((options.source_root / file).read_text())
        if len(texts) == 1:
            warned = f"{mutants[0].place}:33: Example path: x"
            raise BuildError(
                f"verilator could not compile adc\n{warned}\n%Error: {bad.place}:3: no"
            )
        return tmp_path

    monkeypatch.setattr(module, "build", build)
    monkeypatch.setattr(module, "compile_model", lambda *_: None)
    with (tmp_path / "log").open("w") as log:
        runner = module._Runner(
            Wanted("adc", 8, 1, out=tmp_path), mutants, [], Console(file=log, width=200)
        )
        runner.build("adc", ShowProgress(Console(quiet=True), ()))
    left_out = [one for one in mutants if one.place == bad.place]
    assert [text.count("planted_pkg::bug") for text in texts] == [8, 8 - len(left_out)]
    assert f"verilator refuses {bad.place} ({bad.kind}): " in (tmp_path / "log").read_text()

    def killed(*_: object) -> Path:
        ended = "c++: fatal error: Terminated signal terminated program cc1plus"
        raise BuildError(f"verilator could not compile adc\n{mutants[0].place}:33: x\n{ended}")

    kept = runner.kept()
    monkeypatch.setattr(module, "build", killed)
    with pytest.raises(BuildError, match="Terminated"):
        runner.build("adc", ShowProgress(Console(quiet=True), ()))
    assert runner.kept() == kept == [1]


@pytest.mark.parametrize("kills", [2, 3])
def test_who_kills_a_simulator_finds_nothing(
    kills: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such a run is done again, three times at most."""
    killed = SimpleNamespace(status="error", message=f"{KILLED} (SIGKILL)", run_dir=tmp_path)
    failed = SimpleNamespace(status="fail", message="got event 0", run_dir=tmp_path)
    results = iter([*[killed] * kills, failed])
    monkeypatch.setattr(module, "run", lambda _: next(results))
    wanted = Wanted("adc", 8, 1, out=tmp_path)
    runner = module._Runner(wanted, [], {}, Console(quiet=True))
    assert runner._finds(1, "random", 5, 1) is (failed if kills < 3 else None)
    runner.ended.set()
    with pytest.raises(CancelledError):
        runner._finds(1, "random", 5, 1)


def test_the_list_of_adc_and_the_entry_of_the_page() -> None:
    text = (ROOT / "rtl/adc/mutants.toml").read_text()
    (entry,) = sources("docs/mutate.md", "[[mutant]]")
    assert entry in text
    listed = module._read_list("adc", "baseline")
    assert len(listed) == text.count("[[mutant]]")
    one = ("rtl/adc/adc_group.sv", "end else if (any_groups_i[Group]) begin : update")
    wanted = (*one, "any_groups_i[Group]", "1'b1")
    assert wanted in [(entry.file, entry.line, entry.old, entry.new) for entry in listed]


def test_an_entry_is_for_its_block_and_profile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "ROOT", tmp_path)
    folder = tmp_path / "rtl/adc"
    folder.mkdir(parents=True)
    (folder / "doubler.sv").write_text(SPARE)
    for more, count in (
        *(("", 1), ('block = "adc"', 1), ('profile = "baseline"', 1)),
        *(('block = "pack"', 0), ('profile = "blackhole"', 0)),
    ):
        (folder / "mutants.toml").write_text(f"{LISTED}{more}\n")
        assert len(module._read_list("adc", "baseline")) == count


def test_an_entry_is_of_all_that_old_becomes_or_of_one_kind() -> None:
    reset = Mutant("reset", "a.sv", 0, "'0", "a_q", 1, "a_q <= '0;")
    other = replace(reset, kind="constant", new="'1")
    entry = module.Entry(file="a.sv", line="a_q <= '0;", old="'0", reason="seen with valid_q")
    assert entry.is_of(reset) and entry.is_of(other)
    assert not entry.is_of(replace(reset, old="'1")) and not entry.is_of(replace(reset, file="b"))
    of_one = replace(entry, kind="reset")
    assert of_one.is_of(reset) and not of_one.is_of(other)
    assert replace(entry, new="a_q").is_of(reset) and not replace(entry, new="a_q").is_of(other)


@pytest.mark.parametrize(
    "path", sorted(ROOT.glob("rtl/*/mutants.toml")), ids=lambda p: p.parent.name
)
def test_what_is_listed_can_be_drawn(path: Path) -> None:
    folder = path.parent.name
    entries = [module.Entry(**one) for one in tomllib.loads(path.read_text())["mutant"]]
    swapped = {one.file for one in entries if one.kind == "swap"}
    having = next(name for name in block_names() if folder in load_block(name).rtl)
    swaps = Elaborator(load_block(having)).swaps({f"rtl/{folder}/{file}" for file in swapped})
    for one in entries:
        drawn = [*places(one.file, (path.parent / one.file).read_text())]
        drawn += [replace(mutant, file=Path(mutant.file).name) for mutant in swaps]
        assert any(one.is_of(mutant) for mutant in drawn), one

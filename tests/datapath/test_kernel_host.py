# SPDX-License-Identifier: Apache-2.0
"""Kernels whose tiles are files as the host library writes them, and what they leave as one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tilepath.cli.kernels import run_model
from tilepath.engine.commands.errors import UsageError
from tilepath.models.kernels import TextError, parse, play
from tilepath.models.tiles import from_l1, to_l1
from tilepath.tests.commands import python, refused
from tilepath.tests.datapath.kernel_files import PROFILES, PROGRAMS
from tilepath.tests.tables import beside

REFUSED = beside(__file__, "kernel_host")
NOTHING = "thread 1 {\n    NOP\n}\n"


def host_tiles(numbers: np.ndarray, form: str, rows: int = 32, columns: int = 32) -> bytes:
    """Tiles of an array, row by row, as the host has them in a file."""
    cut = numbers.reshape(len(numbers) // rows, rows, -1, columns).swapaxes(1, 2)
    how = {"face": (min(rows, 16), 16), "header": 0, "rounding": "host"}
    return b"".join(bytes(to_l1(one, form, **how)) for row in cut for one in row)


@pytest.mark.parametrize("profile", PROFILES)
def test_a_kernel_of_host_tiles(profile: str, tmp_path: Path) -> None:
    """``add1`` with operands from files: what it leaves, written, is what the host would read."""
    numbers = np.random.default_rng(3).integers(-99, 100, (2, 64, 32))
    text = (PROGRAMS / "add1.kernel").read_text()
    for name, given in zip("ab", numbers, strict=True):
        (tmp_path / f"{name}.tiles").write_bytes(host_tiles(given, "BF16"))
        text = text.replace("random -100 100", f'"{name}.tiles"', 1)
    (tmp_path / "want.tiles").write_bytes(host_tiles(numbers.sum(axis=0), "BF16"))
    (tmp_path / "setup.kernel").write_text((PROGRAMS / "setup.kernel").read_text())
    file, out = tmp_path / "my.kernel", tmp_path / "out.tiles"
    file.write_text(text + '\nexpect out = "want.tiles"\n')
    assert run_model(file, profile, "round", ["TILES=2"], [f"out={out}"]) == 0
    assert out.read_bytes() == (tmp_path / "want.tiles").read_bytes()


def test_bytes_are_taken_as_they_are(tmp_path: Path) -> None:
    """Minus 0 and tiles of a line and a half, several of a matrix, and the host's integers."""
    numbers = np.random.default_rng(4).normal(size=(2, 48))
    data = bytearray(host_tiles(numbers, "BFP4", 1, 16))
    data[16] = 0x08
    (tmp_path / "x.tiles").write_bytes(data)
    counts = np.arange(-64, 64).reshape(4, 32)
    (tmp_path / "n.tiles").write_bytes(host_tiles(counts, "INT32", 4))
    kernel = parse(
        'tile a[2, 3] BFP4 1x16 at 0 = "x.tiles"\ntile n INT32_HOST 4x32 at 0x1000 = "n.tiles"\n'
        f'{NOTHING}expect n = "n.tiles"\nexpect a = "x.tiles"\n',
        str(tmp_path / "my.kernel"),
    )
    verdict = play(kernel)
    assert verdict.failed == [] and kernel.doubts == []
    a, n = kernel.tiles["a"], kernel.tiles["n"]
    assert a.numbers()[0, 0] == -np.inf and (n.numbers() == counts).all()
    l1 = verdict.machine.read_l1(0, a.end)
    assert a.to_host(l1) == bytes(data)
    third = from_l1(l1[2 * a.size :], "BFP4", (1, 16), face=(1, 16))
    assert (third == a.numbers()[:1, 32:]).all()


def test_what_is_no_file_of_host_tiles(tmp_path: Path) -> None:
    file = tmp_path / "my.kernel"
    (tmp_path / "half.tiles").write_bytes(bytes(1024))
    (tmp_path / "whole.tiles").write_bytes(bytes(2048))
    np.save(tmp_path / "nan.npy", np.full((32, 32), np.nan))
    for form, name, told in REFUSED["files"]:
        with pytest.raises(TextError, match=f"my.kernel:1:{22 + len(form)}: {told}"):
            parse(f'tile a {form} 32x32 at 0 = "{name}"\n{NOTHING}', str(file))
    with pytest.raises(TextError, match=r"my.kernel:2:12: 1024 bytes; tiles of 2048 bytes"):
        parse(f'tile a BF16 32x32 at 0\nexpect a = "half.tiles"\n{NOTHING}', str(file))
    text = f'tile a BF16 32x32 at 0 = "half.tiles"\ntile h FP16 32x32 at 0x8000\n{NOTHING}'
    file.write_text(text)
    refused(python("-m", "tilepath", "model", file), "my.kernel:1:26: 1024 bytes; tiles of 2048")
    (tmp_path / "there.tiles").touch()
    file.write_text(text.replace("half", "whole"))
    for write, told in REFUSED["writes"]:
        with pytest.raises(UsageError, match=f"^.*{told}.*$"):
            run_model(file, "baseline", "round", (), (write.format(tmp_path),))


def test_bytes_of_other_integers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The host's int32 called INT32: a line says so, and it is played all the same."""
    (tmp_path / "n.tiles").write_bytes(host_tiles(np.full((32, 32), -1), "INT32"))
    file = tmp_path / "my.kernel"
    file.write_text(f'tile n INT32 32x32 at 0 = "n.tiles"\n{NOTHING}')
    assert run_model(file, "baseline", "round", (), ()) == 0
    told = capsys.readouterr().out
    assert told.startswith(f'{file}:1:27: warning: "n.tiles": INT32: these bytes look like two')

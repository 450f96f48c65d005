# SPDX-License-Identifier: Apache-2.0
"""Tiles as the host library writes and reads them: ``host.toml`` has what it did.

``python -m tilepath.tests.host`` measures that again, where the library can be installed.
"""

from __future__ import annotations

import subprocess
import sys
import warnings
import zlib

import numpy as np
import pytest

from tilepath.models import Machine, tiles
from tilepath.models.tiles import HOST_INTEGERS, from_l1, to_l1
from tilepath.tests.host.tiles import FORMATS, TABLE, exact, measured, played, some


@pytest.mark.filterwarnings("ignore:.*look like")
def test_as_it_was_measured() -> None:
    for one, want in measured():
        assert exact(played(one), one.what) == want, one[:2]


@pytest.mark.filterwarnings("ignore:.*look like")
@pytest.mark.parametrize("name", FORMATS)
def test_all_shapes(name: str) -> None:
    """Tiles of 1 x 16 to 32 x 32, transposed ones too, written and read."""
    found = 0
    for one in some([name]):
        found = zlib.crc32(exact(played(one), one.what).encode(), found)
    assert found == TABLE["drawn"][name]


def test_names_of_integers() -> None:
    """An option or a name: the same bytes, and numbers of the type that holds them."""
    for name, form in HOST_INTEGERS.items():
        numbers = np.array([[form.least, form.largest, *range(14)]])
        tile = to_l1(numbers, name, face=None)
        short = name.removesuffix("_HOST")
        assert (tile == to_l1(numbers, short, face=None, rounding="host")).all()
        found = from_l1(tile, name, (1, 16), face=None)
        assert found.tolist() == numbers.tolist()
        assert found.dtype == (np.uint32 if name == "UINT32_HOST" else np.int32)
        again = from_l1(tile, short, (1, 16), face=None, reader="host")
        assert again.tolist() == numbers.tolist()


def test_integers_in_registers() -> None:
    """The hardware moves 32 and 16 bits as they are, so Dst has the host's integers, too."""
    numbers = [-1, -(1 << 31), 5]
    found = tiles.dst_values(tiles.dst_bits(numbers, "INT32_HOST"), "INT32_HOST")
    assert found.tolist() == numbers
    assert tiles.dst_bits([-1], "INT32_HOST") == tiles.dst_bits([-0x7FFFFFFF], "INT32")
    for made, values in ((tiles.src_bits, tiles.src_values), (tiles.dst_bits, tiles.dst_values)):
        assert values(made([0, 65535], "UINT16_HOST"), "UINT16_HOST").tolist() == [0, 65535]
    m = Machine()
    tiles.write_dst(m, 0, np.full((1, 16), -7), "INT32_HOST")
    assert (tiles.read_dst(m, 0, 1, "INT32_HOST") == -7).all()


def test_rounding_is_better() -> None:
    """Root of the mean square of the error of a normal tile in BFP4."""
    numbers = np.random.default_rng(1).normal(size=(32, 32))
    made = [to_l1(numbers, "BFP4", rounding=how) for how in ("hardware", "host")]
    errors = [np.sqrt(((from_l1(tile, "BFP4") - numbers) ** 2).mean()) for tile in made]
    assert np.round(errors, 2).tolist() == [0.2, 0.12]


def test_half_a_line() -> None:
    """1 x 16 numbers of BFP4: 24 bytes from the host, two lines from a packer; both can be read."""
    numbers = np.arange(-8, 8).reshape(1, 16) % 7
    for how, size in (("host", 24), ("hardware", 32)):
        tile = to_l1(numbers, "BFP4", face=(1, 16), header=0, rounding=how)
        assert len(tile) == size
        for reader in ("host", "hardware"):
            found = from_l1(tile[:24], "BFP4", (1, 16), face=(1, 16), header=0, reader=reader)
            assert found.tolist() == numbers.tolist()


@pytest.mark.parametrize(("form", "numbers", "said", "doubted"), TABLE["doubts"])
def test_doubts(form: str, numbers: list[float], said: str, doubted: str) -> None:
    tile = to_l1(np.array([numbers + [0] * (16 - len(numbers))]), form, face=None)
    if doubted:
        with pytest.warns(UserWarning, match=f"^{doubted}"):
            from_l1(tile, said, (1, 16), face=None)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        from_l1(tile, said, (1, 16), face=None)


def test_a_python_that_is_not_there_is_one_line() -> None:
    command = [sys.executable, "-m", "tilepath.tests.host", "no/python"]
    done = subprocess.run(command, capture_output=True, text=True)
    wanted = (2, "", "no/python: No such file or directory\n")
    assert (done.returncode, done.stdout, done.stderr) == wanted

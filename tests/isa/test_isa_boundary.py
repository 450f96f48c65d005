# SPDX-License-Identifier: Apache-2.0
"""Boundaries: what follows from a description, and that the contracts tell the same faults."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tilepath.isa.boundary import (
    NOT_KNOWN,
    Boundary,
    Field,
    Origin,
    Stream,
    adc,
    control,
    describe,
    fault_pkg,
    frontend,
    frontend_control,
    unpack,
)
from tilepath.isa.generate import ROOT

BOUNDARIES = [m.BOUNDARY for m in (adc, control, frontend, frontend_control, unpack)]
OWN = [boundary for boundary in BOUNDARIES if boundary.name != "frontend_control"]
BITS = Field("value", 8, bits=(("low", 3), ("", 1), ("on", 1), ("high", 3)))


@pytest.mark.parametrize("boundary", BOUNDARIES, ids=lambda b: b.name)
def test_every_stream_can_be_told_in_an_origin(boundary: Boundary) -> None:
    for place, name in enumerate(boundary.inputs):
        origin = Origin(name, 70_000_000 + place)
        number = origin.encode(boundary.inputs)
        assert number == np.int64(number) and boundary.number(name) == number % 256 == place
        assert Origin.decode(number, boundary.inputs) == origin
    assert Origin.decode(NOT_KNOWN, boundary.inputs) is None
    assert set(boundary.inputs).isdisjoint(boundary.outputs)


def test_what_is_no_origin_is_refused() -> None:
    with pytest.raises(IndexError):
        Origin.decode(-2, adc.BOUNDARY.inputs)
    with pytest.raises(IndexError):
        Origin.decode(200, adc.BOUNDARY.inputs)
    with pytest.raises(ValueError):
        Origin("unit_fault", 0).encode(adc.BOUNDARY.inputs)


def test_layouts_of_records_and_of_what_is_expected() -> None:
    stream = Stream("s", "output", fields=(Field("a", 19, count=3), Field("b", 32)))
    assert stream.payload_words == 4
    assert stream.dtype["a"].shape == (3,)
    assert stream.expected_dtype.names == ("cycle", "a", "b", "origin")
    assert stream.expected_dtype.itemsize == stream.dtype.itemsize + 8
    assert Stream("t", "output").expected_dtype.names == ("cycle", "origin")


def test_groups_of_bits() -> None:
    value = BITS.value(low=5, on=1, high=[2, 7])
    assert value.tolist() == [5 | 1 << 4 | 2 << 5, 5 | 1 << 4 | 7 << 5]
    found = {name: some.tolist() for name, some in BITS.split(value).items()}
    assert found == {"low": [5, 5], "on": [1, 1], "high": [2, 7]}
    with pytest.raises(ValueError, match="low: 0 to 7, not 8 to 8"):
        BITS.value(low=8)
    with pytest.raises(ValueError, match="has no middle"):
        BITS.value(middle=1)
    with pytest.raises(ValueError, match="value: 0 to 255"):
        BITS.split(256)


def test_values_are_described() -> None:
    assert describe(BITS, 5 | 1 << 4) == "low 0x5, on"
    assert describe(BITS, 0) == ""
    states = Field("state", 2, values=("IDLE", "BUSY"))
    assert [describe(states, n) for n in range(3)] == ["IDLE", "BUSY", ""]
    semaphores = control.BOUNDARY.stream("semaphores").fields[0]
    assert (
        describe(semaphores, 0x4303A545) == "s0 0x5, s1 0x4, s2 0x5, s3 0xa, s4 0x3, s6 0x3, s7 0x4"
    )
    flags = unpack.BOUNDARY.stream("fault").fields[1]
    assert describe(flags, 1 << 27 | 1) == "reserved_bit, empty_flip"


def test_groups_must_add_up() -> None:
    with pytest.raises(ValueError, match="do not add up to 8 bits"):
        Field("value", 8, bits=(("low", 3),))
    with pytest.raises(ValueError, match="0 values"):
        Field("value", count=0)


@pytest.mark.parametrize("boundary", BOUNDARIES, ids=lambda b: b.name)
def test_every_fault_is_recorded(boundary: Boundary) -> None:
    """As a field of its own or, of a vector, as a named bit."""
    for fault in boundary.faults:
        fields = boundary.stream(fault.stream).fields
        vector = [f for f in fields if f.name == "flags"]
        if vector:
            assert vector[0].bits[fault.bit] == (fault.name, 1)
        else:
            assert fields[fault.bit].name == fault.name
        assert fault.meaning


@pytest.mark.parametrize("boundary", OWN, ids=lambda b: b.name)
def test_the_contract_names_every_fault_and_stream(boundary: Boundary) -> None:
    text = (ROOT / "docs" / f"{boundary.name}.md").read_text(encoding="utf-8")
    words = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`\n]+)`", text))))
    missing = {fault.name for fault in boundary.faults if fault.stream != "counter_fault"} - words
    assert not missing
    assert not {stream.name for stream in boundary.streams} - words


def test_the_packages_have_every_fault_once() -> None:
    for boundary in fault_pkg.BLOCKS:
        (text,) = [
            t for p, t in fault_pkg.packages("x").items() if p.name.startswith(boundary.name)
        ]
        names = re.findall(r"localparam int (\w+) = (\d+);  //", text)
        assert [int(bit) for _, bit in names] == [fault.bit for fault in boundary.faults]
        assert len({name for name, _ in names}) == len(boundary.faults)

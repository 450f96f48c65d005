# SPDX-License-Identifier: Apache-2.0
"""What a run recorded, as tables: a row for each record, a column for each field and its parts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilepath.engine.description.block import Block
from tilepath.engine.description.stream import FILLER, Field, Records, Stream
from tilepath.engine.host.files import read_bytes

Table = Mapping[str, NDArray[Any]]
"""Name of a column → its values, one a record; the first is ``cycle``."""


def recorded(run_dir: Path, name: str, stream: Stream) -> Records:
    """All records of a stream, whole or not: of a run that failed or was killed as well.

    ``ValueError`` for a trace that is not there, or is no file.
    """
    path = run_dir / "trace" / f"{name}.bin"
    try:
        data = read_bytes(path)
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from None
    whole = len(data) // stream.dtype.itemsize * stream.dtype.itemsize
    records = np.frombuffer(data[:whole], stream.dtype)
    return records[records["cycle"] < FILLER]  # neither markers nor what fills a batch


def table(block: Block, name: str, records: Records) -> Table:
    """Cycle, fields, named groups of their bits (``field.group``) and names of their values.

    A field of up to 64 bits is a number, a longer one text in hexadecimal; one of several values
    has a column for each (``field[0]``). ``meaning`` is what the block says of a record, such as a
    disassembly, if it says anything.
    """
    stream = block.stream_table[name]
    columns: dict[str, NDArray[Any]] = {"cycle": records["cycle"]}
    meaning = np.full(len(records), "", object)
    for field in stream.fields:
        for title, values in _values(field, records[field.name]).items():
            columns[title] = values
            if field.bits and values.dtype.kind == "u" and field.width <= 32:
                columns |= {f"{title}.{n}": v for n, v in field.split(values).items()}
            if field.values:
                names = np.array([*field.values, ""], object)
                columns[f"{title}.name"] = names[np.minimum(values, len(field.values))].astype(str)
            elif values.dtype.kind == "u" and not field.bits:
                said = [block.explain(name, field.name, int(value)) for value in values]
                meaning += np.array([f"; {text}" if text else "" for text in said], object)
    if any(meaning):
        columns["meaning"] = np.array([text[2:] for text in meaning])
    return columns


def _values(field: Field, words: NDArray[np.uint32]) -> dict[str, NDArray[Any]]:
    """Title → values of one field; ``words``: n, or n × words of a long one."""
    if field.words == 1:
        return {field.name: words}
    each = field.words // field.count
    found: dict[str, NDArray[Any]] = {}
    for index in range(field.count):
        part = words[:, index * each : (index + 1) * each]
        title = f"{field.name}[{index}]" if field.count > 1 else field.name
        if each == 1:
            found[title] = part[:, 0]
        elif each == 2:
            found[title] = part[:, 0] | part[:, 1].astype(np.uint64) << np.uint64(32)
        else:
            digits = -(-field.width // 4)
            rows = part[:, ::-1].astype(">u4")
            found[title] = np.array([row.tobytes().hex()[-digits:] for row in rows], f"U{digits}")
    return found

# SPDX-License-Identifier: Apache-2.0
"""What the runs of a regression have of their own: a limit of memory, a digest, a signature."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilepath.engine.host.request import RunResult
from tilepath.engine.host.run import RunRequest, _blame_disk, run
from tilepath.engine.host.traits import digest, signature
from tilepath.tests.cosim_runs import SMALL


def _request(out: Path, **more: object) -> RunRequest:
    return RunRequest("adc", "random", 1, SMALL, cycles=300, out_dir=out, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("cold", [False, True])
def test_memory_beyond_the_limit(tmp_path: Path, cold: bool) -> None:
    result = run(_request(tmp_path, cold=cold, memory=20))
    assert result.status == "error"
    assert result.message.startswith("more than 20 MiB of memory, which is the limit of a run")
    assert (result.digest, result.signature[:25]) == ("", "more than # MiB of memory")
    assert run(_request(tmp_path, cold=cold, memory=20_000)).status == "pass"


def test_a_simulator_that_is_stopped_before_it_writes(tmp_path: Path) -> None:
    """As one that needs too much at once: its verdict is not about a log that is not there."""
    request = _request(tmp_path)
    request.run_dir.mkdir(parents=True)
    _blame_disk(request, "more than 20 MiB of memory")
    (request.run_dir / "sim.log").write_text("write error: No space left on device")
    with pytest.raises(OSError, match="No space left"):
        _blame_disk(request, "")


def test_the_digest_is_that_of_all_traces(tmp_path: Path) -> None:
    one, other = (run(_request(tmp_path / name, cold=name == "b")) for name in "ab")
    assert one.digest == other.digest and len(one.digest) == 64 and one.signature == ""
    assert RunResult.from_json(one.run_dir / "result.json").digest == one.digest
    for path in sorted((other.run_dir / "trace").iterdir()):
        content = path.read_bytes()
        path.write_bytes(content + b"\0")
        assert digest(path.parent) != one.digest
        path.write_bytes(content)
    assert digest(path.parent) == one.digest


def test_signatures_of_messages() -> None:
    assert signature("no end after 3,600 s at 0xAb\nmore") == "no end after # s at #"
    assert signature("x", "got word") == "got word"

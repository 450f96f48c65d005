# SPDX-License-Identifier: Apache-2.0
"""Child processes end with their parent, keep its locks, and are told apart from other files."""

from __future__ import annotations

import fcntl
import os
import signal
import socket
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tilepath.engine.commands.errors import UsageError
from tilepath.engine.commands.results import output_directory
from tilepath.engine.host import children, run
from tilepath.engine.host.files import open_regular, read_bytes
from tilepath.engine.host.request import RunRequest
from tilepath.tests.commands import alive, call, until

_PARENT = """
    import subprocess, sys
    from pathlib import Path
    from tilepath.engine.commands.results import output_directory
    from tilepath.engine.host import children
    with output_directory(Path(sys.argv[1])):
        child = subprocess.Popen(
            children.guarded(["sh", "-c", sys.argv[2]]),
            cwd=sys.argv[1],
            pass_fds=children.inherited(),
            start_new_session=True,
        )
        child.wait()
"""


def _killed_parent(folder: Path, shell: str, files: tuple[str, ...]) -> list[int]:
    """Kill a process that waits for ``shell``; the processes that this has noted in ``files``."""
    script = textwrap.dedent(_PARENT)
    parent = subprocess.Popen([sys.executable, "-c", script, str(folder), shell])
    paths = [folder / name for name in files]
    until(lambda: all(path.exists() and path.read_text().strip() for path in paths))
    parent.kill()
    parent.wait()
    return [int(path.read_text()) for path in paths]


def test_a_killed_parent_takes_its_child_with_it(tmp_path: Path) -> None:
    (child,) = _killed_parent(tmp_path, "echo $$ > child; exec sleep 600", ("child",))
    until(lambda: not alive(child))


def test_a_folder_stays_locked_while_anything_writes_to_it(tmp_path: Path) -> None:
    shell = "sleep 600 & echo $! > grandchild; echo $$ > child; wait"
    child, grandchild = _killed_parent(tmp_path, shell, ("child", "grandchild"))
    until(lambda: not alive(child))
    found = rf"writing to .* \(processes: {grandchild}\)"
    with pytest.raises(UsageError, match=found), output_directory(tmp_path):
        pass
    os.kill(grandchild, signal.SIGKILL)
    until(lambda: not alive(grandchild))
    with (tmp_path / ".lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_a_lock_of_one_thread_is_not_for_the_children_of_others() -> None:
    before = children.inherited()
    with children.all_inherit(77), children.own_inherit(78):
        assert set(children.inherited()) == {*before, 77, 78}
    assert children.inherited() == before


def test_a_child_has_the_signals_of_a_new_process() -> None:
    show = "grep SigIgn /proc/self/status"
    ignored = call(*children.guarded(["sh", "-c", show]))
    assert int(ignored.stdout.split()[1], 16) & (1 << signal.SIGXFSZ - 1) == 0


def test_a_command_that_is_not_there_is_one_line() -> None:
    done = call(*children.guarded(["/nonexistent/vvp"]))
    assert (done.returncode, done.stdout) == (127, "")
    assert done.stderr == "/nonexistent/vvp: No such file or directory\n"


@pytest.mark.parametrize("kind", ["a FIFO", "a device", "a directory", "socket"])
def test_what_is_no_file_is_refused_at_once(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "trace.bin"
    if kind == "a FIFO":
        os.mkfifo(path)
    elif kind == "a device":
        path.symlink_to("/dev/zero")
    elif kind == "a directory":
        path.mkdir()
    else:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(path))
    with pytest.raises(OSError, match=rf"it is .*{kind}.*, not a file"):
        read_bytes(path)


def test_a_regular_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "trace.bin"
    path.write_bytes(b"abc")
    assert read_bytes(path) == b"abc"
    os.close(open_regular(path, os.O_RDWR))


def test_memory_of_killed_runs_is_given_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "_MEMORY", tmp_path)
    for name in ("tilepath-dead", "tilepath-alive", "tilepath-new", "other"):
        (tmp_path / name).mkdir()
        if name != "tilepath-new":
            (tmp_path / name / "lock").touch()
    with (tmp_path / "tilepath-alive" / "lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        run._remove_orphans()
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"tilepath-alive", "tilepath-new", "other"}


def test_memory_that_is_short_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed, room in ((1, 0), (2, 1 << 60)):
        monkeypatch.setattr(run, "_ROOM", room)
        request = RunRequest("b", "t", seed, "verilator", cycles=1 << 20, out_dir=tmp_path)
        request.run_dir.mkdir(parents=True)
        with run._data_folders(request):
            assert request.trace_dir.is_dir() and request.trace_dir.is_symlink() == (room == 0)

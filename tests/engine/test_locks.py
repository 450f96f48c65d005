# SPDX-License-Identifier: Apache-2.0
"""Locks that others hold, and children: they end with their parent, and keep its locks."""

from __future__ import annotations

import fcntl
import os
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path
from typing import Final

import pytest

from tilepath.engine.commands import processes
from tilepath.engine.commands.errors import UsageError
from tilepath.engine.commands.results import output_directory
from tilepath.engine.host import children, locks, run, store
from tilepath.engine.host.files import open_regular, read_bytes
from tilepath.engine.host.request import RunRequest
from tilepath.tests.commands import alive, call, until

_FILES: Final = Path("/proc/self/fd")
_HOLDER: Final = """
import sys
from pathlib import Path
from tilepath.engine.host import store
with store.locked(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def waited_for(folder: Path, seconds: float) -> int:
    """The process that has the lock of a build for so long while a thread waits for it."""
    command = [sys.executable, "-c", _HOLDER, str(folder)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == "held\n"
        waiting = _Waiting(folder)
        time.sleep(seconds)
        assert waiting.is_alive() and holder.stdin is not None
        holder.stdin.close()
        waiting.join(20)
    assert waiting.error is None and not waiting.is_alive()
    return holder.pid


class _Waiting(threading.Thread):
    """Takes the lock of a build in a thread; ``error``: what came instead."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder
        self.error: BaseException | None = None
        self.start()

    def run(self) -> None:
        try:
            with store.locked(self._folder):
                pass
        except RuntimeError as error:
            self.error = error


def test_who_holds_a_lock_is_said_once_and_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(locks, "SAY_AFTER", 0.05)
    folder = tmp_path / "icarus" / "adc-0123456789abcdef"
    holder = waited_for(folder, 0.6)
    (line,) = capfd.readouterr().err.splitlines()
    said = f"tilepath: adc (icarus) is being compiled (processes: {holder}): waiting for it"
    assert line == said


def test_what_is_held_for_a_moment_is_not_worth_a_word(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    waited_for(tmp_path / "adc-0", 0.2)
    assert capfd.readouterr().err == ""


def test_another_thread_has_said_what_it_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(locks, "SAY_AFTER", 0.05)
    with store.locked(tmp_path / "adc-0"):
        waiting = _Waiting(tmp_path / "adc-0")
        time.sleep(0.4)
        assert waiting.is_alive()
    waiting.join(20)
    assert waiting.error is None and capfd.readouterr().err == ""


def test_who_has_to_end_waits_no_longer(tmp_path: Path) -> None:
    """As with Ctrl-C: a thread in a lock would keep the process for as long as the other builds."""
    with store.locked(tmp_path / "adc-0"):
        waiting = _Waiting(tmp_path / "adc-0")
        until(lambda: waiting.is_alive())
        locks.given_up.set()
        waiting.join(20)
        locks.given_up.clear()
    assert isinstance(waiting.error, locks.GivenUpError)


def test_a_command_that_ends_gives_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[bool] = []

    def descendants() -> list[int]:
        seen.append(locks.given_up.is_set())
        return []

    monkeypatch.setattr(processes, "descendants", descendants)
    processes.end_descendants([])
    assert seen == [True] and not locks.given_up.is_set()


def test_a_lock_leaves_no_file_open(tmp_path: Path) -> None:
    before = len(list(_FILES.iterdir()))
    with locks.held(tmp_path / "lock", ""):
        with pytest.raises(BlockingIOError), locks.held(tmp_path / "lock", ""):
            pass
        assert os.getpid() in locks.holders(tmp_path / "lock")
    assert len(list(_FILES.iterdir())) == before
    assert (locks.named([3, 7]), locks.named([])) == (" (processes: 3, 7)", "")


# -- children, and what is no file of a run


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

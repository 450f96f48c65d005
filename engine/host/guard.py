# SPDX-License-Identifier: Apache-2.0
"""Becomes another program that gets a signal as soon as the process that started it has ended.

``python guard.py PARENT SIGNAL COMMAND…``: a script of its own, without the packages, because it
stands in front of every simulation. It is no function that runs between fork and exec, because the
process that forks has threads.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def main() -> None:
    """Ask the kernel for the signal, then become the command; status 127 if there is none."""
    parent, number, *command = sys.argv[1:]
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(number))
    if os.getppid() != int(parent):  # it ended before
        os.kill(os.getpid(), signal.SIGKILL)
    # Python ignores these, and what it becomes would go on to do so
    for ignored in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(ignored, signal.SIG_DFL)
    try:
        os.execvp(command[0], command)
    except OSError as error:
        print(f"{command[0]}: {error.strerror}", file=sys.stderr)
        raise SystemExit(127) from None


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""How the command line speaks: errors of the user's are one line, with a status; ``--json``.

With that an object is on stdout, the rest on stderr; docs/commands-json.md says what it has.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from typing import Any

from typer.core import TyperGroup
from typer.exceptions import Abort, TyperException

from tilepath.engine.commands.errors import UsageError
from tilepath.engine.commands.processes import Interrupted
from tilepath.engine.errors import there_are


class OneLineGroup(TyperGroup):
    """Shows every error of the user's as one line."""

    def resolve_command(
        self, ctx: Any, args: list[str]
    ) -> tuple[str | None, Any | None, list[str]]:
        """The command that is named; ``UsageError`` for one that there is not."""
        if not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            known = there_are(self.list_commands(ctx), args[0])
            raise UsageError(f"there is no command {args[0]!r}; {known}")
        return super().resolve_command(ctx, args)

    def main(self, *args: Any, **more: Any) -> Any:
        """Run the command line and end the process with its status."""
        inner = {**more, "standalone_mode": False}
        if not more.get("standalone_mode", True):
            return super().main(*args, **inner)
        try:
            status = super().main(*args, **inner)
        except TyperException as error:
            _complain(error.format_message())
            status = 2
        except UsageError as error:
            _complain(str(error), error.shown)
            status = 2
        except Interrupted as error:
            _complain("interrupted; everything that was running has been stopped")
            status = error.exit_status
        except (Abort, KeyboardInterrupt):
            _complain("interrupted")
            status = 130
        except OSError as error:
            _complain(_told(error))
            status = 2
        else:
            if status == 130:  # Typer's own answer to Ctrl-C
                _complain("interrupted")
        raise SystemExit(_flushed(status if isinstance(status, int) else 0))


def _complain(text: str, shown: str = "") -> None:
    # One line, whatever the text contains.
    print(f"tilepath: {' '.join(text.split())}", *filter(None, [shown]), sep="\n", file=sys.stderr)


def _told(error: OSError) -> str:
    """A system's error, with the file if it names one."""
    place = f": {error.filename}" if error.filename else ""
    return f"{error.strerror or error}{place}"


def _flushed(status: int) -> int:
    """``status``, or 2 and a line if what was printed cannot be written (``> /dev/full``)."""
    if sys.stdout is None:  # closed by whoever started this
        return status
    try:
        sys.stdout.flush()
    except OSError as error:
        _complain(f"what is printed cannot be written: {_told(error)}")
        # or Python would try it again at its end, and say so in its own way
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 2
    return status


Tell = Callable[[Mapping[str, Any]], None]  # prints an object


def written(facts: Mapping[str, Any]) -> str:
    """The object; ``schema`` counts up when a key goes, or means something else."""
    return json.dumps({"schema": 1, **facts}, indent=1)


@contextmanager
def only_json(wanted: bool) -> Iterator[Tell | None]:
    """Inside, only what comes back prints to stdout; ``None``: everything does, as usual."""
    if not wanted:
        yield None
        return
    stdout = sys.stdout
    with redirect_stdout(sys.stderr):
        yield lambda facts: print(written(facts), file=stdout)

# SPDX-License-Identifier: Apache-2.0
"""How the command line ends: every error of the user's is one line, with a status of its own."""

from __future__ import annotations

import os
import sys
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
            _complain(str(error))
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


def _complain(text: str) -> None:
    # One line, whatever the text contains.
    print(f"tilepath: {' '.join(text.split())}", file=sys.stderr)


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

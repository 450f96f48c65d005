# SPDX-License-Identifier: Apache-2.0
"""Jobs on the workers of a Dask cluster: what ``--executor dask`` does.

A worker builds what it has not built yet, as any process that runs a job; Dask gives jobs of a
worker that is lost to another one.
"""

from __future__ import annotations

import asyncio
import logging
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from tilepath.engine.commands.errors import UsageError
from tilepath.engine.commands.regress.work import sources
from tilepath.engine.commands.regression import Outcome
from tilepath.engine.commands.report import ShowProgress
from tilepath.engine.commands.run_list import PlannedRun
from tilepath.engine.commands.simulation import EngineRunner, RunOptions

IN_FLIGHT: Final = 256
"""Jobs that the scheduler has at once, unless ``--jobs`` says: workers may join at any time."""

_PATIENCE: Final = 10  # seconds for a scheduler to answer
_LARGEST: Final = 16 << 20  # bytes of a file that comes back from a worker

Files = dict[str, bytes]


@contextmanager
def cluster(
    address: str,
) -> Iterator[tuple[Callable[[RunOptions], EngineRunner], Callable[[], None], int]]:
    """What makes the runner of a group, what ends its jobs, how many of these there are at once.

    For ``tls://`` certificates are where Dask's configuration says (``distributed.comm.tls``).

    Raises:
        UsageError: no such scheduler, or it does not answer; Dask is not installed.
    """
    try:
        from distributed import Client
    except ImportError:
        raise UsageError("--executor dask needs Dask: pip install 'tilepath[regress]'") from None
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what matters is raised, too
    try:
        asyncio.run(_reached(address))
        client: Any = Client(address, timeout=_PATIENCE, set_as_default=False)  # type: ignore[no-untyped-call]
    except Exception as error:  # of an address, of the network, of certificates, of versions
        raise UsageError(
            f"--scheduler {address} cannot be reached: {error or 'no answer'}"
        ) from None
    with client:
        mine = sources()
        yield (
            lambda options: _ClusterRunner(client, address, mine, options),
            client.close,
            IN_FLIGHT,
        )


async def _reached(address: str) -> None:
    """Connect, as a client waits for ever for what takes a connection and says nothing."""
    from distributed import Security
    from distributed.comm.core import connect

    arguments = Security().get_connection_args("client")  # type: ignore[no-untyped-call]
    connecting = connect(address, timeout=_PATIENCE, **arguments)  # type: ignore[no-untyped-call]
    comm = await asyncio.wait_for(connecting, _PATIENCE + 1)
    await comm.close()


class _ClusterRunner(EngineRunner):
    """Hands jobs to the scheduler, and puts what comes back where a local run would have it."""

    def __init__(self, client: Any, address: str, mine: str, options: RunOptions) -> None:
        super().__init__(options)
        self._client, self._address, self._mine = client, address, mine

    def in_order(self, blocks: Sequence[str]) -> list[str]:
        """Yield the outcomes as they come."""
        return list(blocks)

    def build(self, block: str, progress: ShowProgress) -> None:
        """Build nothing: workers do."""

    def run(self, run_: PlannedRun) -> Outcome:
        """Wait for a worker's answer; what no job can be blamed for ends the regression."""
        from distributed import KilledWorker

        options = self._options
        job = self._client.submit(work, self._mine, options, run_, pure=False)
        try:
            outcome, files = job.result()
        except KilledWorker as error:
            return Outcome(run_, "error", message=f"its workers were lost: {error}")
        except OSError:  # a worker's disk is full
            raise
        except Exception as error:
            raise UsageError(f"--scheduler {self._address}: {error}; --resume goes on") from None
        for name, content in files.items():
            path = options.out / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        found: Outcome = outcome
        return found


def work(expected: str, options: RunOptions, run: PlannedRun) -> tuple[Outcome, Files]:
    """Do one job on a worker; its outcome, and by name the files that belong to it.

    Raises:
        RuntimeError: the sources here are not those that are ``expected``.
    """
    if sources() != expected:
        raise RuntimeError("a worker has another version of the project, or other sources")
    with tempfile.TemporaryDirectory(prefix="tilepath-") as name:
        here = Path(name).resolve()
        try:
            outcome = EngineRunner(replace(options, out=here)).run(run)
        except OSError:
            raise
        except Exception as error:  # as where it runs beside the command
            return Outcome(run, "error", message=f"{type(error).__name__}: {error}"), {}

        def there(path: Path | None) -> Path | None:
            return path and options.out / path.relative_to(here)

        kept = here.rglob("*") if not outcome.passed else filter(None, [outcome.coverage_file])
        files = {
            path.relative_to(here).as_posix(): path.read_bytes()
            for path in kept
            if path.is_file() and path.stat().st_size <= _LARGEST
        }
        paths = {x: there(getattr(outcome, x)) for x in ("report", "coverage_file")}
        return replace(outcome, **paths), files  # type: ignore[arg-type]

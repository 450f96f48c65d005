# SPDX-License-Identifier: Apache-2.0
"""Coverage to other tools and from them: UCIS as XML and SQLite, lcov.

Each block and profile is an instance ``adc (baseline)`` of a design unit ``adc``, what stands
before the dot of a point a covergroup, each point a coverpoint with the names of its bins; the
history has a node a run, and one of kind MERGE for each instance, whose command is the values of
the profile's parameters (``readings``): without it they were those before any was added. pyucis
reads and writes; what it does not do right is done around:

- A cross refers to coverpoints of its covergroup, whose bins would count as well: here it is a
  coverpoint whose bins are called ``a*b``, and the numbers are those of ``tilepath coverage``.
- ``merge`` raises ``UnimplError`` or leaves types as they were: counts are added here.
- Its SQLite writes to what it only reads, and makes what is not there: it gets a copy, and a file
  of ours appears as a whole.
- Its lcov has numbers of lines only, and files of the same name for all instances: ours has a file
  a point, which genhtml shows, and a line and a function a bin. Nothing reads lcov back.
- Its XML calls every run passed, whatever its status; in SQLite one without a status has failed.
- Its ``merge --fast`` adds hits to other instances than theirs: merge without it.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from copy import copy
from pathlib import Path
from typing import Any, Final

from tilepath import __version__
from tilepath.engine.commands.errors import UsageError
from tilepath.engine.coverage.report import CoverageReport
from tilepath.engine.coverage.rtl import lcov_record
from tilepath.engine.description.readings import profile_of, readings_of
from tilepath.engine.description.registry import block_names, load_block
from tilepath.engine.host.files import read_bytes, write_whole
from tilepath.engine.host.request import RunResult
from tilepath.isa import profiles

Key = tuple[str, str]
Reports = MutableMapping[Key, CoverageReport]
Runs = Mapping[Key, Sequence[RunResult]]

SUFFIXES: Final = (".xml", ".sqlite", ".info")
_INSTANCE: Final = re.compile(r"(\w+)(?: \((.+)\))?")
_BINS: Final = "tilepath-bins"
_READINGS: Final = "tilepath readings "  # a node's command is what SQLite keeps of it
_PROFILES: Final = profiles.names()


def check_name(path: Path) -> None:
    """``UsageError`` unless the name says a format."""
    if path.suffix not in SUFFIXES:
        raise UsageError(f"{path}: a file is called {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}")


def export(path: Path, reports: Mapping[Key, CoverageReport], runs: Runs) -> None:
    """Write ``reports``, and which ``runs`` they are the sum of, in the format of the name.

    ``UsageError``: UCIS without pyucis. ``OSError``: what was there is as before.
    """
    check_name(path)
    if path.suffix == ".info":
        _export_lcov(path, reports)
        return
    form = _formats()(path.suffix[1:]).fmt_if()
    with tempfile.TemporaryDirectory(prefix="tilepath-ucis-") as folder:
        made = str(Path(folder) / path.name)
        database = form.create(made)
        _fill(database, reports, runs)
        form.write(database, made)
        database.close()
        write_whole(path, Path(made).read_bytes())


def _formats() -> Any:
    """What tells of a format by its name; ``UsageError`` without pyucis."""
    try:
        import ucis
    except ImportError:
        raise UsageError("UCIS needs pyucis: pip install 'tilepath[ucis]'") from None
    return ucis.FormatRgy.inst().getDatabaseDesc


def _export_lcov(path: Path, reports: Mapping[Key, CoverageReport]) -> None:
    """Write lcov's file and, in folders beside it, the files whose lines are bins.

    A folder is called after what is in it, too: exports with the same bins share it, so that lcov
    adds them, and what is there is never written to.
    """
    place = path.parent.absolute() / _BINS  # genhtml takes other paths as of where it is called
    rows: list[str] = []
    with contextlib.ExitStack() as undo:
        if not place.is_dir():
            place.mkdir()
            undo.callback(place.rmdir)
        for (block, profile), report in reports.items():
            files = {
                f"{_escaped(point, '/')}.txt": {_escaped(name): n for name, n in bins.items()}
                for point, bins in report.points.items()
            }
            names = repr([(file, *bins) for file, bins in files.items()])
            digest = hashlib.sha256(names.encode()).hexdigest()[:12]
            folder = place / f"{block}-{profile}-{digest}"
            if not folder.is_dir():
                with tempfile.TemporaryDirectory(dir=place) as made:
                    whole = Path(made) / "bins"
                    whole.mkdir()
                    for file, bins in files.items():
                        (whole / file).write_text("\n".join((*bins, "")))
                    whole.rename(folder)
                undo.callback(shutil.rmtree, folder)
            rows += (_record(folder / file, bins) for file, bins in files.items())
        write_whole(path, "".join(rows).encode())
        undo.pop_all()


def _escaped(name: str, more: str = "") -> str:
    """``name`` without what ends a field or a line, or is one of ``more``."""
    return re.sub(rf"[%,\0-\x1f{more}]", lambda found: f"%{ord(found[0]):02X}", name)


def _record(source: Path, bins: Mapping[str, int]) -> str:
    rows = [f"FN:{line},{name}" for line, name in enumerate(bins, 1)]
    rows += [f"FNDA:{count},{name}" for name, count in bins.items()]
    rows += [f"FNF:{len(bins)}", f"FNH:{sum(map(bool, bins.values()))}"]
    return lcov_record(source, rows, dict(enumerate(bins.values(), 1)))


def _fill(database: Any, reports: Mapping[Key, CoverageReport], runs: Runs) -> None:
    import ucis

    rest = (None, 1, ucis.UCIS_NONE)  # no place in a source, weight, no language
    units: dict[str, Any] = {}
    for (block, profile), report in reports.items():
        name = f"{block} ({profile})"
        for readings in readings_of(profile).values():
            node = database.createHistoryNode(None, name, name, ucis.UCIS_HISTORYNODE_MERGE)
            node.setCmd(f"{_READINGS}{readings}")
        for run in runs.get((block, profile), ()):
            called = f"{name}/{run.test}-{run.seed}"
            node = database.createHistoryNode(None, called, called, ucis.UCIS_HISTORYNODE_TEST)
            node.setTestStatus(ucis.UCIS_TESTSTATUS_OK)
            node.setSeed(str(run.seed))
            node.setCmd(run.command)
            node.setVendorId("tilepath")
            node.setVendorTool("tilepath")
            node.setVendorToolVersion(__version__)
        if block not in units:
            units[block] = database.createScope(block, *rest, ucis.UCIS_DU_MODULE, 0)
        instance = database.createInstance(name, *rest, ucis.UCIS_INSTANCE, units[block], 0)
        groups: dict[str, Any] = {}
        for point, bins in report.points.items():
            if not bins:  # all excluded: XML has no place for such a point
                continue
            group, _, own = point.partition(".") if "." in point else (block, "", point)
            if group not in groups:
                groups[group] = instance.createCovergroup(group, *rest)
            scope = groups[group].createCoverpoint(own, *rest)
            for label, count in bins.items():
                scope.createBin(label, None, 1, count, label, ucis.UCIS_CVGBIN)


def add_database(path: Path, reports: Reports) -> str:
    """Add what a UCIS database has of our points to ``reports``, bin by bin; a line about it.

    ``UsageError``: no pyucis, no such database or a damaged one, no point or other bins than ours.
    """
    formats = _formats()
    try:
        content = read_bytes(path)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    try:
        instances, tests, readings = _read(content, formats)
    except Exception as error:  # whatever pyucis, lxml or SQLite stumbles over
        first = (str(error) or type(error).__name__).partition("\n")[0]
        raise UsageError(
            f"{path} is no UCIS database in XML, SQLite or NCDB, or a damaged one ({first}); "
            f"pyucis convert -if FORMAT -of xml -o FILE.xml {path} makes one of other formats"
        ) from None
    added, left = [], 0
    for name, points in instances:
        ours = _ours(path, name, readings.get(name, ""), reports)
        known = ours.points if ours else {}
        mine: dict[str, dict[str, int]] = {}  # by our names
        for (group, own), bins in points.items():
            point = f"{group}.{own}" if f"{group}.{own}" in known else own
            if point in known:
                mine[point] = bins
        left += len(points) - len(mine)
        if ours is None or not mine:
            continue
        own_tests = sum(test.startswith(f"{name}/") for test in tests)
        reports[ours.block, ours.profile] = _sum(path, ours, mine, own_tests or len(tests) or 1)
        count = sum(map(len, mine.values()))
        added.append(f"{len(mine)} points of {name} with {count} bins")
    if not added:
        raise UsageError(f"{path} has none of our points")
    return ", ".join(added) + (f"; points left out that are none of ours: {left}" if left else "")


def _ours(path: Path, name: str, readings: str, reports: Reports) -> CoverageReport | None:
    """What an instance of this name is counted with; ``None``: none of ours."""
    match = _INSTANCE.fullmatch(name)
    profile = match[2] or "baseline" if match else ""
    if match is None or match[1] not in block_names() or profiles.base(profile) not in _PROFILES:
        return None
    try:
        about = {"block": match[1], "profile": profile, "readings": readings}
        key = match[1], profile_of(about)
        profiles.get(key[1])
    except ValueError as error:
        raise UsageError(f"{path}: {name}: {error}") from None
    if key not in reports:
        declared = load_block(key[0]).coverage(key[1]).report()
        declared.runs = 0
        return declared
    return reports[key]


Points = dict[tuple[str, str], dict[str, int]]
"""Covergroup and coverpoint → bin → count."""


def _sum(
    path: Path, ours: CoverageReport, mine: Mapping[str, Mapping[str, int]], runs: int
) -> CoverageReport:
    total = copy(ours)
    total.runs += runs
    total.points = {point: dict(bins) for point, bins in ours.points.items()}
    for point, bins in mine.items():
        for name, count in bins.items():
            if name not in total.points[point]:
                raise UsageError(f"{path}: point {point} has no bin {name!r} here")
            total.points[point][name] += count
    return total


def _read(
    content: bytes, formats: Callable[[str], Any]
) -> tuple[list[tuple[str, Points]], list[str], dict[str, str]]:
    """Each instance with its points, names of the tests in the history, readings by instance."""
    import ucis
    from ucis.ncdb.format_detect import detect_cdb_format

    with tempfile.TemporaryDirectory(prefix="tilepath-ucis-") as folder:
        file = Path(folder) / "copy"
        file.write_bytes(content)
        found = detect_cdb_format(str(file))
        database = formats("xml" if found == "unknown" else found).fmt_if().read(str(file))
        with contextlib.closing(database):
            tests = database.historyNodes(ucis.UCIS_HISTORYNODE_TEST)
            readings = {
                node.getLogicalName(): node.getCmd().removeprefix(_READINGS)
                for node in database.historyNodes(ucis.UCIS_HISTORYNODE_MERGE)
                if (node.getCmd() or "").startswith(_READINGS)
            }
            return list(_instances(database)), [one.getLogicalName() for one in tests], readings


def _instances(scope: Any) -> Iterator[tuple[str, Points]]:
    import ucis

    for instance in scope.scopes(ucis.UCIS_INSTANCE):
        points: Points = {}
        for group in instance.scopes(ucis.UCIS_COVERGROUP):
            # what a type has is the sum of its instances, if it has any
            for one in list(group.scopes(ucis.UCIS_COVERINSTANCE)) or [group]:
                for point in one.scopes(ucis.UCIS_COVERPOINT | ucis.UCIS_CROSS):
                    key = group.getScopeName(), point.getScopeName()
                    bins = points.setdefault(key, {})
                    for item in point.coverItems(ucis.UCIS_CVGBIN):
                        name, count = item.getName(), int(item.getCoverData().data)
                        if count < 0:
                            raise ValueError(f"bin {name} was hit {count} times")
                        bins[name] = bins.get(name, 0) + count
        yield instance.getScopeName(), points
        yield from _instances(instance)

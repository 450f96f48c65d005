# SPDX-License-Identifier: Apache-2.0
"""JUnit XML of a regression: a suite for each block, a case for each run."""

from __future__ import annotations

import re
import socket
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tilepath.engine.commands.regression import Outcome
from tilepath.engine.commands.run_list import PlannedRun, RunList
from tilepath.engine.host.files import write_whole

_LONGEST = 100_000  # characters of a report: servers that read these files have limits
_NOT_BEGUN = "not begun"  # --max-fail, a budget, or the regression still runs
# What XML 1.0 cannot hold, not even escaped.
_NOT_XML = re.compile(r"[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\U00010000-\U0010FFFF]")


@dataclass(frozen=True)
class Part:
    """Runs of one simulator and profile; ``began``: when, ISO 8601; ``about``: properties."""

    plan: RunList
    outcomes: Iterable[Outcome]
    began: str
    about: Mapping[str, str]


def write(path: Path, *parts: Part) -> None:
    """Write the file; it appears complete or not at all."""
    root = ET.Element("testsuites", name="tilepath")
    for part in parts:
        _add_part(root, part)
    ET.indent(root)
    write_whole(path, ET.tostring(root, encoding="utf-8", xml_declaration=True))


def _add_part(root: ET.Element, part: Part) -> None:
    plan = part.plan
    by_block: dict[str, list[Outcome]] = {block: [] for block in plan.blocks}
    left = dict.fromkeys(plan.runs)
    for outcome in part.outcomes:
        by_block[outcome.run.block].append(outcome)
        del left[outcome.run]
    for block, group in by_block.items():
        skipped = [run for run in left if run.block == block]
        facts = {"name": block, "timestamp": part.began, "hostname": socket.gethostname()}
        suite = ET.SubElement(root, "testsuite", {**facts, **_counts(group, skipped)})
        listed = ET.SubElement(suite, "properties")
        properties = {**part.about, "faults": str(sum(outcome.faults for outcome in group))}
        if plan.root_seed is not None:
            properties = {"root_seed": str(plan.root_seed), **properties}
        for name, value in properties.items():
            ET.SubElement(listed, "property", name=name, value=_xml(value))
        for outcome in group:
            _add_case(suite, outcome)
        for run in skipped:
            case = ET.SubElement(suite, "testcase", _case_name(run))
            ET.SubElement(case, "skipped", message=_NOT_BEGUN)
    for text in plan.broken:
        suite = ET.SubElement(root, "testsuite", name=text.split(":")[0], tests="1", errors="1")
        case = ET.SubElement(suite, "testcase", classname="tilepath", name="description")
        ET.SubElement(case, "error", message=_xml(text))


def _counts(group: Sequence[Outcome], skipped: Sequence[PlannedRun]) -> dict[str, str]:
    return {
        "tests": str(len(group) + len(skipped)),
        "skipped": str(len(skipped)),
        "failures": str(sum(outcome.status == "fail" for outcome in group)),
        "errors": str(sum(outcome.status == "error" for outcome in group)),
        "time": f"{sum(outcome.seconds for outcome in group):.3f}",
    }


def _add_case(suite: ET.Element, outcome: Outcome) -> None:
    case = ET.SubElement(suite, "testcase", _case_name(outcome.run), time=f"{outcome.seconds:.3f}")
    facts: dict[str, object] = {
        "seed": outcome.run.seed,
        "cycles": outcome.cycles,
        "events": outcome.events,
        "faults": outcome.faults,
    }
    if outcome.passed and outcome.message:
        facts["note"] = _xml(outcome.message)
    listed = ET.SubElement(case, "properties")
    for name, value in facts.items():
        ET.SubElement(listed, "property", name=name, value=str(value))
    if outcome.passed:
        return
    kind = "failure" if outcome.status == "fail" else "error"
    first_line = outcome.message.partition("\n")[0]
    failure = ET.SubElement(case, kind, message=_xml(first_line))
    failure.text = _xml(f"{_report(outcome)}\n{outcome.command}\n")


def _report(outcome: Outcome) -> str:
    """The whole report of a failure where there is one, else what was wrong in a few words."""
    if outcome.report is None or not outcome.report.is_file():
        return outcome.message
    text = outcome.report.read_text(errors="replace")
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}\n… (cut off)"


def _case_name(run: PlannedRun) -> dict[str, str]:
    return {"classname": f"tilepath.{run.block}", "name": f"{run.test}[{run.seed}]"}


def _xml(text: str) -> str:
    return _NOT_XML.sub("?", text)

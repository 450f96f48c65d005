#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# pyucis 0.2.0.22787133465: whether a test has passed is not what was stored.
#
# A test that failed (status FATAL), and one of which nothing was said, are written, and the tool is
# asked which tests have passed (the comparison of `pyucis show tests`).
# One would expect: the failed one has not, in both formats, and the other is one thing in both.
# Seen: XML has passed for both, as it keeps nothing but true; SQLite has the failed one right, and
# calls the one without a status failed. Who writes tests to both has to set OK, and must not write
# failed ones to XML.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/python" -m pip install --quiet --disable-pip-version-check pyucis==0.2.0.22787133465 lxml
cat > "$folder/passed.py" <<'PY'
import sys

from ucis.history_node_kind import HistoryNodeKind
from ucis.mem import MemUCIS
from ucis.scope_type_t import ScopeTypeT
from ucis.source_info import SourceInfo
from ucis.source_t import SourceT
from ucis.sqlite.sqlite_ucis import SqliteUCIS
from ucis.test_status_t import TestStatusT
from ucis.xml.xml_factory import XmlFactory


def fill(database):
    database.createHistoryNode(None, "failed", "failed", HistoryNodeKind.TEST).setTestStatus(TestStatusT.FATAL)
    database.createHistoryNode(None, "unsaid", "unsaid", HistoryNodeKind.TEST)
    place = SourceInfo(database.createFileHandle("m.sv", "."), 1, 1)
    unit = database.createScope("work.m", place, 1, SourceT.SV, ScopeTypeT.DU_MODULE, 0)
    database.createInstance("m", place, 1, SourceT.SV, ScopeTypeT.INSTANCE, unit, 0)


def passed(database):
    nodes = database.historyNodes(HistoryNodeKind.TEST)
    return {node.getLogicalName(): node.getTestStatus() == TestStatusT.OK for node in nodes}


folder = sys.argv[1]
database = SqliteUCIS(f"{folder}/one.db")
fill(database)
database.close()
database = MemUCIS()
fill(database)
XmlFactory.write(database, f"{folder}/one.xml")
print("passed, by SQLite:", sqlite := passed(SqliteUCIS(f"{folder}/one.db")))
print("passed, by XML:", xml := passed(XmlFactory.read(f"{folder}/one.xml")))
raise SystemExit((sqlite, xml) != (dict(failed=False, unsaid=False), dict(failed=True, unsaid=True)))
PY
"$folder/env/bin/python" "$folder/passed.py" "$folder"

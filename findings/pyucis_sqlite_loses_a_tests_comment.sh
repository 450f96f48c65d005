#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# pyucis 0.2.0.22787133465: what its SQLite database keeps of a test is not what its XML keeps.
#
# A test (a history node) gets a command, a comment and the version of the tool, is written, and is read back.
# One would expect: both formats give back all three, or refuse what they have no place for.
# Seen: XML gives back all three; SQLite gives back the command, and the other two as empty texts, without a word.
# Who stores anything beside the test's name so has to put it into the command.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/python" -m pip install --quiet --disable-pip-version-check pyucis==0.2.0.22787133465 lxml
cat > "$folder/kept.py" <<'PY'
import sys

from ucis.history_node_kind import HistoryNodeKind
from ucis.mem import MemUCIS
from ucis.scope_type_t import ScopeTypeT
from ucis.source_info import SourceInfo
from ucis.source_t import SourceT
from ucis.sqlite.sqlite_ucis import SqliteUCIS
from ucis.xml.xml_factory import XmlFactory


def fill(database):
    node = database.createHistoryNode(None, "one", "one", HistoryNodeKind.TEST)
    node.setCmd("run one")
    node.setComment("of night")
    node.setVendorToolVersion("7.1")
    place = SourceInfo(database.createFileHandle("m.sv", "."), 1, 1)
    unit = database.createScope("work.m", place, 1, SourceT.SV, ScopeTypeT.DU_MODULE, 0)
    database.createInstance("m", place, 1, SourceT.SV, ScopeTypeT.INSTANCE, unit, 0)


def kept(database):
    (node,) = database.historyNodes(HistoryNodeKind.TEST)
    return node.getCmd(), node.getComment(), node.getVendorToolVersion()


folder = sys.argv[1]
database = SqliteUCIS(f"{folder}/one.db")
fill(database)
database.close()
database = MemUCIS()
fill(database)
XmlFactory.write(database, f"{folder}/one.xml")
print("SQLite:", sqlite := kept(SqliteUCIS(f"{folder}/one.db")))
print("XML:", xml := kept(XmlFactory.read(f"{folder}/one.xml")))
raise SystemExit((sqlite, xml) != (("run one", "", ""), ("run one", "of night", "7.1")))
PY
"$folder/env/bin/python" "$folder/kept.py" "$folder"

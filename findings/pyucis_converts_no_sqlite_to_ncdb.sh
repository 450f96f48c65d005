#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# pyucis 0.2.0.22787133465: of its two own formats, SQLite with a test in it cannot be converted to NCDB.
#
# A database with one instance and one test (a history node) is written as SQLite and as XML, and both are converted to NCDB.
# One would expect two NCDB files, as SQLite keeps what XML keeps and more.
# Seen: XML is converted; SQLite ends with UnimplError. Who wants NCDB goes by way of XML.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/python" -m pip install --quiet --disable-pip-version-check pyucis==0.2.0.22787133465 lxml
cat > "$folder/make.py" <<'PY'
import sys

from ucis.history_node_kind import HistoryNodeKind
from ucis.mem import MemUCIS
from ucis.scope_type_t import ScopeTypeT
from ucis.source_info import SourceInfo
from ucis.source_t import SourceT
from ucis.sqlite.sqlite_ucis import SqliteUCIS
from ucis.xml.xml_factory import XmlFactory


def filled(database):
    database.createHistoryNode(None, "one", "one", HistoryNodeKind.TEST)
    place = SourceInfo(database.createFileHandle("m.sv", "."), 1, 1)
    unit = database.createScope("work.m", place, 1, SourceT.SV, ScopeTypeT.DU_MODULE, 0)
    database.createInstance("m", place, 1, SourceT.SV, ScopeTypeT.INSTANCE, unit, 0)
    return database


filled(SqliteUCIS(f"{sys.argv[1]}/one.sqlite")).close()
XmlFactory.write(filled(MemUCIS()), f"{sys.argv[1]}/one.xml")
PY
"$folder/env/bin/python" "$folder/make.py" "$folder"
converted() {
  "$folder/env/bin/pyucis" convert -if "$1" -of ncdb -o "$folder/$1.cdb" "$folder/one.$1" > "$folder/said" 2>&1
}
converted xml
echo "XML: converted"
if converted sqlite; then
  echo "SQLite: converted, too" && exit 1
fi
grep -m 1 -o "UnimplError$" "$folder/said" | sed 's/^/SQLite: /'

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# pyucis 0.2.0.22787133465: `pyucis convert` ends with status 0 when it has converted nothing.
#
# A database with one instance and one test is written as SQLite and as XML, and both are converted
# to pyucis' own NCDB; then a file that is not there is.
# One would expect two NCDB files, and a status that is not 0 where there is none.
# Seen: XML is converted; SQLite ends with UnimplError, as its tests have no attributes; the status
# is 0 each time. Who calls it from a script has to look whether there is a file.
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
tried() {
  local status=0
  "$folder/env/bin/pyucis" convert -if "$1" -of ncdb -o "$folder/$1.cdb" "$folder/$2" > "$folder/said" 2>&1 || status=$?
  test -f "$folder/$1.cdb" && made="a file" || made="no file"
  echo "status $status, $made, $(grep -oE "UnimplError$|No such file" "$folder/said" | tail -n 1)"
  rm -f "$folder/$1.cdb"
}
echo "XML: ${xml:=$(tried xml one.xml)}"
echo "SQLite: ${sqlite:=$(tried sqlite one.sqlite)}"
echo "no XML: ${none:=$(tried xml nosuch.xml)}"
test "$xml" = "status 0, a file, "
test "$sqlite" = "status 0, no file, UnimplError"
test "$none" = "status 0, no file, No such file"

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# pyucis 0.2.0.22787133465: `pyucis merge --fast` gives the hits of one instance to another.
#
# Two SQLite databases are merged: in the first only instance `left` is, with 1 hit of its bin, in the
# second only `right`, with 2.
# One would expect what is seen without --fast: left has 1, right has 2.
# Seen with --fast: left has 3, and right is not there; the exit status is 0.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/python" -m pip install --quiet --disable-pip-version-check pyucis==0.2.0.22787133465 lxml
cat > "$folder/make.py" <<'PY'
import sys

from ucis.cover_type_t import CoverTypeT
from ucis.scope_type_t import ScopeTypeT
from ucis.source_info import SourceInfo
from ucis.source_t import SourceT
from ucis.sqlite.sqlite_ucis import SqliteUCIS

for name, hits in (("left", 1), ("right", 2)):
    database = SqliteUCIS(f"{sys.argv[1]}/{name}.db")
    place = SourceInfo(database.createFileHandle("m.sv", "."), 1, 1)
    unit = database.createScope("work.m", place, 1, SourceT.SV, ScopeTypeT.DU_MODULE, 0)
    instance = database.createInstance(name, place, 1, SourceT.SV, ScopeTypeT.INSTANCE, unit, 0)
    group = instance.createCovergroup("group", place, 1, SourceT.SV)
    group.createCoverpoint("point", place, 1, SourceT.SV).createBin("bin", place, 1, hits, "bin", CoverTypeT.CVGBIN)
    database.close()
PY
cat > "$folder/show.py" <<'PY'
import sys

from ucis.cover_type_t import CoverTypeT
from ucis.scope_type_t import ScopeTypeT
from ucis.sqlite.sqlite_ucis import SqliteUCIS

found = {}
for instance in SqliteUCIS(sys.argv[1]).scopes(ScopeTypeT.INSTANCE):
    for group in instance.scopes(ScopeTypeT.COVERGROUP):
        for one in list(group.scopes(ScopeTypeT.COVERINSTANCE)) or [group]:
            for point in one.scopes(ScopeTypeT.COVERPOINT):
                for item in point.coverItems(CoverTypeT.CVGBIN):
                    found[instance.getScopeName()] = item.getCoverData().data
print(found)
PY
merged() {  # by these options
  "$folder/env/bin/python" "$folder/make.py" "$folder"
  "$folder/env/bin/pyucis" merge "$@" -if sqlite -of sqlite -o "$folder/both.db" \
    "$folder/left.db" "$folder/right.db" > "$folder/said" 2>&1
  "$folder/env/bin/python" "$folder/show.py" "$folder/both.db"
  rm -f "$folder"/*.db*
}
slow=$(merged)
fast=$(merged --fast)
echo "merge: $slow"
echo "merge --fast: $fast"
test "$slow" = "{'left': 1, 'right': 2}"
test "$fast" = "{'left': 3}"

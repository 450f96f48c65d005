#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# pyucis 0.2.0.22787133465: a coverpoint whose bins are all gone is written to XML and cannot be read back.
#
# A covergroup has a coverpoint with a bin, and one without, as after ignore_bins or a parameter has left none. The
# database is written as XML, without a word, and read.
# One would expect: what is written is read, with a point of no bins; or the writer refuses it.
# Seen: the reader raises "Element 'coverpoint': Missing child element(s). Expected is ( coverpointBin )"; SQLite gives
# back both points.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/python" -m pip install --quiet --disable-pip-version-check pyucis==0.2.0.22787133465 lxml
cat > "$folder/points.py" <<'PY'
import sys

from ucis.cover_type_t import CoverTypeT
from ucis.mem import MemUCIS
from ucis.scope_type_t import ScopeTypeT
from ucis.source_info import SourceInfo
from ucis.source_t import SourceT
from ucis.sqlite.sqlite_ucis import SqliteUCIS
from ucis.xml.xml_factory import XmlFactory


def fill(database):
    place = SourceInfo(database.createFileHandle("m.sv", "."), 1, 1)
    unit = database.createScope("work.m", place, 1, SourceT.SV, ScopeTypeT.DU_MODULE, 0)
    top = database.createInstance("m", place, 1, SourceT.SV, ScopeTypeT.INSTANCE, unit, 0)
    group = top.createCovergroup("g", place, 1, SourceT.SV)
    group = group.createCoverInstance("g", place, 1, SourceT.SV)
    kept = group.createCoverpoint("kept", place, 1, SourceT.SV)
    kept.createBin("one", place, 1, 4, "1")
    group.createCoverpoint("empty", place, 1, SourceT.SV)


def points(database):
    found = []
    for top in database.scopes(ScopeTypeT.INSTANCE):
        for group in top.scopes(ScopeTypeT.COVERGROUP):
            for own in group.scopes(ScopeTypeT.COVERINSTANCE):
                for point in own.scopes(ScopeTypeT.COVERPOINT):
                    found.append((point.getScopeName(), len(list(point.coverItems(CoverTypeT.CVGBIN)))))
    return sorted(found)


folder = sys.argv[1]
database = SqliteUCIS(f"{folder}/one.db")
fill(database)
database.close()
print("SQLite:", sqlite := points(SqliteUCIS(f"{folder}/one.db")))
database = MemUCIS()
fill(database)
XmlFactory.write(database, f"{folder}/one.xml")
try:
    xml = str(points(XmlFactory.read(f"{folder}/one.xml")))
except Exception as error:
    xml = f"{type(error).__name__}: {error}".splitlines()[0]
print("XML:", xml)
raise SystemExit(sqlite != [("empty", 0), ("kept", 1)] or "Expected is ( coverpointBin )" not in xml)
PY
"$folder/env/bin/python" "$folder/points.py" "$folder"

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# junitparser 5.0.3: a failure whose message has a terminal's colours is written to a file that is no XML.
#
# The message is one that a compiler or a simulator on a terminal prints, red and green. XML 1.0 has no way to say ESC,
# escaped neither. The library writes it as it is, without a word, and reads what it has written.
# One would expect: the character is replaced or refused, as pytest's own results do; or what is written is read.
# Seen: ParseError "not well-formed (invalid token)"; without ESC both messages are read back. A server that collects
# results loses the whole file, not the one message.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/python" -m pip install --quiet --disable-pip-version-check junitparser==5.0.3
cat > "$folder/results.py" <<'PY'
import sys

from junitparser import Failure, JUnitXml, TestCase, TestSuite

PLAIN = "a_q differs: <got> 0x41 & not 0x40"
COLOURED = "a_q differs: \x1b[31m0x41\x1b[0m, not \x1b[32m0x40\x1b[0m"


def read_back(message):
    suite = TestSuite("block")
    for name, said in (("first", PLAIN), ("second", message)):
        case = TestCase(name, "random")
        case.result = [Failure(said)]
        suite.add_testcase(case)
    results = JUnitXml()
    results.add_testsuite(suite)
    file = f"{sys.argv[1]}/results.xml"
    results.write(file)
    try:
        return [result.message for suite in JUnitXml.fromfile(file) for case in suite for result in case.result]
    except Exception as error:
        return f"{type(error).__name__}: {error}"


print("plain:", plain := read_back(PLAIN))
print("coloured:", coloured := read_back(COLOURED))
raise SystemExit(plain != [PLAIN, PLAIN] or "not well-formed" not in coloured)
PY
"$folder/env/bin/python" "$folder/results.py" "$folder"

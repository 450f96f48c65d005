#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# pyuvm 5.0.0: with SV-UVM style reporting, tracebacks vanish from logs that are not pyuvm's.
#
# A logger of another package (cocotb's regression is one) logs a warning with exc_info, before and after a test of pyuvm is
# made with that style of reporting.
# One would expect: the traceback is printed both times; the wrapping of long lines is for what UVM reports.
# Seen: pyuvm wraps the formatter of each handler that it finds, that of the root logger too. What is longer than 300
# characters with its traceback is printed as the wrapped message alone, so the traceback is gone, without a word.
# UVM_PRINT_CHAR_LEN=1000000 keeps it; 0 does too, but takes away the names of who reports.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/python" -m pip install --quiet --disable-pip-version-check pyuvm==5.0.0 cocotb==2.1.0
cat > "$folder/cut.py" <<'PY'
import io
import logging
import sys

from pyuvm import set_sv_uvm_style_reporting_enabled, uvm_root, uvm_test

out = io.StringIO()
logging.getLogger().addHandler(logging.StreamHandler(out))


def inner(depth):
    if depth:
        inner(depth - 1)
    raise ValueError("the reason")


def logged():
    out.seek(0)
    out.truncate()
    try:
        inner(6)
    except ValueError as error:
        logging.getLogger("other").warning("it failed", exc_info=error)
    return "it failed" in out.getvalue(), "the reason" in out.getvalue()


before = logged()
set_sv_uvm_style_reporting_enabled(True)
uvm_test("test", uvm_root()).report_server
after = logged()
print(f"message, traceback; before: {before}, after: {after}")
sys.exit((before, after) != ((True, True), (True, False)))
PY
"$folder/env/bin/python" "$folder/cut.py"
UVM_PRINT_CHAR_LEN=1000000 "$folder/env/bin/python" "$folder/cut.py" && exit 1 || true

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# pyuvm 5.0.0: UVM_VERBOSITY takes HIGH, but not UVM_HIGH, which is how UVM writes it; and of errors only the first is counted.
#
# A test with pyuvm's SV-UVM style reporting reports at UVM_HIGH and then two errors, without a simulator.
# One would expect: UVM_VERBOSITY=UVM_HIGH shows what UVM_HIGH does, as +UVM_VERBOSITY=UVM_HIGH in SystemVerilog, or is refused;
# and both errors are shown, since UVM's default is no limit to their number.
# Seen: UVM_HIGH, like any word that is not known, is UVM_LOW, without a word; of the errors the first is shown and counted.
# Who hands on what users of UVM type has to take UVM_ away, to refuse other words, and to set UVM_MAX_QUIT_COUNT=0.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/python" -m pip install --quiet --disable-pip-version-check pyuvm==5.0.0 cocotb==2.1.0
cat > "$folder/told.py" <<'PY'
import contextlib
import io
import os

from pyuvm import UVM_HIGH, set_sv_uvm_style_reporting_enabled, uvm_root, uvm_test

set_sv_uvm_style_reporting_enabled(True)


def told(verbosity):
    os.environ["UVM_VERBOSITY"] = verbosity
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        test = uvm_test(f"test_{verbosity}", uvm_root())
        handler = test.logger.parent.handlers[0]
        handler.setStream(out)
        test.uvm_report.info("ONE", "high", UVM_HIGH)
        test.uvm_report.error("TWO", "first")
        test.uvm_report.error("TWO", "second")
    errors = test.report_server.get_stats().error_count
    return [word for word in ("high", "first", "second") if f"] {word}" in out.getvalue()], errors


found = {verbosity: told(verbosity) for verbosity in ("HIGH", "UVM_HIGH", "no_such_word")}
for verbosity, seen in found.items():
    print(f"{verbosity}: shown, errors counted: {seen}")
quiet = (["first"], 1)
raise SystemExit(found != {"HIGH": (["high", "first"], 1), "UVM_HIGH": quiet, "no_such_word": quiet})
PY
"$folder/env/bin/python" "$folder/told.py"

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# It notes what it is asked to install, and makes itself the environment's Python.
case "$*" in
  *"-m venv"*) mkdir -p .venv/bin && cp "$0" .venv/bin/python
               printf '#!/bin/sh\n' > .venv/bin/tilepath; chmod +x .venv/bin/tilepath ;;
  *"pip install"*)
    for last; do :; done; echo "$last" >> installed
    [ ! -e slow ] || sleep 30
    [ ! -e offline ] || {
      echo "WARNING: retrying" >&2; echo "ERROR: no numpy to be had" >&2; exit 1
    } ;;
esac

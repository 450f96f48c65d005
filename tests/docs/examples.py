# SPDX-License-Identifier: Apache-2.0
"""The fenced blocks of README.md and docs/, and who runs each or shows that it is right."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from typing import Final, NamedTuple

from tilepath.tb.kernel.description.block import ROOT

_FENCE: Final = re.compile(r"^( *)```(\w*)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)

SHOWN: Final = "shown"
"""Of a block that there is nothing to run of: a drawing, a grammar, what a run has printed."""

_INSTALLED: Final = "tests/packaging/test_installed.py::"
_PIPES: Final = "tests/docs/test_pipe_programs.py::"
_KERNELS: Final = "tests/datapath/test_kernel_text.py::"
_IMPORTED: Final = "tests/cli/test_import_kernel.py::"
_HERE: Final = "tests/docs/test_examples.py::"
WHO: Final[dict[str, dict[str, str]]] = {
    "README.md": {
        "make SIM=verilator": f"{_HERE}test_commands_are_understood",
        "345 runs": SHOWN,
        "block  test": SHOWN,
        "from tilepath.sequences.kernel.uvm": f"{_HERE}test_files_of_ones_own",
        "MISMATCH t0.mq": SHOWN,
        "from tilepath.isa import assemble": f"{_HERE}test_model_examples",
    },
    "docs/add-a-block.md": {
        "PUT = Stream": f"{_HERE}test_streams_and_players_of_a_new_block",
        "PLAYERS = ": f"{_HERE}test_streams_and_players_of_a_new_block",
        "put    put_@": f"{_HERE}test_taps_of_a_new_block",
        "[[code]]": "tests/cli/test_rtl_coverage.py::test_the_list_of_the_page",
    },
    "docs/for-uvm-users.md": {"# SPDX-License-Identifier": f"{_HERE}test_uvm_commands_on_rtl"},
    "docs/frontend.md": {" push ──►": SHOWN},
    "docs/how-it-works.md": {" sequences/<block>": SHOWN},
    "docs/import-a-kernel.md": {
        "tilepath import-kernel": f"{_HERE}test_commands_are_understood",
        "": f"{_IMPORTED}test_logs_of_the_page",
    },
    "docs/install.md": {"pip install .": f"{_INSTALLED}test_the_model_needs_numpy_and_numba_only"},
    "docs/kernels.md": {
        "tilepath model": f"{_KERNELS}test_the_command",
        "tilepath kernel-report": f"{_HERE}test_commands_are_understood",
        "950 of 8,192 cycles": SHOWN,
        "from tilepath.models import kernels": f"{_KERNELS}test_the_page_s_python",
        "": f"{_KERNELS}test_the_page_shows_add1_as_it_is",
    },
    "docs/machine.md": {"": f"{_HERE}test_model_examples"},
    "docs/mutate.md": {
        "[[mutant]]": "tests/cli/test_mutate.py::test_the_list_of_adc_and_the_entry_of_the_page"
    },
    "docs/pipe-programs.md": {
        "platform a5": f"{_PIPES}test_the_example_and_what_is_wrong_when_it_is_broken",
        "@cube: %acc": f"{_PIPES}test_the_example_and_what_is_wrong_when_it_is_broken",
        "p.pipe:9:5": f"{_PIPES}test_the_example_and_what_is_wrong_when_it_is_broken",
        "program     =": SHOWN,
        "func @cube": f"{_PIPES}test_the_expansion",
        "from tilepath.models.pipe_program": f"{_PIPES}test_python",
    },
    "docs/read-a-mismatch.md": {"": SHOWN},
    "docs/replay-a-kernel.md": {"": f"{_HERE}test_model_examples"},
    "docs/tiles.md": {"": f"{_HERE}test_model_examples"},
    "docs/write-a-sequence.md": {
        "# SPDX-License-Identifier": f"{_HERE}test_files_of_ones_own",
        "from __future__": f"{_HERE}test_files_of_ones_own",
        "from tilepath.sequences.frontend.my_zmask": f"{_HERE}test_the_line_that_adds_a_test",
        "block     test": SHOWN,
    },
}
"""Page → how a block begins → the test, or ``SHOWN``."""


class Block(NamedTuple):
    """A fenced block: its page, its language, its text without indentation, who runs it."""

    page: str
    language: str
    text: str
    who: str


def blocks() -> Iterator[Block]:
    """All of them; ``who`` is empty where nobody is named."""
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))):
        page = path.relative_to(ROOT).as_posix()
        for indent, language, text in _FENCE.findall(path.read_text()):
            plain = textwrap.dedent(text) if indent else text
            known = WHO.get(page, {})
            who = next((by for begin, by in known.items() if plain.startswith(begin)), "")
            yield Block(page, language, plain, who)


def sources(page: str, beginning: str) -> list[str]:
    """The texts of the blocks of ``page`` that begin so."""
    return [b.text for b in blocks() if b.page == page and b.text.startswith(beginning)]


def commands() -> Iterator[tuple[str, str]]:
    """Page and command line, of each make or tilepath in a code span or a shell block."""
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))):
        page, text = path.relative_to(ROOT).as_posix(), path.read_text()
        prose = _FENCE.sub("", text)
        for span in re.findall(r"`([^`\n]+)`", prose):
            if re.match(r"(make|tilepath) ", span):
                yield page, span
        for block in blocks():
            if block.page == page and block.language == "":
                for line in block.text.splitlines():
                    if re.match(r"(make|tilepath) ", line):
                        yield page, line.partition("#")[0].strip()

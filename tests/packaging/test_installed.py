# SPDX-License-Identifier: Apache-2.0
"""The project as others install it: what is in wheel and sdist, and that it works anywhere."""

from __future__ import annotations

import csv
import os
import shutil
import sys
import tarfile
import venv
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest

import tilepath
from tilepath.cli.houserules import source_files
from tilepath.engine.description.block import ROOT
from tilepath.tests.commands import Done, call, passed, python
from tilepath.tests.cosim_runs import FAST, missing

SIM: Final = FAST if missing("icarus") else "icarus"
FOLDERS: Final = {"cli", "isa", "models", "rtl", "sequences", "tb"}
FULL_NAME: Final = f"tilepath-{tilepath.__version__}"


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist, and the wheel that was made from it."""
    out = tmp_path_factory.mktemp("dist")
    passed(python("-m", "build", "--no-isolation", "--outdir", out, ROOT))
    return out


@pytest.fixture(scope="module")
def wheel(distributions: Path) -> Path:
    (path,) = distributions.glob("*.whl")
    return path


def test_the_wheel_takes_one_name(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.partition("/")[0] for name in names} == {"tilepath", f"{FULL_NAME}.dist-info"}
    inside = {name.split("/")[1] for name in names if name.startswith("tilepath/")}
    assert inside == {"__init__.py", "__main__.py", *FOLDERS}


def test_the_wheel_has_all_that_a_run_needs(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    files = {path.relative_to(ROOT) for path in source_files(ROOT)}
    for suffix in ("tt", "pipe", "kernel"):
        files |= {path.relative_to(ROOT) for path in ROOT.glob(f"sequences/**/*.{suffix}")}
    wanted = {f"tilepath/{path}" for path in files if path.parts[0] in FOLDERS}
    assert wanted - names == set()
    kinds = {".py", ".sv", ".toml", ".tt", ".pipe", ".kernel"}
    assert {Path(name).suffix for name in wanted} >= kinds


def test_the_sdist_has_everything(distributions: Path) -> None:
    (path,) = distributions.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = set(archive.getnames())
    documents = [ROOT / "README.md", ROOT / "LICENSE", *ROOT.glob("docs/*.md")]
    files = {file.relative_to(ROOT) for file in (*source_files(ROOT), *documents)}
    assert {f"{FULL_NAME}/{file}" for file in files} - names == set()


class Environment:
    """A virtual environment of its own, used from a folder that is not the checkout."""

    def __init__(self, folder: Path) -> None:
        self.bin = folder / "env" / "bin"
        self.elsewhere = folder / "elsewhere"
        self.cache = folder / "cache"
        venv.create(folder / "env", with_pip=True)
        self.elsewhere.mkdir()

    @property
    def site(self) -> Path:
        """Return where packages are installed."""
        (path,) = self.bin.parent.glob("lib/python3*/site-packages")
        return path

    def environment(self) -> Mapping[str, str]:
        """Return an environment without this checkout, and without that of the tests."""
        ours = {"PYTHONPATH", "TILEPATH_BUILD", "VIRTUAL_ENV", "NUMBA_CACHE_DIR"}
        kept = {name: value for name, value in os.environ.items() if name not in ours}
        own = str(Path(sys.executable).parent)
        path = [part for part in os.environ["PATH"].split(os.pathsep) if part != own]
        return {**kept, "PATH": os.pathsep.join(path), "XDG_CACHE_HOME": str(self.cache)}

    def call(self, program: str, *arguments: str | Path) -> Done:
        """Run a program of the environment."""
        environment = self.environment()
        return call(self.bin / program, *arguments, cwd=self.elsewhere, env=environment)

    def install(self, what: str) -> None:
        """``pip install`` with the versions that everything is tested with."""
        constraint = ROOT / "requirements.lock"
        passed(self.call("python", "-m", "pip", "install", "-q", "-c", constraint, what))

    def installed(self) -> list[str]:
        """The files of the distribution, relative to ``site``."""
        record = self.site / f"{FULL_NAME}.dist-info" / "RECORD"
        return [row[0] for row in csv.reader(record.read_text().splitlines())]


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    made = Environment(tmp_path_factory.mktemp("installed"))
    made.install(str(wheel))
    return made


def test_the_model_needs_numpy_and_numba_only(environment: Environment) -> None:
    code = "import tilepath; from tilepath.models import Machine; m = Machine(); "
    code += "m.push(0, 0x02000000); print(len(m.issued[0]), tilepath.__version__)"
    done = environment.call("python", "-c", code)
    assert (done.returncode, done.stdout) == (0, f"1 {tilepath.__version__}\n"), done.stderr


@pytest.mark.parametrize("program", ["tilepath", "python"])
def test_without_the_extra_one_line_says_what_to_install(
    environment: Environment, program: str
) -> None:
    options = ["-m", "tilepath"] if program == "python" else []
    done = environment.call(program, *options, "run", "--block", "frontend")
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("tilepath: ") and "pip install 'tilepath[sim]'" in line


def test_the_environment_gets_one_command(environment: Environment) -> None:
    files = environment.installed()
    assert [Path(name).name for name in files if "/bin/" in name] == ["tilepath"]
    tops = {name.partition("/")[0] for name in files} - {".."}
    assert tops == {"tilepath", f"{FULL_NAME}.dist-info"}


def test_a_run_from_any_folder(environment: Environment, wheel: Path) -> None:
    environment.install(f"{wheel}[sim]")
    package = environment.site / "tilepath"
    before = {path for path in package.rglob("*") if "__pycache__" not in path.parts}
    command = f"run --sim {SIM} --block frontend --test matmul".split()
    assert "1 runs: 1 passed, 0 failed" in passed(environment.call("tilepath", *command))
    results = environment.elsewhere / "runs" / f"{SIM}-baseline"
    assert [path.name for path in environment.elsewhere.iterdir()] == ["runs"]
    assert (results / "results.xml").is_file()
    assert list((environment.cache / "tilepath" / "build" / SIM).glob("frontend-*/sim*"))
    after = {path for path in package.rglob("*") if "__pycache__" not in path.parts}
    assert after == before
    assert not (environment.bin / "verilator").exists()
    # what was copied away tells of itself
    copied = shutil.copytree(results, environment.elsewhere / "copied")
    shutil.rmtree(results)
    for command in (["check", *copied.glob("frontend/matmul-*")], ["coverage", copied]):
        passed(environment.call("tilepath", *command))

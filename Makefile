# SPDX-License-Identifier: Apache-2.0
# Thin on purpose: makes the virtual environment and passes options on to Python. 'make help' lists
# what there is.

.DEFAULT_GOAL := run
.DELETE_ON_ERROR:

VENV    := .venv
BIN     := $(VENV)/bin
# One environment, which grows: what simulating needs, then what everything else needs.
SIMS    := $(VENV)/.installed-sim
STAMP   := $(VENV)/.installed-dev
# The first Python on PATH that is new enough.
PYTHON  ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
    $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)

# The makes that Python starts must not take this one's options for theirs.
CLEAN   := env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL

OPTIONS := SIM BLOCK TEST TAG TESTS FAILED MAX_FAIL SEED SEEDS ROOT_SEED START PROFILE WAVES COLD JOBS CYCLES OUT KNOBS WHERE COVERAGE UNTIL_COVERAGE BUDGET PROOF ICARUS QUICK MODULES FILE RESUME VERIFY HISTORY TIMEOUT MEMORY RTL TOP
BLOCKS  := $(filter-out kernel,$(patsubst tb/%/block.py,%,$(wildcard tb/*/block.py)))
SIM     ?= verilator

# ---- wrong options: one line, before anything is installed or built ------------------------------
quote    = '$(subst ','\'',$(1))'
digits  := 0 1 2 3 4 5 6 7 8 9
# What is left of $(1) without its digits.
nondigits = $(if $(2),$(call nondigits,$(subst $(firstword $(2)),,$(1)),$(wordlist 2,10,$(2))),$(1))
GIVEN   := $(foreach v,$(.VARIABLES),$(if $(filter command,$(firstword $(origin $v))),$v))
UNKNOWN := $(filter-out $(OPTIONS) PYTHON MAKEFLAGS SHELL -%,$(GIVEN))
$(if $(UNKNOWN),$(error there is no option $(firstword $(UNKNOWN)); there are: $(OPTIONS)))
$(foreach v,$(filter-out SIM,$(OPTIONS)),$(if $(filter $v,$(GIVEN)),\
  $(if $(strip $($v)),,$(error $v= is empty: leave it out, or say which))))
$(if $(filter-out verilator icarus,$(or $(SIM),none)),$(error SIM=$(SIM): choose verilator or icarus))
KNOWN   := $(strip $(BLOCKS) $(if $(filter bench,$(MAKECMDGOALS)),machine engine))
$(foreach b,$(BLOCK),$(if $(filter $(subst +,_,$b),$(KNOWN)),,$(error BLOCK=$b: there is no such block; there are: $(KNOWN))))
$(foreach n,SEED SEEDS ROOT_SEED START JOBS CYCLES MAX_FAIL VERIFY TIMEOUT MEMORY,\
  $(if $(call nondigits,$($n),$(digits)),$(error $n=$($n): a whole number is wanted)))
$(if $(filter-out rtl,$(COVERAGE)),$(error COVERAGE=$(COVERAGE): choose rtl))
$(foreach v,WAVES COLD FAILED UNTIL_COVERAGE ICARUS QUICK MODULES RESUME,$(if $(filter-out 0 1,$($v)),$(error $v=$($v): choose 0 or 1)))

SELECTION = $(foreach b,$(BLOCK),--block $(call quote,$b)) \
  $(foreach t,$(TEST),--test $(call quote,$t)) \
  $(foreach t,$(TAG),--tag $(call quote,$t)) \
  $(foreach f,$(TESTS),--tests $(call quote,$f))

OWN = $(foreach r,$(RTL),--rtl $(call quote,$r)) $(if $(TOP),--top $(call quote,$(TOP)))

RUN_OPTIONS = --sim $(SIM) $(SELECTION) $(OWN) \
  $(if $(SEED),--seed $(SEED)) \
  $(if $(SEEDS),--seeds $(SEEDS)) \
  $(if $(ROOT_SEED),--root-seed $(ROOT_SEED)) \
  $(if $(START),--start $(START)) \
  $(if $(PROFILE),--profile $(call quote,$(PROFILE))) \
  $(if $(filter 1,$(WAVES)),--waves) $(if $(filter 0,$(WAVES)),--no-waves) \
  $(if $(filter 1,$(COLD)),--cold) \
  $(if $(filter 1,$(FAILED)),--rerun-failed) \
  $(if $(MAX_FAIL),--max-fail $(MAX_FAIL)) \
  $(if $(JOBS),--jobs $(JOBS)) \
  $(if $(CYCLES),--cycles $(CYCLES)) \
  $(foreach k,$(KNOBS),--knob $(call quote,$k)) \
  $(if $(WHERE),--where $(call quote,$(WHERE))) \
  $(if $(COVERAGE),--rtl-coverage) \
  $(if $(filter 1,$(UNTIL_COVERAGE)),--until-coverage) \
  $(if $(BUDGET),--budget $(call quote,$(BUDGET))) \
  $(if $(OUT),--out $(call quote,$(OUT)))

# SIM only where it was typed: what is typed must be what --resume finds in the file.
REGRESS_OPTIONS = $(if $(filter command,$(origin SIM)),--sim $(SIM)) $(SELECTION) $(OWN) \
  $(if $(SEED),--seed $(SEED)) \
  $(if $(SEEDS),--seeds $(SEEDS)) \
  $(if $(CYCLES),--cycles $(CYCLES)) \
  $(if $(JOBS),--jobs $(JOBS)) \
  $(if $(TIMEOUT),--timeout $(TIMEOUT)) \
  $(if $(MEMORY),--memory $(MEMORY)) \
  $(if $(VERIFY),--verify $(VERIFY)) \
  $(if $(HISTORY),--history $(call quote,$(HISTORY))) \
  $(if $(ROOT_SEED),--root-seed $(ROOT_SEED)) \
  $(if $(PROFILE),--profile $(call quote,$(PROFILE))) \
  $(foreach k,$(KNOBS),--knob $(call quote,$k)) \
  $(if $(WHERE),--where $(call quote,$(WHERE))) \
  $(if $(filter 1,$(UNTIL_COVERAGE)),--until-coverage) \
  $(if $(BUDGET),--budget $(call quote,$(BUDGET))) \
  $(if $(filter 1,$(RESUME)),--resume)

CAMPAIGN_OPTIONS = $(foreach b,$(BLOCK),--block $(call quote,$b)) \
  $(foreach t,$(TEST),--test $(call quote,$t)) \
  $(if $(SEEDS),--seeds $(SEEDS)) \
  $(if $(ROOT_SEED),--root-seed $(ROOT_SEED)) \
  $(if $(JOBS),--jobs $(JOBS)) \
  $(if $(TIMEOUT),--timeout $(TIMEOUT)) \
  $(if $(MEMORY),--memory $(MEMORY)) \
  $(if $(BUDGET),--budget $(call quote,$(BUDGET)))

.PHONY: run regress campaign help test test-cli test-long test-rare icarus bench lint synth gate formal checks isa docs list venv lock clean

##@ run
run: $(SIMS)    ## build and run the regression of every block (the default)
	@$(CLEAN) TILEPATH_STARTED_BY=make $(BIN)/tilepath run $(RUN_OPTIONS)

regress: $(SIMS) ## a regression remembered in FILE, to be gone on with by RESUME=1 (docs/regress.md)
	@test -n "$(FILE)" || { echo "regress needs a file: make regress FILE=nightly.sqlite" >&2; exit 2; }
	@$(CLEAN) TILEPATH_STARTED_BY=make $(BIN)/tilepath regress $(call quote,$(FILE)) $(REGRESS_OPTIONS)

campaign: $(SIMS) ## every random test with 200 SEEDS, in FILE; called again it goes on (docs/regress.md)
	@test -n "$(FILE)" || { echo "campaign needs a file: make campaign FILE=campaign.sqlite" >&2; exit 2; }
	@$(CLEAN) TILEPATH_STARTED_BY=make $(BIN)/tilepath campaign $(call quote,$(FILE)) $(CAMPAIGN_OPTIONS)

list: $(SIMS)   ## list blocks and tests, all or those of BLOCK, TEST and TAG
	@$(CLEAN) $(BIN)/tilepath list $(SELECTION)

##@ test
test: $(STAMP) icarus  ## models, co-simulation, command line: all but what takes long
	@$(CLEAN) $(BIN)/python -m pytest -n $(or $(JOBS),2) --dist worksteal --durations 40 -m 'not long' tests

test-cli: $(STAMP)  ## the command line's tests as where Icarus is not installed
	@$(CLEAN) $(BIN)/python -m pytest -n $(or $(JOBS),2) -m 'not long' --without-icarus tests/cli

test-long: $(STAMP) icarus  ## the rest: regressions (a share of them on Icarus), planted bugs, assertions, benches
	@$(CLEAN) $(BIN)/python -m pytest -n $(or $(JOBS),2) --dist worksteal --durations 40 -m 'long and not rare' tests

test-rare: $(STAMP) icarus  ## what CI has no time for: lost resets, other parameters, broken benches, installation
	@$(CLEAN) $(BIN)/python -m pytest -n $(or $(JOBS),2) --dist worksteal --durations 40 -m rare tests

##@ measure and check
bench: $(STAMP)  ## measure speed and print ratios
	@$(CLEAN) $(BIN)/python -m tilepath.tests.bench $(foreach b,$(BLOCK),--block $b) $(OWN) \
	  $(if $(filter command,$(origin SIM)),--sim $(SIM))

lint: $(STAMP)   ## style, types, RTL lint with both simulators, house rules
	@$(CLEAN) $(BIN)/python -m tilepath.cli.lint

synth: $(STAMP)  ## synthesize every block: no latches, cells, depth, whole and by module
	@$(CLEAN) $(BIN)/python -m tilepath.engine.commands.synth $(foreach b,$(BLOCK),--block $b) \
	  $(if $(PROFILE),--profile $(call quote,$(PROFILE))) $(if $(filter 1,$(QUICK)),--quick) \
	  $(if $(filter 1,$(MODULES)),--modules)

gate: $(STAMP)   ## run tests of BLOCK on its netlist, too: are its streams those of the RTL
	@$(CLEAN) TILEPATH_STARTED_BY=make $(BIN)/tilepath gate $(RUN_OPTIONS)

formal: $(STAMP) ## prove what the blocks' proofs claim, with an SMT solver (PROOF=name: only that one)
	@$(CLEAN) $(BIN)/tilepath formal $(foreach b,$(BLOCK),--block $(call quote,$b)) \
	  $(foreach p,$(PROOF),--proof $(call quote,$p)) $(if $(OUT),--out $(call quote,$(OUT)))

checks: $(STAMP) ## both at once: lint and proofs
	@$(MAKE) --no-print-directory -j2 --output-sync=target lint formal

##@ write what is generated
isa: $(STAMP)    ## write the generated files of the instruction set again
	@$(CLEAN) $(BIN)/python -m tilepath.isa.generate

docs: $(STAMP)   ## write the generated pages and pictures of docs/ again
	@$(CLEAN) $(BIN)/python -m tilepath.cli.errata
	@$(CLEAN) $(BIN)/python -m tilepath.engine.commands.pictures

##@ set up and clean up
venv: $(STAMP)   ## make the virtual environment

# What apt-get asks is answered by nobody; what fails here fails the make only with ICARUS=1.
icarus:          ## install Icarus Verilog where that asks nothing: root or sudo, apt-get
	@if [ "$(ICARUS)" = 0 ] || command -v iverilog >/dev/null; then exit 0; fi; \
	as_root=; [ "$$(id -u)" = 0 ] || as_root="sudo -n"; \
	if command -v apt-get >/dev/null && $$as_root true 2>/dev/null; then \
	  echo "installing iverilog with apt-get (ICARUS=0 leaves it alone) ..."; \
	  apt="$$as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq"; \
	  { $$apt update; $$apt install -y --no-install-recommends iverilog; } </dev/null >/dev/null 2>&1; \
	  command -v iverilog >/dev/null && exit 0; \
	  echo "apt-get could not install iverilog: going on without it"; \
	fi; \
	[ "$(ICARUS)" != 1 ] || { echo "ICARUS=1: there is no iverilog" >&2; exit 2; }

lock:            ## write requirements.lock anew: the newest versions that pyproject.toml allows
	@rm -rf build/lock && $(PYTHON) -m venv build/lock
	@build/lock/bin/python -m pip install --quiet --disable-pip-version-check '.[dev]'
	@{ sed -n '/^#/p' requirements.lock; build/lock/bin/python -m pip freeze --exclude tilepath; } > build/lock/new
	@mv build/lock/new requirements.lock && rm -rf build/lock

clean:           ## remove what was built, results and caches; keep the environment
	@rm -rf build runs .pytest_cache .mypy_cache .ruff_cache *.egg-info
	@find . -path ./$(VENV) -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +

help:            ## show this
	@sed -n -e 's/^##@ /\n/p' -e 's/^\([a-z-]*\):[^#]*## /  \1\t/p' Makefile | expand -t 13
	@echo; echo "options of run, some of them of the others too"
	@echo "  SIM=verilator|icarus         simulator ($(SIM))"
	@echo "  BLOCK=name TEST=name         only this block, only this test"
	@echo "  TEST='random_*' TAG=random   tests with such a name; tests with this tag (make list)"
	@echo "  TESTS=file.py                the tests in a file of your own (docs/write-a-sequence.md)"
	@echo "  FAILED=1 MAX_FAIL=n          only runs that failed last time; begin none after n failures"
	@echo "  TEST=file.pipe               a program of the flag pipe (docs/pipe-programs.md)"
	@echo "  SEED=n                       each test once, with exactly this seed"
	@echo "  SEEDS=n                      number of seeds of each random test"
	@echo "  ROOT_SEED=n                  the same seeds as an earlier regression"
	@echo "  START=n                      what registers begin with (Verilator), from 1 on"
	@echo "  PROFILE=baseline|blackhole|wormhole   set of hardware parameters; one by hand: baseline,row_w=16"
	@echo "  WAVES=1|0                    write waves of every run, or none; else around what fails, last of all"
	@echo "  COLD=1                       a simulator started for each run, instead of a fork of one"
	@echo "  JOBS=n                       runs at once (all cores); processes of 'make test' (2)"
	@echo "  CYCLES=n                     length of the random tests"
	@echo "  KNOBS='wrap=0.9 kind=a:3,b:1'  draw otherwise (tilepath list --knobs)"
	@echo "  WHERE='rows <= 4'            only rows of which that is true (docs/write-a-sequence.md)"
	@echo "  COVERAGE=rtl                 lines and toggles of the RTL, too (Verilator)"
	@echo "  UNTIL_COVERAGE=1 BUDGET=30m  go on with new seeds until all bins are hit, or for so long"
	@echo "  RTL=folder|file|list.f TOP=module   RTL of your own in place of BLOCK's; its top (of bench and regress, too)"
	@echo "  OUT=directory                results (runs/<sim>-<profile>)"
	@echo; echo "options of others"
	@echo "  ICARUS=0                     of test, test-long, icarus: do not install Icarus; 1: fail without it"
	@echo "  FILE=name RESUME=1 VERIFY=n  of regress: its file (of campaign, too); go on; run n finished jobs again"
	@echo "  HISTORY=name                 of regress: another file: what failed there comes first"
	@echo "  TIMEOUT=s MEMORY=MiB         of regress: limits of a job"
	@echo "  PROOF=name                   of formal: only this proof"
	@echo "  BLOCK TEST TAG SEED SEEDS ROOT_SEED START PROFILE CYCLES WAVES JOBS MAX_FAIL OUT"
	@echo "                               of gate, too (BLOCK must be given; results in runs/gate-verilator-<profile>)"
	@echo "  QUICK=1 MODULES=1            of synth: without levels and modules; print all modules"
	@echo; echo "blocks: $(BLOCKS)"

# An environment that is damaged or half made is made anew; a sound one is only brought up to date.
# Two makes in one checkout wait for each other. What is imported gets its bytecode then, and
# nothing else does.
define install
@for tool in g++ perl; do command -v $$tool >/dev/null || { \
  echo "tilepath needs $$tool: install it with the system's package manager" >&2; exit 2; }; done
@test -n "$(PYTHON)" || { echo "tilepath needs Python 3.11 or newer" >&2; exit 2; }
@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
  echo "$(PYTHON) has no venv module: install python3-venv" >&2; exit 2; }
@echo "installing into $(VENV) what $(2) ..."
@exec 9>.venv.lock && { ! command -v flock >/dev/null || flock 9; } && \
{ $(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV); } && \
$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile \
  --constraint requirements.lock --editable '.[$(1)]' 9>&- 2>$(VENV)/pip.log || { \
  grep -v "^WARNING" $(VENV)/pip.log 2>/dev/null | tail -n 1 >&2; \
  echo "could not install what $(2): see $(VENV)/pip.log; the next make goes on" >&2; exit 2; }
@touch $@
endef

$(SIMS): pyproject.toml setup.py requirements.lock
	$(call install,sim,simulating needs)

$(STAMP): pyproject.toml setup.py requirements.lock
	$(call install,dev,all else needs (tests lint proofs reports))
	@touch $(SIMS)

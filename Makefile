# The commands of the project. Needs make and Python 3.11 or newer; all else goes into .venv.

PYTHON ?= python3
SEED ?=
SECONDS ?=
TRIAL ?=
# One more than there are processors, and 8 at most: tests of live pairs wait for something now and then.
WORKERS ?= $(shell n=$$(getconf _NPROCESSORS_ONLN); echo $$((n < 7 ? n + 1 : 8)))

# Of gcc, for build/compiled: 3 takes more than three times as long and makes code of a sixth fewer instructions.
OPT_LEVEL ?= 1

BIN := .venv/bin
# What is installed is translated to bytecode as it is imported: most of it never is.
PIP = -m pip --disable-pip-version-check --quiet install --no-compile --constraint constraints.txt
# Into the Python named first. uv takes a tenth of pip's time; where it is not to be had, or its index
# is one that only pip was told of, pip does the same, and says what fails.
install = { $(BIN)/uv --quiet pip install --python $(1) --constraint constraints.txt $(2) 2>/dev/null || \
    $(1) $(PIP) $(2); }
# Between what a line of a recipe begins with and ends with: how long what is named took.
begun := begun=$$(date +%s)
took = echo "$(1): $$(($$(date +%s) - begun)) s" >&2
EDITABLE := --no-build-isolation --config-settings editable_mode=compat --editable
PYTEST := $(BIN)/python -m pytest
PARALLEL := --workers=$(WORKERS)
SOURCES := $(wildcard ctc isfc scenarios tools tests)
COMPILED := PYTHONSAFEPATH=1 PYTHONPATH="$(CURDIR)/build/compiled:$(CURDIR)" $(BIN)/python
RECIPES := setup.cfg pyproject.toml constraints.txt
PACKAGES := $(shell find ctc isfc scenarios -name "*.py") $(wildcard \
    scenarios/published/tables/* scenarios/published/relocation_tables/* isfc/layout/shipped/*)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
ifndef SIDE_BY_SIDE
.NOTPARALLEL:
endif
.PHONY: help .venv replay test test-all check side-by-side from-source style types tests source-tests \
    compiled-tests count-work quick-tests other-pythons format coverage properties mutate fuzz \
    explore chaos bench bench-live wheel dist try-dist docs site calibration bounds left-out judge fidelity clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[.a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

.venv/run-time: $(RECIPES)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	    echo 'isfc needs Python 3.11 or newer, and $(PYTHON) is not:' \
	         'say which to use, as in "make replay PYTHON=python3.12".' >&2; exit 1; }
	@echo 'Installing isfc into .venv ...'; $(begun); \
	test -x $(BIN)/pip || $(PYTHON) -m venv --clear .venv || { rm -rf .venv; \
	    echo '$(PYTHON) cannot make a virtual environment: on Debian and Ubuntu,' \
	         'install the package python3-venv.' >&2; exit 1; }; \
	$(BIN)/python $(PIP) uv 2>/dev/null; \
	$(call install,$(BIN)/python,setuptools) && $(call install,$(BIN)/python,$(EDITABLE) .) && \
	    $(call took,Installed isfc)
	@touch $@

.venv/compiler: .venv/run-time
	@$(begun); $(call install,$(BIN)/python,mypy) && $(call took,Installed mypy)
	@touch $@

.venv/test: .venv/run-time
	@echo 'Installing what the tests need into .venv ...'
	@$(call install,$(BIN)/python,'isfc[dev]')  # which is installed: what its extras name is added
	@rm -f .venv/lib*/python3*/site-packages/00-isfc-compiled.pth
	@touch $@

.venv: .venv/test isfc/cli/help/isfc.txt  ## make the virtual environment with all that development needs

# Help that is printed without loading the parser, which makes it where this is older than the source.
isfc/cli/help/isfc.txt: .venv/run-time $(wildcard tools/pages/commands.py) $(PACKAGES)
	@$(BIN)/python -m tools.pages.commands

replay: build/compiled/made  ## replay the published transport tables beside ours
	@test -e .venv/test || $(BIN)/python -m tools.release.compiled path
	@$(begun); $(COMPILED) -m isfc replay transport && $(call took,Replayed)
	@printf '\nNext: %s\n' '$(BIN)/isfc plan atlanta-boston'

test: side-by-side compiled-tests  ## all checks, and all tests but the long form of some

# To the make in this one, too, which has what is exported.
test-all: export AND_ONLY_SHORT :=
test-all: export COUNTED :=
test-all: test other-pythons  ## what a release has to pass: the long forms too, and other Pythons

check: style types quick-tests  ## as test, without the slow tests

# The compiler takes one core for half a minute, and neither the source nor what its tests need
# needs anything of what it makes.
side-by-side: .venv/compiler isfc/cli/help/isfc.txt
	@+$(MAKE) --no-print-directory --jobs=2 SIDE_BY_SIDE=yes build/compiled/made from-source

from-source:
	@+$(MAKE) --no-print-directory SIDE_BY_SIDE= style types source-tests

style: .venv/test  ## ruff, the architecture lint, plain words, one place for what is shown
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/python -m tools.checks.tidy
	$(BIN)/python -m tools.checks.words
	$(BIN)/python -m tools.checks.shown
	$(BIN)/python -m tools.checks.rooms

types: .venv/test  ## mypy --strict
	$(BIN)/mypy

tests: source-tests compiled-tests  ## every test, the published cells included

# A test that fails runs once more, with no other beside it. What passes then depends on how busy the
# machine is: the run names it, somebody has to mend it, but it is no fault of the change under test.
again = { test $$? = 1 && echo 'What failed, once more and alone:' && \
    $(1) --verbose --last-failed --last-failed-no-failures=none --workers=0 --exitfirst; }

# The long form of a test, which only `make test-all` runs.
AND_ONLY_SHORT ?= and not exhaustive

# A run that starts a tenth more processes, or runs a tenth more virtual time, than the tree says fails.
COUNTED ?= --counted-work=$@

source-tests: RUN = $(PYTEST) -m "not at_length $(AND_ONLY_SHORT)" $(PARALLEL) --durations=10 $(COUNTED)
source-tests: .venv/test
	$(RUN) || $(call again,$(RUN))

# What isfc does at length it does several times as fast compiled; that it does the same is one of
# these tests. A bare `pytest -m ""` runs them on the source.
compiled-tests: RUN = $(COMPILED) -m pytest -m "at_length $(AND_ONLY_SHORT)" --import-mode=append \
    $(PARALLEL) --durations=10 $(COUNTED)
compiled-tests: .venv/test build/compiled/made
	@files=$$(grep --recursive --files-with-matches --include='*.py' mark.at_length tests); \
	$(RUN) $$files || $(call again,$(RUN) $$files)

count-work: .venv/test  ## write down the work that the last `make test` counted, which may not rise by a tenth
	$(BIN)/python -m tests.costs.counted_work

quick-tests: .venv/test isfc/cli/help/isfc.txt  ## the tests that take less than a second each
	$(PYTEST) $(PARALLEL)

# What another Python may do otherwise is the pure code, the live pair on its loop, the reader of decks.
ELSEWHERE := -k not(uvloop) tests/ctc $(addprefix tests/isfc/,deck engine link live programs system)

OTHERS := $(BIN)/python -m tools.release.pythons
VENV_OF = .venv-$$($$python -c 'import sys; print("3.%d" % sys.version_info.minor)')

.venv/others: .venv/run-time
	@for python in $$($(OTHERS)); do \
	    venv=$(VENV_OF); \
	    echo "Installing isfc into $$venv ..."; \
	    test -x $$venv/bin/pip || $(BIN)/uv --quiet venv --seed --python $$python $$venv 2>/dev/null || \
	        $$python -m venv $$venv || exit 1; \
	    $(call install,$$venv/bin/python,setuptools) && \
	        $(call install,$$venv/bin/python,$(EDITABLE) '.[tests]') || exit 1; \
	done
	@touch $@

other-pythons: .venv/others  ## the quick tests on the oldest and the newest Python here, but for .venv's
	@others=$$($(OTHERS)); test -n "$$others" || echo 'No other supported Python is here.'; \
	for python in $$others; do \
	    run="$(VENV_OF)/bin/python -m pytest $(PARALLEL) $(ELSEWHERE)"; export HYPOTHESIS_PROFILE=elsewhere; \
	    $$run || $(call again,$$run) || exit 1; \
	done

format: .venv/test  ## put the source into the one format, as far as ruff can
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

coverage: .venv/test  ## branch coverage of the quick tests, each ring held to its floor
	$(PYTEST) $(PARALLEL) --cov --cov-report=term --cov-report=json
	$(BIN)/python -m tools.checks.branches coverage.json

properties: .venv/test  ## the property tests at length; SEED=... repeats a run
	@seed=$(or $(SEED),$$(date +%s)); echo "make properties SEED=$$seed"; \
	HYPOTHESIS_PROFILE=nightly \
	    $(PYTEST) -m "" $(PARALLEL) --hypothesis-seed=$$seed tests/properties tests/isfc/testing tests/tools/simulation

mutate: .venv/test  ## change link, system and hardware line by line: which changes no test notices
	@$(call install,$(BIN)/python,mutmut)
	HYPOTHESIS_PROFILE=ci $(BIN)/mutmut run
	$(BIN)/mutmut results
	$(BIN)/python -m tools.checks.mutants

fuzz: .venv/test  ## change inputs of a decoder by what they reach: TARGET=wire SECONDS=600
	@$(call install,$(BIN)/python,atheris)
	$(BIN)/python -m tools.fuzzing.fuzz $(or $(TARGET),wire) --seconds $(or $(SECONDS),600)

explore: .venv/test  ## every interleaving of small pairs, some million states in all
	$(BIN)/python -m tools.simulation.exploration

chaos: .venv/test build/compiled/made  ## a live pair whose parts fail at random for SECONDS=60; SEED=7: so
	@$(COMPILED) -m tools.chaos.chaos --seconds $(or $(SECONDS),60) --seed $(or $(SEED),1)

bench: .venv/test build/compiled/profiled  ## time the engine beside its peer
	@$(COMPILED) -m tools.benchmarks.bench

bench-live: .venv/test build/compiled/profiled  ## time the live pair beside its peers; MEMORY=600: watch it for 600 s
	@$(COMPILED) -m tools.benchmarks.bench_live $(if $(MEMORY),--memory $(MEMORY))

BUILT_OF := .venv/compiler setup.py tools/release/compile.ini tools/pages/commands.py $(PACKAGES)

build/compiled/made: $(BUILT_OF)
	@rm -rf build && mkdir -p build/compiled
	@if ! command -v cc >/dev/null; then \
	    echo 'There is no C compiler (cc), so isfc runs interpreted.' >&2; \
	else echo 'Compiling isfc into build/compiled, a minute on most machines ...'; $(begun); \
	    PYTHONDONTWRITEBYTECODE= ISFC_COMPILE=1 ISFC_OPT_LEVEL=$(OPT_LEVEL) \
	        $(BIN)/python setup.py --quiet build --build-lib build/compiled >build/log && \
	        $(call took,Compiled isfc) || { \
	    cat build/log >&2; rm -rf build/compiled/*; \
	    echo "isfc cannot be compiled (are Python's header files there?), so it runs" \
	         'interpreted.' >&2; }; fi
	@touch $@

# The same, once more by what runs of it went through: worth it where speed is measured, or lasts.
build/compiled/profiled: $(BUILT_OF) tools/release/compiled.py
	@rm -rf build
	@+ISFC_PROFILE=1 $(MAKE) --no-print-directory OPT_LEVEL=3 build/compiled/made
	@touch $@

wheel: .venv/test  ## build a wheel in dist/, compiled for this Python: more than fifteen times as fast
	@ISFC_COMPILE=1 ISFC_PROFILE=1 $(BIN)/python -m pip --disable-pip-version-check wheel --quiet \
	    --no-build-isolation --no-deps --wheel-dir dist .
	@ls dist

.release/made: .venv/run-time tools/release/requirements.txt
	@$(PYTHON) -m venv .release
	@.release/bin/pip --disable-pip-version-check --quiet install \
	    --requirement tools/release/requirements.txt
	@touch $@

dist: .release/made  ## build what is released into dist/: sdist, pure and compiled wheels
	@$(BIN)/python -m tools.release.build

try-dist: .release/made  ## try what dist/ holds in fresh environments; TRIAL=wheels: only that
	@$(BIN)/python -m tools.release.trial $(TRIAL)

docs: .venv/test build/compiled/made  ## renew what pages take from the code and its runs, check links
	@$(COMPILED) -m tools.pages

site: .venv/test  ## build the documentation site into build/site
	@$(BIN)/sphinx-build -q -W --keep-going -E docs build/site
	@echo 'Open build/site/index.html.'

calibration: .venv/test build/compiled/made  ## search for better constants for MINUTES=30; changes nothing
	$(COMPILED) -m tools.calibration.calibrate --minutes $(or $(MINUTES),30)

bounds: .venv/test build/compiled/made  ## renew the bounds of the published tables; look at the diff
	$(COMPILED) -m tools.pages bounds

left-out: .venv/test build/compiled/made  ## fit without each suite in turn, for an hour; then make docs
	$(COMPILED) -m tools.calibration.calibrate --leave-out HS --leave-out HM --leave-out HL \
	    --leave-out HY --generations 100 --length 0.1 --minutes 60 --record

judge: .venv/test build/compiled/made  ## the model beside every bound and goal: SET=chpid.turn_ns=0: with another constant
	$(COMPILED) -m tools.calibration.judge $(addprefix --set ,$(SET))

fidelity: .venv/test build/compiled/made  ## docs, and what each constant and each rule does to the fit
	$(COMPILED) -m tools.pages "what each constant does" "what each rule does"
	$(MAKE) docs

clean:  ## remove caches and reports; .venv stays
	rm -rf build dist .release mutants *.egg-info .coverage* coverage.json htmlcov
	rm -rf .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find $(SOURCES) -name __pycache__ -prune -exec rm -rf {} +

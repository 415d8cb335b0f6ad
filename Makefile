# Two commands do everything a newcomer needs: make run, make test.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
PEERS_VENV := .venv-peers
PEERS_INSTALLED := $(PEERS_VENV)/.installed
TOOLS_VENV := .venv-training-tools
TOOLS_INSTALLED := $(TOOLS_VENV)/.installed
API_TOOLS_VENV := .venv-api-tools
API_TOOLS_INSTALLED := $(API_TOOLS_VENV)/.installed
# Another table of measured rows: make bench-peers MEASURED=rows.csv
MEASURED := knowledge/measurements/inference_performance.csv
# A folder of quotes with what a reviewer found in each: make check-quotes QUOTES=folder
QUOTES := quotes
# durable-rules compiles a C extension at install; Python 3.13 dropped a name it calls, which this definition gives back.
export CC := gcc -DPyEval_CallObject=PyObject_CallObject
EXAMPLE := examples/assistant.yaml

.PHONY: help run test format check types contracts tests bench bench-estate bench-peers check-quotes bench-simulation calibrate calibrate-tails check-training-launch check-language check-conversations check-rules check-store bench-api check-api check-clients openapi audit lint-image bench-tui drive-terminal clean

help:
	@echo "make run     set up, then open the guided terminal (or plan $(EXAMPLE) where there is no terminal)"
	@echo "make test    set up, then everything CI runs: format, lint, types, import contracts, tests"
	@echo "make format  rewrite files in the project's format"
	@echo "make bench   measured times, memory and candidates per second"
	@echo "make bench-estate  200 workloads planned as one, twice, and again after a deadline moved"
	@echo "make calibrate  fit the constants of serving, items, training speed and training memory to measured rows; write what ships"
	@echo "make bench-tui   start to first question, and answer to plan, in the terminal"
	@echo "make drive-terminal  the real program in tmux, from the first question to a saved plan"
	@echo "make bench-simulation  how long simulations of an hour and of a recorded day take"
	@echo "make check-quotes  how often checks find what a reviewer found, over a folder: QUOTES=folder"
	@echo "make calibrate-tails   fit the tails of serving times on the simulation again (two minutes)"
	@echo "make check-training-launch  launch settings of training runs put to the tools' own parsers (installs 3 GB beside)"
	@echo "make check-rules  the rules against their conditions on 10,000 sets of facts, in memory, from threads (minutes)"
	@echo "make check-language CASES=folder  how much of conversations with a right answer is understood"
	@echo "make check-conversations CASES=folder  how many conversations with a right answer pass whole"
	@echo "make bench-api   requests a second of the API beside a bare route; make openapi writes docs/openapi.json anew"
	@echo "make check-api   generated requests to every operation (installs 300 MB beside, runs an hour); CASES=10 for fewer"
	@echo "make check-clients  clients generated from docs/openapi.json in Python and TypeScript (needs npx)"
	@echo "make audit       known weaknesses of what is installed; make lint-image checks the Dockerfile"
	@echo "make check-store  four processes write 500 times and are killed at random moments: is every kept thing there"
	@echo "make bench-peers  our errors and a peer's on the same measured rows (installs 800 MB beside, runs some minutes)"

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

bench-estate: $(INSTALLED)
	$(BIN)/python -m bench.bench_estate

calibrate: $(INSTALLED)
	$(BIN)/python -m advisor.evidence.item_calibration
	$(BIN)/python -m advisor.evidence.calibrating
	$(BIN)/python -m advisor.evidence.training_calibrating
	$(BIN)/python -m advisor.evidence.calibrating_training_memory

check-quotes: $(INSTALLED)
	$(BIN)/python bench/bench_quotes.py $(QUOTES)

check-rules: $(INSTALLED)
	$(BIN)/python bench/check_rules.py

# How quickly the terminal answers, and the real program driven by keys in tmux.
bench-tui: $(INSTALLED)
	$(BIN)/python bench/bench_tui.py

drive-terminal: $(INSTALLED)
	$(BIN)/python bench/drive_terminal.py

bench-simulation: $(INSTALLED)
	$(BIN)/python bench/bench_simulation.py

calibrate-tails: $(INSTALLED)
	$(BIN)/python -m advisor.evidence.tails

# The peer brings large dependencies, so it stays out of the environment that everything else is tested in.
$(PEERS_INSTALLED): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(PEERS_VENV)
	$(PEERS_VENV)/bin/pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[peers]"
	@touch $@

bench-peers: $(PEERS_INSTALLED)
	$(PEERS_VENV)/bin/python bench/bench_peers.py $(MEASURED)

# Training tools ask for different versions of one another: of some only the parser is installed, without what it depends on.
$(TOOLS_INSTALLED): pyproject.toml bench/training-tools.txt bench/training-tools-alone.txt
	$(PYTHON) -m venv $(TOOLS_VENV)
	$(TOOLS_VENV)/bin/pip install --quiet --disable-pip-version-check -e . -r bench/training-tools.txt
	$(TOOLS_VENV)/bin/pip install --quiet --disable-pip-version-check --no-deps -r bench/training-tools-alone.txt
	@touch $@

check-training-launch: $(TOOLS_INSTALLED)
	$(TOOLS_VENV)/bin/python bench/check_training_launch.py

# Cases of conversations with a right answer: make check-language CASES=folder
check-language: $(INSTALLED)
	$(BIN)/python -m bench.check_language $(CASES)

check-conversations: $(INSTALLED)
	$(BIN)/python -m bench.check_conversations $(CASES)

bench-api: $(INSTALLED)
	$(BIN)/python -m bench.bench_api

openapi: $(INSTALLED)
	$(BIN)/python -m advisor.api.contract > docs/openapi.json

$(API_TOOLS_INSTALLED): bench/api-tools.txt
	$(PYTHON) -m venv $(API_TOOLS_VENV)
	$(API_TOOLS_VENV)/bin/pip install --quiet --disable-pip-version-check -r bench/api-tools.txt
	@touch $@

check-api: $(INSTALLED) $(API_TOOLS_INSTALLED)
	BIN=$(BIN) TOOLS=$(API_TOOLS_VENV)/bin bench/check_api.sh

check-clients: $(INSTALLED) $(API_TOOLS_INSTALLED)
	BIN=$(BIN) TOOLS=$(API_TOOLS_VENV)/bin bench/check_clients.sh

audit: $(API_TOOLS_INSTALLED)
	$(API_TOOLS_VENV)/bin/pip-audit --no-deps --disable-pip -r constraints.txt

lint-image: $(API_TOOLS_INSTALLED)
	$(API_TOOLS_VENV)/bin/hadolint Dockerfile

clean:
	rm -rf $(VENV) $(PEERS_VENV) $(TOOLS_VENV) $(API_TOOLS_VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

# Four processes write to one store and are ended at random moments.
check-store: $(INSTALLED)
	$(BIN)/python -m bench.bench_store

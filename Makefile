PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.PHONY: color test check lint format clean

color: $(READY)  ## train a small model on cycles and color the example graphs with it
	$(BIN)/concolor train --data cycles --recipe cycles --threads 1 --output out/cycles.safetensors
	$(BIN)/concolor color examples/graphs/* --max-mono 0.05 --no-polish --model out/cycles.safetensors

test: check  ## lint, types, tests: what CI runs
	OMP_NUM_THREADS=1 $(BIN)/pytest -n 2

check: lint
	$(BIN)/mypy

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[dev]'
	@touch $@

clean:
	rm -rf .venv build dist

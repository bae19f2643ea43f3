PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.PHONY: color test quick check lint format docs dist clean

color: $(READY)  ## color the example graphs with the shipped model
	$(BIN)/concolor color examples/graphs/* --threads 1

test: check  ## lint, types, tests: what CI runs
	OMP_NUM_THREADS=1 $(BIN)/pytest -n 2

quick: lint  ## the tests that take no time, in less than a minute
	OMP_NUM_THREADS=1 $(BIN)/pytest -n 2 --dist loadfile -m "not slow"

check: lint
	$(BIN)/lint-imports --no-logo
	$(BIN)/mypy

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: $(READY)  ## the site in build/docs; a broken link or any other warning is an error
	rm -rf build/docs
	$(BIN)/sphinx-build -q -E -W --keep-going -c docs -d build/doctrees . build/docs

dist: $(READY)  ## sdist and wheel in dist, and the wheel tried in an empty environment
	rm -rf dist
	$(BIN)/python -m build --quiet
	CONCOLOR_WHEEL=$$(ls dist/*.whl) $(BIN)/pytest -rs tests/test_release.py

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[dev]'
	@touch $@

clean:
	rm -rf .venv build dist

# Two commands: `make crawl` runs the main job, `make test` the tests. Both set up what they need.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.made-from-pyproject
MYPY := $(BIN)/python -m mypy

# Many tests start processes: without stored bytecode each would compile the package anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: crawl test lint types docs linkcheck venv clean

# The demonstration crawls a documentation web served on this machine. To crawl the live web:
#   make crawl QUERY="coral bleaching" SEEDS="https://… https://…" MAX_REQUESTS=500
crawl: venv
	$(BIN)/python -m demo.stoppable demo.crawl $(if $(QUERY),--query "$(QUERY)") $(if $(SEEDS),--seeds "$(SEEDS)") \
		$(if $(MAX_REQUESTS),--max-requests $(MAX_REQUESTS)) $(if $(SPECIES),--species $(SPECIES)) $(if $(SEED),--seed $(SEED))

# Style, types, and the tests; among them are Scrapy's own, with the add-on. Redis and Chromium are installed
# where they are missing and may be; else the tests that need them are skipped. Many tests wait for servers, so
# that four processes keep two cores busy. Types are checked beside the tests.
test: lint
	$(BIN)/python tests/programs.py
	$(MYPY) & types=$$!; $(BIN)/python -m pytest -n 4 --dist worksteal -q -rs; tests=$$?; wait $$types && exit $$tests

lint: venv
	$(BIN)/ruff check . evocrawl/spiders evocrawl/middlewares evocrawl/pipelines
	$(BIN)/ruff format --check . evocrawl/spiders evocrawl/middlewares evocrawl/pipelines

types: venv
	$(MYPY)

# The site of the documentation, in build/docs/. A warning is an error, and so is a link within the site that leads nowhere.
docs: venv
	$(BIN)/python -m sphinx -W --keep-going -q -E -b html docs build/docs
	$(BIN)/python docs/check_site.py build/docs
	@echo "the site is in build/docs/index.html"

# The links to other sites: this needs the internet.
linkcheck: venv
	$(BIN)/python -m sphinx -q -b linkcheck docs build/linkcheck

venv: $(STAMP)

$(STAMP): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) demo/waiting.py "making $(VENV)" $(PYTHON) -m venv $(VENV)
	$(PYTHON) demo/waiting.py "installing packages into $(VENV)" \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev,sim]'
	touch $@

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis output

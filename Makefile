# One target, one job. `make demo` and `make test` set everything up on a fresh machine.
.DEFAULT_GOAL := help
.PHONY: help setup page demo test test-core test-testbench test-assets test-install test-long faults fuzz maps soak traffic-soak check docs format lock proto pictures films models firmware wheel audit bench clean
BIN := .venv/bin
# Two processes of tests, each with whole files; a crashed one is a failure and is replaced.
PYTEST := $(BIN)/python -m pytest --numprocesses 2 --dist loadfile --no-loadscope-reorder \
    --max-worker-restart 2

help: ## this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 12

setup: .venv/.ready ## the virtual environment with all extras, and the system libraries

.venv/.ready: requirements.lock pyproject.toml scripts/setup.sh
	@sh scripts/setup.sh

# A third of it: no tools of developers, and of the extras the windows alone.
.venv/.windows: requirements.lock pyproject.toml scripts/setup.sh
	@sh scripts/setup.sh windows

page: setup ## autosim/web/page: the page for browsers, from web/
	@sh scripts/build_page.sh

demo: .venv/.windows ## a town from OpenStreetMap, and a car that drives through it
	@$(BIN)/autosim demo

test: setup page ## all tests
	@$(PYTEST)

test-core: setup page ## the tests of the package autosim
	@$(PYTEST) tests --ignore tests/testbench --ignore tests/assets --ignore tests/install

test-testbench: setup ## the tests of the package autosim_testbench
	@$(PYTEST) tests/testbench

test-assets: setup ## the tests of the package autosim_assets
	@$(PYTEST) tests/assets

test-install: setup page ## the wheel in an empty environment, and what README and tutorials have readers type
	@$(PYTEST) tests/install

test-long: setup ## the tests that take minutes: all maps, many seeds
	@$(PYTEST) --timeout 3600 -m long

faults: setup ## faults of networks, processes and disks until the time is up: SEED=0 MINUTES=60
	@$(BIN)/python -m tests.faults --seed $(or $(SEED),0) --minutes $(or $(MINUTES),60)

fuzz: setup ## inputs for all readers, guided by coverage (installs Atheris): SEED=0 MINUTES=60 TARGETS="osm record"
	@sh scripts/uv.sh pip install --quiet --python $(BIN)/python atheris==3.0.0
	@$(BIN)/python -m tests.fuzz --seed $(or $(SEED),0) --minutes $(or $(MINUTES),60) $(TARGETS)

maps: setup ## windows of all maps beside the checkout, built, checked and driven through: SEED=0 MINUTES=120
	@$(BIN)/python -m tests.maps --shrink --seed $(or $(SEED),0) --minutes $(or $(MINUTES),120)

soak: setup ## a server in all its uses for hours, and what grows meanwhile: SEED=0 HOURS=1
	@$(BIN)/python -m tests.soak --seed $(or $(SEED),0) --hours $(or $(HOURS),1)

traffic-soak: setup ## hours of traffic in towns, without collisions or endless jams: MAPS="a.osm b.osm" HOURS=8
	@$(BIN)/python -m tests.soak.traffic --hours $(or $(HOURS),8) --seed $(or $(SEED),0) $(MAPS)

check: setup page ## everything that must hold: style, types, layers, tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	@sh scripts/build_page.sh run lint
	@$(PYTEST)

docs: setup ## the documentation as a site, in site/
	$(BIN)/python -m sphinx -q -W --keep-going docs site

format: setup ## the code in the project's style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

lock: ## requirements.lock from pyproject.toml
	uv pip compile pyproject.toml --all-extras --group dev --universal --generate-hashes \
	    --no-header --python-version 3.11 --quiet -o requirements.lock

proto: setup ## autosim/v1 from proto/
	$(BIN)/python -m grpc_tools.protoc -Iproto --python_out=. --grpc_python_out=. --pyi_out=. \
	    proto/autosim/v1/autosim.proto
	$(BIN)/python -m grpc_tools.protoc -Iproto --python_out=. --pyi_out=. proto/autosim/v1/tree.proto
	$(BIN)/python scripts/type_services.py
	$(BIN)/python scripts/generate_alpasim.py

pictures: setup ## docs/places/ from the extracts beside the checkout
	$(BIN)/python scripts/draw_places.py
	@$(BIN)/python scripts/draw_devices.py

films: setup ## docs/films/, which take a quarter of an hour
	$(BIN)/python scripts/draw_films.py

models: setup ## models/ from the code that draws them
	$(BIN)/python -m autosim_assets.make_models models

firmware: ## build/firmware: sketches for an Arduino Uno, and a board that emulates one
	@$(MAKE) --no-print-directory -C firmware OUT=$(CURDIR)/build/firmware

wheel: setup page ## dist/: the wheel, its bill of materials (CycloneDX) and their checksums
	@sh scripts/build_wheel.sh dist

audit: ## known vulnerabilities of the locked packages; asks the index of packages
	@sh scripts/uv.sh tool run --quiet pip-audit --requirement requirements.lock --disable-pip --no-deps

bench: setup ## every benchmark, one after the other; what they print goes to out/bench
	@$(BIN)/python scripts/bench.py

clean: ## what the targets above have made
	rm -rf .venv .uv dist build out site web/node_modules autosim/web/page .pytest_cache .mypy_cache .ruff_cache .import_linter_cache

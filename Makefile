# The menu. Each target makes what it needs in one .venv and reuses it; `make help` lists them.

PYTHON ?= python3
WORKERS ?= 2

VENV := .venv
BIN := $(VENV)/bin
STAMPS := $(VENV)/stamps
PIP := PIP_DISABLE_PIP_VERSION_CHECK=1 $(BIN)/python -m pip --quiet
# $(call requirements,["key"]): what pyproject.toml lists under a key, one a line
requirements = $(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))$(1), sep="\n")'

PACKAGE_FILES := pyproject.toml CMakeLists.txt $(wildcard README.md LICENSE) \
	$(shell find src bindings cpp/include cpp/src -type f -not -path '*/__pycache__/*')
CXX_FILES := $(shell find cpp bindings -name '*.hpp' -o -name '*.cpp')
LONG_FILE := 400

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help demo test test-thorough cpp-test bench lint format docs clean $(shell grep -o "^bench-[a-z-]*" $(firstword $(MAKEFILE_LIST)))

help: ## this menu
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-20s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(STAMPS)/package $(STAMPS)/extra-demo ## the main job: forecast every flight out of New York, online
	@$(BIN)/hedgerow demo

test: $(STAMPS)/package $(STAMPS)/group-test ## all Python tests, docstrings and pages included
	@$(BIN)/python -m pytest -q -n $(WORKERS)

test-thorough: export HEDGEROW_THOROUGH := 1
test-thorough: test ## the same with larger samples

cpp-test: $(STAMPS)/builder ## tests of the C++ core without Python, under sanitizers
	@mkdir -p build-cpp
	@$(BIN)/cmake -S . -B build-cpp -DHEDGEROW_TESTS=ON -DCMAKE_BUILD_TYPE=Debug > build-cpp/log || (cat build-cpp/log; false)
	@$(BIN)/cmake --build build-cpp -j $(WORKERS) >> build-cpp/log || (cat build-cpp/log; false)
	@$(BIN)/ctest --test-dir build-cpp --output-on-failure -j $(WORKERS)

bench: $(STAMPS)/package $(STAMPS)/group-bench ## speed and memory next to named peers
	@$(BIN)/python -m benchmarks

bench-classification: $(STAMPS)/package $(STAMPS)/group-bench ## the same for classes; needs data: DATA=folder, or QUICK=1
	@$(BIN)/python -m benchmarks classification $(if $(DATA),--data $(DATA)) $(if $(QUICK),--quick)

bench-accuracy: $(STAMPS)/package $(STAMPS)/group-bench ## errors and honesty of regression; more sets with DATA=folder, or QUICK=1
	@$(BIN)/python -m benchmarks accuracy $(if $(DATA),--data $(DATA)) $(if $(QUICK),--quick)

bench-coverage: $(STAMPS)/package $(STAMPS)/group-bench ## what intervals promise: coverage by group, in gaps, after shifts; or QUICK=1
	@$(BIN)/python -m benchmarks coverage $(if $(QUICK),--quick)

bench-kernel: $(STAMPS)/package $(STAMPS)/group-bench ## the Mondrian kernel: speed, exactness, figures; more with DATA=folder, or QUICK=1
	@$(BIN)/python -m benchmarks kernel $(if $(DATA),--data $(DATA)) $(if $(QUICK),--quick)

bench-losses: $(STAMPS)/package $(STAMPS)/group-bench ## class probabilities next to ExtraTrees and river; more sets with DATA=folder
	@$(BIN)/python -m benchmarks losses $(if $(DATA),--data $(DATA)) $(if $(QUICK),--quick)

bench-prequential: $(STAMPS)/package $(STAMPS)/group-bench ## forecast and learn row by row, next to river; DATA=folder, or QUICK=1
	@$(BIN)/python -m benchmarks prequential $(if $(DATA),--data $(DATA)) $(if $(QUICK),--quick)

bench-drift: $(STAMPS)/package $(STAMPS)/group-bench ## how soon a windowed forest forgets a drift; a million rows, or ROWS=n
	@$(BIN)/python -m benchmarks drift $(if $(ROWS),--rows $(ROWS))

bench-online: $(STAMPS)/package $(STAMPS)/group-bench ## online forests with intervals; needs data: DATA=folder, or QUICK=1
	@$(BIN)/python -m benchmarks online-forests $(if $(DATA),--data $(DATA)) $(if $(QUICK),--quick)

bench-bayesian-trees: $(STAMPS)/package $(STAMPS)/group-bench ## posteriors over trees, as in the thesis; needs data: DATA=folder, or QUICK=1
	@$(BIN)/python -m benchmarks bayesian-trees $(if $(DATA),--data $(DATA)) $(if $(QUICK),--quick)

bench-bart: $(STAMPS)/package $(STAMPS)/group-bench-bart ## BART on hypercubes and next to its peers; needs data: DATA=folder, or QUICK=1
	@$(BIN)/python -m benchmarks bart $(if $(DATA),--data $(DATA)) $(if $(QUICK),--quick)

bench-optimize: $(STAMPS)/package $(STAMPS)/group-bench-optimize ## Bayesian optimisation next to Optuna and SMAC3; grids with DATA=folder, or QUICK=1
	@$(BIN)/python -m benchmarks optimize $(if $(DATA),--data $(DATA)) $(if $(QUICK),--quick)

lint: $(STAMPS)/package $(STAMPS)/group-lint ## style and types of Python and C++
	@$(BIN)/ruff check --quiet
	@$(BIN)/ruff format --check --quiet || ($(BIN)/ruff format --check; false)
	@$(BIN)/mypy
	@$(BIN)/clang-format --dry-run -Werror $(CXX_FILES)
	@$(BIN)/python tools/check_includes.py
	@$(BIN)/python tools/check_names.py
	@wc -l $$(git ls-files '*.py' '*.hpp' '*.cpp') | \
		awk '$$1 > $(LONG_FILE) && $$2 != "total" { print "longer than $(LONG_FILE) lines: " $$2 " (" $$1 ")" }'

format: $(STAMPS)/group-lint ## put Python and C++ in shape
	@$(BIN)/ruff check --quiet --fix
	@$(BIN)/ruff format --quiet
	@$(BIN)/clang-format -i $(CXX_FILES)

docs: $(STAMPS)/package $(STAMPS)/group-docs ## the documentation, in docs/_build/html
	@$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

clean: ## remove all that these targets made
	@rm -rf $(VENV) build build-cpp docs/_build docs/api/generated
	@rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

# One virtual environment, and a stamp for each thing that was put into it.

$(STAMPS)/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "hedgerow needs Python 3.11 or later: make PYTHON=...")'
	@echo "making $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@mkdir -p $(STAMPS)
	@$(PIP) install --upgrade 'pip>=25.1'
	@touch $@

# The builder stays in the environment, so that a change of Python files alone compiles nothing.
$(STAMPS)/builder: pyproject.toml | $(STAMPS)/pip
	@$(call requirements,["build-system"]["requires"]) > $@.txt
	@$(PIP) install -r $@.txt cmake ninja
	@touch $@

$(STAMPS)/package: $(PACKAGE_FILES) $(STAMPS)/builder
	@echo "building hedgerow"
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(PIP) install --no-build-isolation .
	@touch $@

$(STAMPS)/group-%: pyproject.toml | $(STAMPS)/pip
	@echo "installing the tools of '$*'"
	@$(PIP) install --group $*
	@touch $@

$(STAMPS)/extra-%: pyproject.toml | $(STAMPS)/pip
	@echo "installing the extra '$*'"
	@$(call requirements,["project"]["optional-dependencies"]["$*"]) > $@.txt
	@$(PIP) install -r $@.txt
	@touch $@

# The menu. Each target makes what it needs in one .venv and reuses it; `make help` lists them.

PYTHON ?= python3
WORKERS ?= 2

VENV := .venv
SANITIZE :=
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
STAMPS := $(VENV)/stamps
PIP := PIP_DISABLE_PIP_VERSION_CHECK=1 $(BIN)/python -m pip --quiet
# $(call requirements,["key"]): what pyproject.toml lists under a key, one a line
requirements = $(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))$(1), sep="\n")'

PACKAGE_FILES := pyproject.toml CMakeLists.txt $(wildcard README.md LICENSE) \
	$(shell find src bindings cpp/include cpp/src -type f -not -path '*/__pycache__/*')
CXX_FILES := $(shell find cpp bindings -name '*.hpp' -o -name '*.cpp')
LONG_FILE := 400
# Parts of the core that start threads
THREADED := parallel predictive online mondrian kernel posterior_tree greedy bayesian_tree bart
space := $(subst ,, )

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PRECIOUS: $(STAMPS)/group-%
.NOTPARALLEL:
.PHONY: help demo test test-thorough cpp-test tsan tsan-models fuzz fuzz-sanitized fuzz-guided fuzz-guided-sanitized \
	bench papers soak kills lint format docs clean

help: ## this menu
	@awk -F ':.*## ' '/^[a-z%-]+:.*## / { printf "  make %-20s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(STAMPS)/package $(STAMPS)/extra-demo ## the main job: forecast every flight out of New York, online
	@$(BIN)/hedgerow demo

test: $(STAMPS)/package $(STAMPS)/group-test ## all Python tests, docstrings and pages included; TESTS="tests/laws/test_files.py -k forest"
	@OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal $(TESTS)  # every worker has a core, not all of them

test-thorough: export HEDGEROW_THOROUGH := 1
test-thorough: test ## the same with larger samples

cpp-test: $(STAMPS)/builder ## tests of the C++ core without Python, under sanitizers
	@mkdir -p build-cpp
	@$(BIN)/cmake -S . -B build-cpp -DHEDGEROW_TESTS=ON -DCMAKE_BUILD_TYPE=Debug > build-cpp/log || (cat build-cpp/log; false)
	@$(BIN)/cmake --build build-cpp -j $(WORKERS) >> build-cpp/log || (cat build-cpp/log; false)
	@$(BIN)/ctest --test-dir build-cpp --output-on-failure -j $(WORKERS)

tsan: $(STAMPS)/builder ## the thread sanitizer: tests of the core that start threads, then threads that share each model
	@mkdir -p build-cpp-thread
	@$(BIN)/cmake -S . -B build-cpp-thread -DHEDGEROW_TESTS=ON -DHEDGEROW_SANITIZE=thread -DCMAKE_BUILD_TYPE=Debug \
		> build-cpp-thread/log || (cat build-cpp-thread/log; false)
	@$(BIN)/cmake --build build-cpp-thread -j $(WORKERS) --target $(THREADED:%=%_tests) >> build-cpp-thread/log || (cat build-cpp-thread/log; false)
	@$(BIN)/ctest --test-dir build-cpp-thread --output-on-failure -j $(WORKERS) -R "^($(subst $(space),|,$(THREADED)))$$"
	@$(MAKE) --no-print-directory VENV=.venv-tsan SANITIZE=thread tsan-models

tsan-models: $(STAMPS)/package $(STAMPS)/group-fuzz
	@LD_PRELOAD="$$($(CXX) -print-file-name=libtsan.so)" OPENBLAS_NUM_THREADS=1 \
		TSAN_OPTIONS="halt_on_error=1 exitcode=66" \
		$(BIN)/python -m pytest -q -p no:cacheprovider tests/laws/test_threads.py $(TESTS)

fuzz: ## an attack on every entry point, under sanitizers; MINUTES=n, or CALLS=n FILES=n; PAGE=file, CASE=files:17
	@$(MAKE) --no-print-directory VENV=.venv-fuzz SANITIZE=address,undefined fuzz-sanitized

fuzz-guided: ## the loader (TARGET=files) or the readers (TARGET=readers) by libFuzzer, guided by coverage; MINUTES=n
	@$(MAKE) --no-print-directory VENV=.venv-fuzz SANITIZE=address,undefined fuzz-guided-sanitized

fuzz-sanitized: $(STAMPS)/package $(STAMPS)/group-fuzz
	@$(SANITIZED) $(BIN)/python -m fuzz --workers $(WORKERS) $(if $(MINUTES),--minutes $(MINUTES)) \
		$(if $(CALLS),--calls $(CALLS)) $(if $(FILES),--files $(FILES)) $(if $(PAGE),--page $(PAGE)) \
		$(if $(CASE),--case $(CASE)) $(ATTACKS)

fuzz-guided-sanitized: $(STAMPS)/package $(STAMPS)/group-fuzz-guided
	@$(CXX) -shared -o $(LIBFUZZER) -Wl,--whole-archive \
		"$$($(BIN)/python -c 'import atheris; print(atheris.path())')/libclang_rt.fuzzer_no_main.a" -Wl,--no-whole-archive -lpthread
	@env $(SANITIZED) LD_PRELOAD="$(LIBFUZZER) $(MUTATOR) $(SANITIZERS)" $(BIN)/python -m fuzz.guided $(or $(TARGET),files) \
		-max_total_time=$$(($(or $(MINUTES),3) * 60)) -artifact_prefix=build-address-undefined/

bench: bench-speed ## speed and memory next to named peers

bench-%: $(STAMPS)/package $(STAMPS)/group-bench ## one page of benchmarks/: bench-accuracy, bench-drift ...; DATA=folder, QUICK=1, FULL=1
	@$(BIN)/python -m benchmarks $* $(if $(DATA),--data $(DATA)) $(if $(QUICK),--quick) $(if $(FULL),--full) $(if $(SIZE),--size $(SIZE))

papers: $(STAMPS)/package $(STAMPS)/group-bench-papers ## tables and figures of the papers next to ours, and public tables; DATA=folder, QUICK=1
	@for topic in $(notdir $(patsubst %/run.py,%,$(wildcard benchmarks/papers/*/run.py))); do \
		$(BIN)/python -m benchmarks $$topic $(if $(DATA),--data $(DATA)) $(if $(QUICK),--quick) || exit 1; \
	done

soak: $(STAMPS)/package $(STAMPS)/group-test ## memory along long streams: ROWS=n, 1e6 of each model unless said
	@$(BIN)/python -m benchmarks soak $(if $(ROWS),--size $(ROWS))

kills: $(STAMPS)/package $(STAMPS)/group-test ## killed while it writes: KILLS=n, 500 unless said
	@$(BIN)/python -m benchmarks kills $(if $(KILLS),--size $(KILLS))

bench-accuracy bench-classification bench-speed: $(STAMPS)/group-bench-accuracy
bench-bart: $(STAMPS)/group-bench-bart
bench-capymoa: $(STAMPS)/group-bench-capymoa
bench-optimize: $(STAMPS)/group-bench-optimize
bench-tables: $(STAMPS)/group-bench-tables
bench-outliers: $(STAMPS)/group-bench-outliers
bench-bbob: $(STAMPS)/group-bench-papers

lint: $(STAMPS)/package $(STAMPS)/group-lint ## style and types of Python and C++
	@$(BIN)/ruff check --quiet
	@$(BIN)/ruff format --check --quiet || ($(BIN)/ruff format --check; false)
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache > $(STAMPS)/imports.log || (cat $(STAMPS)/imports.log; false)
	@$(BIN)/deptry src > $(STAMPS)/needed.log 2>&1 || (cat $(STAMPS)/needed.log; false)
	@git ls-files | xargs $(BIN)/codespell
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

include tools/release.mk tools/ci.mk

clean: ## remove all that these targets made
	@rm -rf $(VENV) .venv-* build build-* dist docs/_build docs/api/generated docs/auto_gallery docs/benchmarks
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

# What a sanitized module needs of the process that imports it. Python leaks on purpose; what asks for gigabytes is an error.
SANITIZERS = $$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libstdc++.so)
SANITIZED = LD_PRELOAD="$(SANITIZERS)" \
	ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=2048:hard_rss_limit_mb=4096:quarantine_size_mb=16 \
	UBSAN_OPTIONS=print_stacktrace=1 OPENBLAS_NUM_THREADS=1
# libFuzzer comes before the sanitizer, whose functions that count coverage do nothing.
LIBFUZZER = $(CURDIR)/build-address-undefined/libfuzzer.so
MUTATOR = $$($(BIN)/python -c 'from importlib.util import find_spec; print(find_spec("atheris.custom_mutator").origin)')
# A sanitized package has an environment and a folder of its own: make VENV=.venv-fuzz SANITIZE=address,undefined
comma := ,
SANITIZED_BUILD = -C build-dir=build-$(subst $(comma),-,$(SANITIZE)) -C cmake.build-type=Debug \
	-C cmake.define.HEDGEROW_SANITIZE=$(SANITIZE)

# The builder stays in the environment, so that a change of Python files alone compiles nothing. Its programs are found by
# $PWD as the shell writes it: a folder of Windows that begins with a drive would be taken for two.
$(STAMPS)/builder: pyproject.toml | $(STAMPS)/pip
	@$(call requirements,["build-system"]["requires"]) > $@.txt
	@$(PIP) install -r $@.txt cmake ninja
	@touch $@

$(STAMPS)/package: $(PACKAGE_FILES) $(STAMPS)/builder
	@echo "building hedgerow"
	@PATH="$$PWD/$(BIN):$$PATH" $(PIP) install --no-build-isolation $(if $(SANITIZE),$(SANITIZED_BUILD)) .
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

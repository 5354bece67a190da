# What the forge runs beside lint, tests and sanitizers: other versions of what we need, coverage, clang-tidy, its own files.

TESTS_ELSEWHERE = $(or $(TESTS),tests)
RESOLUTION_lowest := --resolution lowest-direct
RESOLUTION_newest := --prerelease allow
resolve = $(BIN)/uv pip compile --quiet --no-header --python $(BIN)/python $(RESOLUTION_$*) $(1) pyproject.toml > .venv-$*/$(2).txt \
	&& $(BIN)/uv pip install --quiet --python .venv-$* -r .venv-$*/$(2).txt

.PHONY: test-lowest test-newest coverage tidy track lint-forge

test-lowest: ## tests with the lowest versions that pyproject.toml allows, in .venv-lowest; TESTS=tests/api
test-newest: ## tests with the newest versions, releases to come included, in .venv-newest
# The adapters come last: what they need allows less than we do. Pages and docstrings print as the newest NumPy does, and
# need the adapters.
test-lowest test-newest: test-%: $(STAMPS)/builder $(STAMPS)/group-resolve
	@rm -rf build/current
	@PATH="$$PWD/$(BIN):$$PATH" $(PIP) wheel --no-build-isolation --no-deps --wheel-dir build/current .
	@$(BIN)/uv venv --quiet --clear --python $(BIN)/python .venv-$*
	@$(call resolve,--extra plot --extra parquet --extra tables --group test-core,core)
	@$(BIN)/uv pip install --quiet --python .venv-$* --no-deps build/current/*.whl
	@OPENBLAS_NUM_THREADS=1 .venv-$*/bin/python -m pytest -q -n $(WORKERS) --dist worksteal --ignore=tests/integrations \
		--ignore=tests/docs/test_pages.py --ignore=tests/api/test_docstrings.py $(TESTS_ELSEWHERE)
	@$(call resolve,--group test,adapters)
	@OPENBLAS_NUM_THREADS=1 .venv-$*/bin/python -m pytest -q -n $(WORKERS) --dist worksteal tests/integrations

coverage: $(STAMPS)/package $(STAMPS)/group-coverage ## what tests reach, of Python and of C++: build-coverage/reports; TESTS=..., CORE=numeric
	@mkdir -p build-coverage/core build-coverage/reports
	@$(BIN)/cmake -S . -B build-coverage/core -DHEDGEROW_TESTS=ON -DHEDGEROW_COVERAGE=ON -DCMAKE_BUILD_TYPE=Debug > build-coverage/log
	@$(BIN)/cmake --build build-coverage/core -j $(WORKERS) $(if $(CORE),--target $(CORE)_tests) >> build-coverage/log \
		|| (cat build-coverage/log; false)
	@$(BIN)/ctest --test-dir build-coverage/core --output-on-failure -j $(WORKERS) $(if $(CORE),-R '^$(CORE)$$')
	@$(BIN)/gcovr --root cpp --filter cpp/include --filter cpp/src --gcov-ignore-parse-errors=negative_hits.warn \
		--html-nested build-coverage/reports/core.html --txt-summary build-coverage/core.txt build-coverage/core
	@OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal --cov=hedgerow --cov-report= $(TESTS_ELSEWHERE)
	@$(BIN)/coverage html --quiet --directory build-coverage/reports/python
	@printf '| | lines reached |\n|---|---|\n| Python | %s %% |\n| C++ | %s |\n' "$$($(BIN)/coverage report --format=total)" \
		"$$(sed -n 's/^lines: \([^ ]*\) .*/\1/p' build-coverage/core.txt)" | tee build-coverage/summary.md

tidy: $(STAMPS)/builder $(STAMPS)/group-tidy ## clang-tidy with the checks of .clang-tidy: the compiled part of the core
	@mkdir -p build-tidy
	@$(BIN)/cmake -S . -B build-tidy -DHEDGEROW_TESTS=ON -DHEDGEROW_SANITIZE= -DCMAKE_EXPORT_COMPILE_COMMANDS=ON > build-tidy/log
	@$(BIN)/clang-tidy --quiet -p build-tidy --warnings-as-errors='*' $(TIDY_FILES) 2> build-tidy/log || (cat build-tidy/log; false)

TIDY_FILES ?= $(wildcard cpp/src/*.cpp)

# In environments of its own, which asv makes for each commit; QUICK=1 takes what is installed and keeps nothing.
track: $(STAMPS)/group-track $(if $(QUICK),$(STAMPS)/package) ## processor time and memory of this commit, by asv: build-asv/html; BASE=main compares, QUICK=1 tries
	@$(BIN)/asv machine --yes > $(STAMPS)/track.log
ifdef QUICK
	@$(ONE_THREAD) $(BIN)/asv run --quick --python=same --dry-run
else ifneq ($(BASE),)
	@$(ONE_THREAD) $(BIN)/asv continuous --factor 1.3 --interleave-rounds $(BASE) HEAD
else
	@$(ONE_THREAD) $(BIN)/asv run 'HEAD^!'
	@$(BIN)/asv publish
endif

ONE_THREAD := OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1

lint-forge: $(STAMPS)/group-forge ## the files of .github, CITATION.cff and the list of wheels
	@$(BIN)/check-jsonschema --builtin-schema vendor.dependabot .github/dependabot.yml
	@$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	@$(BIN)/check-jsonschema --builtin-schema vendor.github-issue-forms .github/ISSUE_TEMPLATE/bug.yml .github/ISSUE_TEMPLATE/idea.yml
	@$(BIN)/check-jsonschema --builtin-schema vendor.github-issue-config .github/ISSUE_TEMPLATE/config.yml
	@$(BIN)/check-jsonschema --builtin-schema vendor.citation-file-format CITATION.cff
	@$(BIN)/zizmor --offline --quiet --no-progress .github
	@$(BIN)/cibuildwheel --print-build-identifiers --platform linux --archs x86_64

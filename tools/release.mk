# Wheels, the source archive and the dry run of a release. RELEASING.md says how they are used.

# A wheel of 3.11, and one of 3.12 for all later ones. Those that are not on the machine are left out.
WHEEL_PYTHONS ?= python3.11 python3.12
# Each of these tries the wheel that is made for it, in an empty environment.
TRY_PYTHONS ?= python3.11 python3.12 python3.13
# What is run there; TRY_TESTS=tests is everything.
TRY_TESTS ?= tests/api tests/docs/test_readme.py
MACHINE := $(shell uname -sm)
minor = -c 'import sys; print("%d.%d" % sys.version_info[:2])'

.PHONY: wheel wheel-of-one audit-wheels wheels-of-forge sdist try-wheel try-old-processor try-sdist check-version release

wheel: $(STAMPS)/group-release ## wheels for the Pythons on this machine, in dist/, checked; WHEEL_PYTHONS="python3.11 ..."
	@rm -rf build/wheels dist/*.whl
	@for python in $(WHEEL_PYTHONS); do \
		version=$$($$python $(minor) 2> /dev/null) || { echo "no wheel of $$python: it is not on this machine"; continue; }; \
		venv=.venv; [ $$version = $$($(PYTHON) $(minor)) ] || venv=.venv-$$version; \
		$(MAKE) --no-print-directory VENV=$$venv PYTHON=$$python wheel-of-one || exit 1; \
	done
	@mkdir -p dist
ifeq ($(firstword $(MACHINE)),Linux)
	@PATH="$$PWD/$(BIN):$$PATH" $(BIN)/auditwheel repair --wheel-dir dist build/wheels/*.whl \
		> $(STAMPS)/auditwheel.log 2>&1 || (cat $(STAMPS)/auditwheel.log; false)
else
	@mv build/wheels/*.whl dist/
endif
	@$(MAKE) --no-print-directory audit-wheels

wheel-of-one: $(STAMPS)/builder
	@echo "a wheel of $(PYTHON)"
	@mkdir -p build/wheels/new
	@PATH="$$PWD/$(BIN):$$PATH" $(PIP) wheel --no-build-isolation --no-deps --wheel-dir build/wheels/new .
ifeq ($(MACHINE),Linux x86_64)
	@$(BIN)/python tools/check_instructions.py build/$$(basename build/wheels/new/*.whl .whl | cut -d - -f 3-)
endif
	@mv build/wheels/new/*.whl build/wheels/

audit-wheels: $(STAMPS)/group-release
	@$(BIN)/twine check --strict dist/*.whl
	@$(BIN)/abi3audit --strict --summary dist/*-abi3-*.whl
	@$(BIN)/python tools/check_archives.py dist/*.whl

wheels-of-forge: $(STAMPS)/group-forge ## the wheels that the forge uploads, by cibuildwheel; needs a container engine on Linux
	@$(BIN)/cibuildwheel --output-dir dist
	@$(MAKE) --no-print-directory audit-wheels

sdist: $(STAMPS)/builder $(STAMPS)/group-release ## the source archive, in dist/, checked
	@rm -f dist/*.tar.gz
	@$(BIN)/python -m build --sdist --no-isolation --outdir dist . > $(STAMPS)/sdist.log 2>&1 || (cat $(STAMPS)/sdist.log; false)
	@$(BIN)/twine check --strict dist/*.tar.gz
	@$(BIN)/python tools/check_archives.py dist/*.tar.gz

# $(call try-wheels,arguments): each Python tries the wheel that is made for it.
define try-wheels
	@for python in $(TRY_PYTHONS); do \
		version=$$($$python $(minor) 2> /dev/null) || { echo "$$python is not on this machine"; continue; }; \
		case $$version in 3.11) tag=cp311-cp311;; *) tag=cp312-abi3;; esac; \
		$$python tools/try_release.py dist/*-$$tag-*.whl --sources dist/*.tar.gz --python $$python $(1) || exit 1; \
	done
endef

try-wheel: ## the wheels of dist/ in an empty environment of each Python: README, demo, tests; TRY_TESTS=tests for all
	$(call try-wheels,--workers $(WORKERS) $(TRY_TESTS))

# It has SSE4.2 and no AVX: what x86-64-v2 asks for, and NumPy too.
try-old-processor: ## the wheels of dist/ on an emulated processor of 2008, without AVX: README; needs qemu-x86_64
	$(call try-wheels,--processor Nehalem)

try-sdist: ## the source archive of dist/, built and tried in an empty environment
	@$(PYTHON) tools/try_release.py dist/*.tar.gz --sources dist/*.tar.gz --workers $(WORKERS) $(TRY_TESTS)

check-version: | $(STAMPS)/pip
	@$(BIN)/python tools/check_version.py $(TAG)

release: lint check-version sdist wheel try-wheel try-sdist ## a dry run of a release: files ready to upload in dist/, and what is left to do
	@$(BIN)/python tools/check_archives.py dist/*
	@awk '/^## Checklist/ { on = 1; next } /^## / { on = 0 } on' RELEASING.md

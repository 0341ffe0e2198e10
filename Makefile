# Castile: everything a person or a machine does with this checkout. `make` alone lists it.
#
#   requirements/dev.txt -> .venv -> (castile command + wheel) -> build/installed -> demo, test, interop
#
# Needs Rust, Python 3.11 or later with the venv module, a C compiler and GNU make; no root.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules

# The first Python that is new enough; `make PYTHON=/path/to/python build` chooses another.
PYTHON ?= $(shell for p in python3 python3.15 python3.14 python3.13 python3.12 python3.11 python; do \
	"$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>&- && { echo "$$p"; break; }; done)
CARGO ?= cargo
TARGET := $(or $(CARGO_TARGET_DIR),$(CURDIR)/target)
VENV := $(CURDIR)/.venv
BIN := $(VENV)/bin
SCRIPTS := crates/python/castile.data/scripts
TESTDATA := $(or $(CASTILE_TESTDATA),$(CURDIR)/../shared/testdata)

# Folders whose Python is checked from the root; crates/python has settings of its own.
PYTHON_FOLDERS := bench conformance docs examples interop
RUST_SOURCES := Cargo.toml Cargo.lock .cargo/config.toml \
	$(shell find crates -not -path '*/tests/*' -not -path '*/benches/*' \( -name '*.rs' -o -name Cargo.toml \))
PYTHON_SOURCES := $(shell find crates/python -not -path '*/tests/*' \
	\( -name '*.py' -o -name '*.pyi' -o -name py.typed -o -name pyproject.toml \))

.PHONY: help demo build test lint interop conformance generated soak soakstream fuzz bench bench-engines requirements clean

help: ## list these targets
	@echo "Castile, a SOAP toolkit. Start with: make demo"
	@echo
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-13s %s\n", $$1, $$2}'

demo: build ## a coupled simulation over SOAP: a table here, a picture in demo.html
	@$(BIN)/python examples/coupled/demo.py --picture demo.html

build: build/installed ## .venv with `import castile` and the castile command

test: build ## every test: Rust, house rules, Python, examples, guides
	@$(MAKE) --no-print-directory testdata-notice
	$(CARGO) test --workspace --locked
	$(CARGO) xtask tidy
	cd crates/python && $(BIN)/python -m pytest
	$(BIN)/python -m pytest -q examples docs
	@$(MAKE) --no-print-directory testdata-notice

lint: build ## rustfmt, clippy, rustdoc, ruff, mypy and tidy, warnings denied
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --locked --quiet
	cd crates/python && $(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy
	$(BIN)/ruff check $(PYTHON_FOLDERS) && $(BIN)/ruff format --check $(PYTHON_FOLDERS)
	$(BIN)/mypy
	$(CARGO) xtask tidy

interop: build ## both roles against gSOAP, CXF, Metro, Axis, zeep, node-soap and spyne
	$(MAKE) -C interop PYTHON=$(PYTHON) CASTILE_PYTHON=$(BIN)/python CASTILE=$(BIN)/castile

conformance: ## every WSDL of the corpus, W3C schema tests and databinding patterns
	@$(MAKE) --no-print-directory testdata-notice
	$(CARGO) run --locked --quiet -p castile-conformance

# Compiling all of it takes minutes; `EVERY=24` takes every 24th WSDL.
EVERY ?= 1
generated: generated-python ## Rust and Python generated for every WSDL of the corpus: compiles, checks, is what comes
	@$(MAKE) --no-print-directory testdata-notice
	$(CARGO) run --locked --quiet -p castile-conformance -- --generated build/generated --every $(EVERY)
	@[ ! -f build/generated/Cargo.toml ] || CARGO_TARGET_DIR=$(TARGET) $(CARGO) run --quiet \
		--manifest-path build/generated/Cargo.toml

# Every module compiles and is clean to mypy, and what clients decode is what annotations say.
.PHONY: generated-python
generated-python: build
	rm -rf build/generated-python
	$(CARGO) run --locked --quiet -p castile-conformance -- --python build/generated-python --every $(EVERY)
	@[ ! -d build/generated-python ] || { cd build/generated-python && \
		$(BIN)/python -m compileall -q . && \
		$(BIN)/python $(CURDIR)/conformance/python_types.py . && \
		$(BIN)/mypy --strict --config-file /dev/null . && \
		$(BIN)/ruff check --quiet --isolated .; }

# So many messages of one sender after another, and as many of four at once. Optimized, with all checks of arithmetic.
MESSAGES ?= 2000000
soak: ## random messages, settings, edits and cancellations of differential sending; MESSAGES=2000000
	CASTILE_SOAK_MESSAGES=$(MESSAGES) CARGO_PROFILE_TEST_OPT_LEVEL=3 CARGO_PROFILE_DEV_OPT_LEVEL=3 \
		$(CARGO) test --locked -p castile-diff --test sequences -- _says_what_ --nocapture

# Each target for an hour, two at once on two processors; `SECONDS=60` is what CI does.
SECONDS ?= 3600
CARGO_FUZZ := 0.13.2
fuzz: build/tools/bin/cargo-fuzz ## look for bytes that make anything fail, with a stable compiler; SECONDS=3600 each
	PATH="$(CURDIR)/build/tools/bin:$$PATH" fuzz/run $(SECONDS)

build/tools/bin/cargo-fuzz:
	$(CARGO) install cargo-fuzz --version $(CARGO_FUZZ) --locked --quiet --root build/tools

bench: ## micro-benchmarks, a few minutes
	$(CARGO) bench --workspace --locked
	@echo "What a user of the crates gets, who has the default release profile:"
	CARGO_PROFILE_BENCH_LTO=off CARGO_PROFILE_BENCH_CODEGEN_UNITS=16 $(CARGO) bench --locked -p castile-codec \
		--bench ratios --target-dir $(TARGET)/default-profile

bench-engines: ## install and build every toolkit of the benchmark suite that can be here
	bench/engines/install-packages.sh
	$(CARGO) run --release --locked --quiet -p castile-bench -- build

GIGABYTES ?= 1
soakstream: build ## an array of 1 GB (GIGABYTES=10: more) both ways in 64 MB of memory, and overlap
	$(BIN)/python bench/python/stream.py --gigabytes $(GIGABYTES)
	$(BIN)/python bench/python/overlap.py

requirements: ## write requirements/dev.txt anew from dev.in (needs uv)
	uv pip compile --universal --generate-hashes --python-version 3.11 --no-emit-index-url \
		--no-emit-find-links --no-header --quiet --upgrade requirements/dev.in -o requirements/dev.txt

clean: ## remove everything that was built
	rm -rf .venv build dist demo.html $(SCRIPTS)/castile interop/build bench/build
	$(CARGO) clean

# ---- steps ----

# The virtual environment, anew whenever the pinned versions change.
$(VENV)/ready: requirements/dev.txt
	@command -v $(CARGO) >/dev/null || { echo "make: no cargo found; see https://rustup.rs" >&2; exit 1; }
	@command -v cc >/dev/null || { echo "make: no C compiler (cc) found" >&2; exit 1; }
	@test -n "$(PYTHON)" || { echo "make: no Python 3.11 or later found; say PYTHON=/path/to/python" >&2; exit 1; }
	@echo "virtual environment with $$($(PYTHON) --version)"
	@rm -rf $(VENV)
	@$(PYTHON) -m venv $(VENV) || $(PYTHON) -m virtualenv --quiet $(VENV) || { rm -rf $(VENV); \
		echo "make: $(PYTHON) cannot make virtual environments. On Debian and Ubuntu: apt-get install" \
		"python3-venv; without root: $(PYTHON) -m pip install --user virtualenv; or name another" \
		"Python: make PYTHON=/path/to/python build" >&2; exit 1; }
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	@touch $@

# One wheel with the extension module, the Python sources and the castile command.
build/installed: $(VENV)/ready $(RUST_SOURCES) $(PYTHON_SOURCES)
	$(CARGO) build --release --locked -p castile-cli
	@mkdir -p build && cp $(TARGET)/release/castile $(SCRIPTS)/castile
	@strip $(SCRIPTS)/castile 2>&- || true
	@rm -rf build/wheels
	$(BIN)/maturin build --release --locked --quiet --manifest-path crates/python/Cargo.toml \
		--interpreter $(BIN)/python --out build/wheels
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --force-reinstall build/wheels/*.whl
	@touch $@

.PHONY: testdata-notice
testdata-notice:
	@if [ ! -d "$(TESTDATA)" ]; then \
		echo "==========================================================================="; \
		echo "SKIPPED: tests on foreign files. There is no folder $(TESTDATA);"; \
		echo "set CASTILE_TESTDATA to one. CASTILE_REQUIRE_TESTDATA=1 makes this an error."; \
		echo "==========================================================================="; \
		[ "$${CASTILE_REQUIRE_TESTDATA:-}" != 1 ]; \
	fi

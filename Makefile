# Everything a developer or a user does with this tree; `make help` lists it.
.DEFAULT_GOAL := help
SHELL := /bin/sh
BUILD := build
PYTHON := /usr/bin/python3

.PHONY: help build demo test check test-long test-real asan tsan fuzz perf fmt lint docs install clean

help: ## this list
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' Makefile

build: ## build into build/bin (installs missing Debian packages)
	@tools/install-packages build
	@tools/build $(BUILD) Release gcc

demo: build ## run the quickstart experiment against the simulator, show its result and keep it for the browser
	@tools/demo $(BUILD)/bin

test: ## all tests: both compilers, scenarios, sanitizers, fuzz targets, tree checks
	@tools/install-packages build test
	@$(PYTHON) tools/run-tests all

check: ## the fast part of the tests, for every save
	@tools/install-packages build test
	@$(PYTHON) tools/run-tests fast

test-long: ## the tests with their random parts in full
	@tools/install-packages build test
	@PROFLLM_TEST_LONG=1 $(PYTHON) tools/run-tests all

test-real: ## against real engines: VLLM=FOLDER, LLAMA=FOLDER (docs/real-engines.md)
	@tools/install-packages build test
	@tools/build $(BUILD) Release gcc
	@VLLM="$(VLLM)" LLAMA="$(LLAMA)" PROFLLM_BIN="$(CURDIR)/$(BUILD)/bin" $(PYTHON) -m pytest -q -rs -p no:cacheprovider tests/real

asan: ## unit and scenario tests under ASan and UBSan
	@tools/install-packages build test
	@$(PYTHON) tools/run-tests asan

tsan: ## tests of io, host, bench and run under TSan
	@tools/install-packages build test
	@$(PYTHON) tools/run-tests tsan

fuzz: ## libFuzzer on every parser, FUZZ_SECONDS each (default 60) or FUZZ_RUNS inputs
	@tools/install-packages build test
	@tools/fuzz

perf: ## benchmarks beside their peers and the calibration, 50 minutes, run alone (VLLM_BENCH=FILE, VLLM=FOLDER: vLLM's own clients too)
	@tools/install-packages build test
	@tools/build $(BUILD) Release gcc
	@PROFLLM_BIN="$(CURDIR)/$(BUILD)/bin" $(PYTHON) tests/perf/run --json $(BUILD)/performance.json
	@$(PYTHON) tests/perf/calibration.py --binary $(BUILD)/bin/profllm --json $(BUILD)/calibration.json
	@PROFLLM_BIN="$(CURDIR)/$(BUILD)/bin" $(PYTHON) -m pytest -q -s -p no:cacheprovider tests/scenario/simulator/test_sim_packets.py

fmt: ## format the C and TypeScript sources
	@tools/install-packages build test
	@git ls-files -co --exclude-standard 'src/*.[ch]' 'tests/*.[ch]' | grep -v '^src/tbl/' | xargs clang-format -i
	@tools/web fmt

lint: ## layer, size, header, format, wording and generated-file checks
	@tools/install-packages build test
	@$(PYTHON) tools/run-tests lint

docs: build ## write the files that are made from the rows (schemas, reference)
	@tools/install-packages build test
	@$(PYTHON) tools/make-schemas $(BUILD)/bin/profllm
	@$(PYTHON) tools/make-reference $(BUILD)/bin/profllm
	@tools/web types
	@$(BUILD)/bin/profllm params --markdown >docs/reference/arguments.md.tmp && mv docs/reference/arguments.md.tmp docs/reference/arguments.md

install: build ## install into PREFIX (default /usr/local)
	@cmake --install $(BUILD) --prefix "$(or $(PREFIX),/usr/local)"

clean: ## remove everything that was built
	@rm -rf build build-*

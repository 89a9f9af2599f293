# Targets for developers and users; `make help` lists them.
.DEFAULT_GOAL := help
SHELL := /bin/sh
BUILD := build
PYTHON := /usr/bin/python3

.PHONY: help build demo wheel package use-cases test check test-long test-real test-gpu asan tsan fuzz perf fmt lint docs install clean

help: ## print this list
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' Makefile

build: ## build into build/bin (installs missing Debian packages)
	@tools/install-packages build
	@tools/build $(BUILD) Release gcc

demo: build ## measure a simulated server, and show the results in the browser
	@tools/demo $(BUILD)/bin

wheel: build ## pack the programs, their libraries and the Python package into a wheel in build/wheel
	@tools/install-packages wheel
	@tools/make-wheel $(BUILD)/bin $(BUILD)/wheel

package: build ## pack the programs into Debian packages in dist/
	@tools/install-packages package
	@tools/make-packages $(BUILD) dist

use-cases: build ## measure the examples of docs/use-cases with the simulator (5 minutes), and store their results in build/use-cases
	@tools/use-cases $(BUILD)/bin $(BUILD)/use-cases

test: ## run all tests: both compilers, scenarios, sanitizers, fuzz targets, tree checks
	@tools/install-packages build test
	@$(PYTHON) tools/run-tests all

check: ## run the fast tests, for every save
	@tools/install-packages build test
	@$(PYTHON) tools/run-tests fast

test-long: ## run all tests, random ones in full
	@tools/install-packages build test
	@PROFLLM_TEST_LONG=1 $(PYTHON) tools/run-tests all

test-real: ## run the tests against real engines: VLLM=FOLDER, LLAMA=FOLDER (docs/real-engines.md)
	@tools/install-packages build test
	@tools/build $(BUILD) Release gcc
	@VLLM="$(VLLM)" LLAMA="$(LLAMA)" PROFLLM_BIN="$(CURDIR)/$(BUILD)/bin" $(PYTHON) -m pytest -q -rs -p no:cacheprovider tests/real

test-gpu: ## check GPUs, telemetry and traces on a host with an NVIDIA GPU: TORCH_PYTHON=PROGRAM (docs/real-engines.md)
	@test -x $(BUILD)/bin/profllm || $(MAKE) build
	@$(or $(TORCH_PYTHON),python3) tests/real/gpu_checks.py --bin $(BUILD)/bin $(GPU_OPTIONS)

asan: ## run unit and scenario tests with ASan and UBSan
	@tools/install-packages build test
	@$(PYTHON) tools/run-tests clang asan

tsan: ## run the tests of directories with threads with TSan
	@tools/install-packages build test
	@$(PYTHON) tools/run-tests tsan

fuzz: ## fuzz every parser for FUZZ_SECONDS each (default 60) or FUZZ_RUNS inputs
	@tools/install-packages build test
	@tools/fuzz

perf: ## run the benchmarks, with peers, and the calibration: 50 minutes on an idle machine (VLLM_BENCH=FILE, VLLM=FOLDER: vLLM's own clients too)
	@tools/install-packages build test
	@tools/build $(BUILD) Release gcc
	@PROFLLM_BIN="$(CURDIR)/$(BUILD)/bin" $(PYTHON) tests/perf/run --json $(BUILD)/performance.json
	@$(PYTHON) tests/perf/calibration.py --binary $(BUILD)/bin/profllm --json $(BUILD)/calibration.json
	@PROFLLM_BIN="$(CURDIR)/$(BUILD)/bin" $(PYTHON) -m pytest -q -s -p no:cacheprovider tests/scenario/simulator/test_sim_packets.py

fmt: ## format the C and TypeScript sources
	@tools/install-packages build test
	@git ls-files -co --exclude-standard 'src/*.[ch]' 'tests/*.[ch]' | grep -v '^src/tbl/' | xargs clang-format -i
	@tools/web fmt

lint: ## run layer, size, header, format, wording and generated-file checks
	@tools/install-packages build test
	@$(PYTHON) tools/run-tests lint

docs: build ## write the files that are generated from the rows (schemas, reference)
	@tools/install-packages build test
	@$(PYTHON) tools/make-schemas $(BUILD)/bin/profllm
	@$(PYTHON) tools/make-reference $(BUILD)/bin/profllm
	@tools/web types
	@$(BUILD)/bin/profllm params --markdown >docs/reference/arguments.md.tmp && mv docs/reference/arguments.md.tmp docs/reference/arguments.md

install: build ## install into PREFIX (default /usr/local)
	@cmake --install $(BUILD) --prefix "$(or $(PREFIX),/usr/local)"

clean: ## remove all build directories
	@rm -rf build build-*

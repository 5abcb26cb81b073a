# Everything one does here. Set-up is part of each command and takes no time once done.
JOBS ?= $(shell nproc)
PYTHON := .venv/bin/python
# a compiler cache if there is one
export CMAKE_CXX_COMPILER_LAUNCHER ?= $(shell command -v ccache)

.PHONY: build demo test test-long bench format setup odr sanitize clean

build: setup build/release/build.ninja
	@cmake --build --preset release --parallel $(JOBS)

# only what Python needs, so that a newcomer waits less
demo: setup build/release/build.ninja
	@cmake --build --preset release --parallel $(JOBS) --target _core _core_stub
	$(PYTHON) -m pliant demo

test: build
	@tools/test

test-long: build
	tools/test --long
	tools/guard
	$(MAKE) odr

# hours; can be broken off
sanitize: setup
	tools/sanitize --jobs $(JOBS)

bench: build
	bench/run

format: setup
	git ls-files '*.h' '*.cpp' | xargs clang-format -i
	.venv/bin/ruff check --fix --quiet python tests models tools/setup tools/test tools/sanitize bench/compare
	.venv/bin/ruff format --quiet python tests models tools/setup tools/test tools/sanitize bench/compare

clean:
	rm -rf build out

setup:
	@tools/setup

build/%/build.ninja: CMakePresets.json pyproject.toml
	cmake --preset $*
	@touch $@

# links the whole library at once, which shows two types of one name that differ
odr: build/odr/build.ninja
	cmake --build --preset odr --parallel $(JOBS) --target _core

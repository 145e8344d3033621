# make run    install what is missing, build, and start the demo
# make test   install what is missing, build, and run the tests
# make help   the other targets

SWIFT ?= swift
# Not in Package.swift: a package with unsafe flags cannot be depended on. In the folder the linker finds libstdc++ as an
# archive alone: looking up the symbols of the shared library is a fifth of the instructions of a command's start.
RELEASE = -c release --static-swift-stdlib -Xswiftc -cross-module-optimization -Xswiftc -L$(CURDIR)/.build/archives
ifeq ($(shell uname -s),Darwin)
RELEASE = -c release -Xswiftc -cross-module-optimization
export PKG_CONFIG_PATH := $(shell brew --prefix openssl@3 2>/dev/null)/lib/pkgconfig:$(PKG_CONFIG_PATH)
endif
STRICT = -Xswiftc -warnings-as-errors
# Tests from nothing: whole modules at once and no debug information, which is half the work. In a folder of its own,
# since `swift build` goes on from file to file in .build. Objects per file are what the index of tests wants.
WHOLE = --scratch-path .build/tests -Xswiftc -gnone -Xswiftc -wmo -Xswiftc -no-emit-module-separately-wmo \
    -Xswiftc -num-threads -Xswiftc 2 -Xswiftc -disable-batch-mode
FUZZ_SECONDS ?= 120
DIST ?= dist
PREFIX ?= /usr/local

.PHONY: run build setup setup-test setup-bench test test-build sanitize fuzz bench dist dist-test format lint check install clean help

run: setup
	$(SWIFT) build $(RELEASE) --product shunt
	.build/release/shunt demo

# SCRATCH: another build folder, for a build beside one that uses .build.
build: setup
	$(SWIFT) build $(RELEASE) $(if $(SCRATCH),--scratch-path $(SCRATCH)) --product shunt

setup:
	@.ci/setup build
	@[ "$$(uname -s)" = Darwin ] || { mkdir -p .build/archives && \
	    ln -sf "$$(gcc -print-file-name=libstdc++.a)" .build/archives/libstdc++.a; }

setup-test:
	@.ci/setup build test
	@$(MAKE) -s .build/python/made

# What tests speak to Shunt with, from PyPI.
.build/python/made: .ci/python.txt
	@echo "setup: installing $$(grep -v '^#' .ci/python.txt | tr '\n' ' ')into .build/python"
	@rm -rf .build/python
	@python3 -m venv .build/python
	@.build/python/bin/python -m pip install --quiet --disable-pip-version-check -r .ci/python.txt
	@touch $@

setup-bench:
	@.ci/setup build bench
	@$(MAKE) -s .build/mitmproxy/made

# Apart from what tests use: it wants other versions of the same packages.
.build/mitmproxy/made: Benchmarks/python.txt
	@echo "setup: installing $$(grep -v '^#' Benchmarks/python.txt) into .build/mitmproxy"
	@rm -rf .build/mitmproxy
	@python3 -m venv .build/mitmproxy
	@.build/mitmproxy/bin/python -m pip install --quiet --disable-pip-version-check -r Benchmarks/python.txt
	@touch $@

test: test-build
	SWIFT='$(SWIFT)' TEST_FLAGS='--scratch-path .build/tests' .ci/test

# Swift says of every module that it is not compiled file by file.
test-build: setup-test
	@bash -o pipefail -ec '. .ci/steps; step "build of the tests"; \
	    $(SWIFT) build --build-tests $(STRICT) $(WHOLE) 2>&1 | sed "/^remark: Incremental compilation/d"; finish_step'

sanitize: setup-test
	.ci/sanitize

fuzz: setup
	Tests/Fuzz/run.sh $(FUZZ_SECONDS)
	Tests/Fuzz/http2.sh $(FUZZ_SECONDS)
	Tests/Fuzz/age.sh $(FUZZ_SECONDS)

bench: setup-bench
	$(SWIFT) build $(RELEASE) --product shunt
	Benchmarks/run $(BENCH)

format:
	$(SWIFT) format --in-place --parallel --recursive Package.swift Sources Tests Examples

lint:
	$(SWIFT) format lint --strict --parallel --recursive Package.swift Sources Tests Examples
	.ci/layers

check:
	.ci/check

install: build
	Packaging/stage .build/release/shunt $(PREFIX)

# Packages in dist/; see Packaging/README.md.
dist: setup
	@.ci/setup dist
	SHUNT_COMMIT=$$(git describe --always --exclude '*' --abbrev=40 --dirty) $(SWIFT) build $(RELEASE) --product shunt
	SWIFT='$(SWIFT)' Packaging/dist .build/release/shunt $(DIST)

# Needs root: it installs into a root of its own.
dist-test: dist .build/packaging/made
	SWIFT='$(SWIFT)' Packaging/test .build/release/shunt $(DIST)

.build/packaging/made: Packaging/python.txt
	@echo "setup: installing $$(grep -v '^#' Packaging/python.txt | tr '\n' ' ')into .build/packaging"
	@rm -rf .build/packaging
	@python3 -m venv .build/packaging
	@.build/packaging/bin/python -m pip install --quiet --disable-pip-version-check -r Packaging/python.txt
	@touch $@

clean:
	rm -rf .build dist fuzz-corpus

help:
	@echo "run         build in release mode and start the demo (default)"
	@echo "build       build .build/release/shunt"
	@echo "test        build, and run the tests"
	@echo "sanitize    the tests once more under ThreadSanitizer and AddressSanitizer"
	@echo "fuzz        feed HTTP parsers, HTTP/2 sessions and the reader of age files with libFuzzer; FUZZ_SECONDS=120"
	@echo "bench       beside nginx, haproxy, nghttpx, h2o and mitmdump; BENCH='tls-tls start' picks cases"
	@echo "format      put the sources into shape;  lint: only look"
	@echo "check       everything: all tests, of the release build too, packages, sanitizers, fuzzing; some 100 minutes"
	@echo "install     into PREFIX (/usr/local), with manual pages and completions"
	@echo "dist        packages in DIST (dist): tar.gz, .deb, OCI image, Homebrew formula, SPDX list, checksums"
	@echo "dist-test   install and run the packages in a bare Debian (as root)"

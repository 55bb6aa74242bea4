# The only commands you need: run · demo · standins · test · test-long · audit · build · bench · lighthouse ·
# fmt · generate · release. Each one does its own setup on a machine with Rust, Node and make.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

# Outside the checkout, so that a fresh clone does not compile everything again.
export CARGO_TARGET_DIR ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/atrium/target

# A checkout that is compiled only once needs no incremental files.
ifdef CI
export CARGO_INCREMENTAL := 0
endif

VERSION := $(shell cat client-version)
PLATFORM := $(shell uname -s | tr A-Z a-z)-$(shell uname -m)
ENGINE := $(if $(findstring darwin,$(PLATFORM)),libchdb.dylib,libchdb.so)
SDK_SOURCES := $(shell find sdk -type f -not -path '*/node_modules/*' -not -path 'sdk/dist/*')
WEB_SOURCES := $(shell find web -type f -not -path '*/node_modules/*' -not -path 'web/dist/*' -not -path 'web/e2e/*' -not -path 'web/test-results/*')

.PHONY: help run demo standins test test-long audit build bench fmt generate release screenshots lighthouse watermark clean \
	check-format check-web check-server test-web test-server test-contract test-browser test-neighbor web-side server-side server

help:
	@echo 'make run       build everything and start Atrium on http://127.0.0.1:8080'
	@echo 'make demo      the same with two teams, six apps and 90 days of events, in data-demo/'
	@echo 'make standins  Atrium beside stand-ins for single sign-on, WeChat Work and Feishu, to click through'
	@echo 'make test      everything that must pass before a change lands'
	@echo 'make test-long the slow tests: kills under load, fuzzing, a noisy neighbor, every browser flow'
	@echo 'make audit     licenses, duplicate and unused dependencies, known vulnerabilities'
	@echo 'make build     leave dist/, a folder that can be copied to a server'
	@echo 'make bench     speed, memory and size, as ratios of one run'
	@echo 'make lighthouse Lighthouse scores of the first pages'
	@echo 'make fmt       format all code'
	@echo 'make generate  refresh the OpenAPI document, the types and the page of permissions'
	@echo 'make release   an archive with checksums, in dist/'

run: build
	@exec dist/atrium serve

# DATA=folder puts it elsewhere, EVENTS=number makes it larger or smaller. A folder that already contains a
# demo (code 3) is served as it is.
DATA ?= data-demo
demo: build
	@dist/atrium demo --data-dir '$(DATA)' $(if $(EVENTS),--events '$(EVENTS)') --log warn || [ $$? -eq 3 ]
	@exec dist/atrium serve --data-dir '$(DATA)'

# Temporary data and no servers of other companies: every way to sign in can be tried offline.
standins: build
	@exec node tests/standins/try.mjs

# --- building -----------------------------------------------------------------

node_modules/.package-lock.json: package-lock.json package.json web/package.json sdk/package.json tests/standins/package.json
	npm ci --no-audit --no-fund
	@touch $@

sdk/dist/atrium.js: node_modules/.package-lock.json LICENSE $(SDK_SOURCES)
	npm run --silent -w sdk build
	@touch $@

web/dist/index.html: node_modules/.package-lock.json client-version $(WEB_SOURCES) $(SDK_SOURCES)
	npm run --silent -w web build
	@touch $@

server: web/dist/index.html sdk/dist/atrium.js
	cargo build --release --locked -p atrium

build: server
	@mkdir -p dist/lib
	@cp -f $(CARGO_TARGET_DIR)/release/atrium dist/atrium.new && mv -f dist/atrium.new dist/atrium
	@library=$$(ls -d node_modules/@chdb/lib-*/$(ENGINE) 2>/dev/null | head -n 1); \
	if [ -n "$$library" ]; then ln -sfn "$(CURDIR)/$$library" dist/lib/$(ENGINE); \
	else echo 'The event engine has no build for this platform; a remote ClickHouse works.'; fi
	@echo 'dist/atrium is ready.'

release: build
	@scripts/make-release '$(VERSION)' '$(PLATFORM)'

generate: node_modules/.package-lock.json
	cargo run --quiet --locked -p atrium -- openapi > crates/atrium/openapi.json.new
	@mv crates/atrium/openapi.json.new crates/atrium/openapi.json
	cargo run --quiet --locked -p atrium -- permissions > docs/permissions.md.new
	@mv docs/permissions.md.new docs/permissions.md
	npm run --silent -w web generate

# --- checking -----------------------------------------------------------------

# Quick failures come first. The console's and the server's checks run in parallel, because each leaves a core
# idle for much of the time; the browser tests need both. The tests of the contract are one Python process, so
# they go with the console's, once the server is compiled.
test:
	@scripts/install-test-tools
	@$(MAKE) --no-print-directory check-format web/dist/index.html sdk/dist/atrium.js
	@$(MAKE) --no-print-directory -j2 --output-sync=line web-side server-side
	@$(MAKE) --no-print-directory test-browser
	@echo 'All tests passed.'

web-side:
	@$(MAKE) --no-print-directory -j1 check-web
	@$(MAKE) --no-print-directory -j1 test-web
	@$(MAKE) --no-print-directory -j1 test-contract

server-side:
	@$(MAKE) --no-print-directory -j1 check-server
	@$(MAKE) --no-print-directory -j1 test-server

check-format: node_modules/.package-lock.json
	cargo fmt --all --check
	npm run --silent -w web format:check
	npm run --silent -w sdk format:check
	npm run --silent -w standins format:check

check-web: node_modules/.package-lock.json
	npm run --silent -w sdk typecheck
	npm run --silent -w sdk lint
	npm run --silent -w web typecheck
	npm run --silent -w web lint
	npm run --silent -w standins lint
	@scripts/check-generated

test-web: sdk/dist/atrium.js
	npm run --silent -w sdk size
	npm run --silent -w sdk test
	npm run --silent -w web test
	npm run --silent -w standins test

# Builds the tests with Clippy's lints. The targets below use the result.
check-server test-server test-contract test-browser: export RUSTC_WORKSPACE_WRAPPER := $(CURDIR)/scripts/rustc-with-lints
check-server: web/dist/index.html sdk/dist/atrium.js
	@scripts/check-modules
	cargo test --workspace --tests --locked --quiet --no-run

# One more test at once than there are cores: half of the tests' time is spent waiting for a store or a limit.
test-server: web/dist/index.html sdk/dist/atrium.js
	RUST_TEST_THREADS=$${RUST_TEST_THREADS:-$$(( $$(getconf _NPROCESSORS_ONLN) + 1 ))} \
		scripts/in-memory scripts/with-postgres cargo test --workspace --tests --locked --quiet

# Sends everything that the OpenAPI document allows and forbids to a running server: the one built for the
# tests, because a separate build has other features and would compile everything again.
test-contract: web/dist/index.html sdk/dist/atrium.js
	cargo test --workspace --locked --quiet --no-run
	@scripts/in-memory scripts/contract-fuzz

test-browser: web/dist/index.html sdk/dist/atrium.js
	cargo test --workspace --locked --quiet --no-run
	ATRIUM_BIN=$(CARGO_TARGET_DIR)/debug/atrium scripts/in-memory npm run --silent -w web e2e

# Fifty kills under load, a minute of fuzzing for each target, ten for the contract, a minute of a noisy
# neighbor, five thousand questions about hidden data, thousands that are compared with plain counting, every
# question in both sizes of the store, every browser flow in both languages: too slow for every change.
test-long: web/dist/index.html sdk/dist/atrium.js
	LONG_TESTS=1 scripts/with-postgres cargo test --workspace --locked --quiet --test faults --test warehouse
	LONG_TESTS=1 scripts/with-postgres cargo test --workspace --locked --quiet --test it -- adversary:: personal::
	LONG_TESTS=1 cargo test --workspace --locked --quiet --lib fold::
	BOTH_SIZES=1 scripts/with-postgres cargo test --workspace --locked --quiet --test it
	@$(MAKE) --no-print-directory test-neighbor
	cargo build --workspace --locked --quiet
	@scripts/contract-fuzz --long
	ATRIUM_BIN=$(CARGO_TARGET_DIR)/debug/atrium LONG_TESTS=1 BOTH_LANGUAGES=1 npm run --silent -w web e2e

# The tools take minutes to compile on a fresh machine, so this is not part of the tests.
audit:
	@scripts/audit

# This measures, so it runs the program as it ships, with nothing else running.
test-neighbor: build
	ATRIUM_BIN=$(CURDIR)/dist/atrium LONG_TESTS=1 scripts/with-postgres cargo test --workspace --locked --quiet --test neighbor

bench: build
	cargo build --release --locked -p atrium-bench
	@scripts/bench

screenshots: build
	node web/scripts/screenshots.mjs

lighthouse: build
	node web/scripts/lighthouse.mjs

watermark: build
	node web/scripts/watermark.mjs

fmt: node_modules/.package-lock.json
	cargo fmt --all
	npm run --silent -w web format
	npm run --silent -w sdk format
	npm run --silent -w standins format

clean:
	rm -rf dist web/dist sdk/dist

# Thin: cmake does the building, scripts/ the rest.
PREFIX ?= /usr/local
.DEFAULT_GOAL := build
.PHONY: build run test check gate test-long mutants bench measurements site fuzz format install clean help

build: ## library and command, optimized, in build/release
	@scripts/setup run
	@scripts/build release

run: ## build, then simulate a first scene
	@scripts/setup run
	@scripts/build release bristle_cli
	build/release/bristle run scenes/double-pendulum.yaml -o build/double-pendulum.h5 --force

test: ## physics, command, experiments, one sanitizer (minutes); make test ONLY=text picks by name
	@scripts/setup test
	@scripts/test test $(ONLY)

check: ## the rest of what a change must pass: style, layers, install, same bits, fuzzing; ONLY=text
	@scripts/setup test
	@scripts/test check $(ONLY)

gate: ## test and check, counted in one line
	@scripts/setup test
	@scripts/test all $(ONLY)

test-long: ## the gate with more fuzzing, longer runs and the thread sanitizer
	@scripts/setup test
	@scripts/test all --long $(ONLY)

mutants: ## breaks the physics in more than three hundred places, one by one, and asks which test notices; ONLY=text
	@scripts/setup test
	@scripts/mutants $(ONLY)

bench: ## speed and accuracy, ours and peers' (an hour; make bench ONLY=text picks scenes by name)
	@scripts/setup bench
	@scripts/build bench
	@scripts/bench $(if $(ONLY),--only $(ONLY))

measurements: ## rows and figure of docs/measurements.md and the README, anew (an hour; on a quiet machine)
	@scripts/setup bench
	@scripts/build bench
	@scripts/measurements

site: build ## the documentation as pages with search, catalogues, the C headers and all experiments, in build/site (minutes)
	@scripts/setup test
	@scripts/site

fuzz: ## hostile input, ten million tries for each reader
	@scripts/setup test
	@scripts/check-fuzz --long

format: ## clang-format in place
	@scripts/setup test
	@scripts/check-format --fix

install: build ## to PREFIX (/usr/local)
	cmake --install build/release --prefix "$(PREFIX)"

clean: ## forget everything built
	rm -rf build

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 20

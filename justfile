# What a contributor runs. `just ready` before a push; `just bless` after a change that a user sees.

# everything that CI checks
ready:
    cargo fmt --all --check
    cargo clippy --all-targets --all-features -- -D warnings
    cargo test
    cargo test --package arraign --no-default-features
    cargo test --features live --test live
    cargo test --all-features --bins --test cli --test docs --test formats --test harness --test http --test judge --test live --test schema
    bash tests/html/check.sh
    RUSTDOCFLAGS="-D warnings" cargo doc --no-deps --all-features

# agents and the judge against servers that others wrote; the first time installs them into the target folder
servers:
    bash tests/servers.sh

# take what is derived: snapshots of fixtures, pages of docs, the README's table
bless:
    INSTA_UPDATE=always INSTA_FORCE_PASS=1 BLESS=1 cargo test --features html,schema

# the files of a new check: just new-check tool_called
new-check NAME:
    mkdir -p tests/check/{{NAME}}
    printf '//! `%s`: what the agent must do, in a few words.\n' {{NAME}} > src/check/{{NAME}}.rs
    printf 'metric: %s\ntrace: {calls: []}\n' {{NAME}} > tests/check/{{NAME}}/pass-todo.yaml
    printf 'metric: %s\ntrace: {calls: []}\n' {{NAME}} > tests/check/{{NAME}}/fail-todo.yaml
    @echo "now: KIND in src/check/{{NAME}}.rs, its entry in BUILTIN (src/check/mod.rs), and names for the two cases"

# cost per case and start-up, in release
bench:
    cargo bench --bench scale
    cargo bench --bench readers
    cargo bench --features live --bench agents

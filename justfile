# What a contributor runs. `just ready` before a push; `just bless` after a change that a user sees.

# everything that CI checks
ready:
    bash .ci/run

# what takes longer or needs other tools: servers, an editor, a browser, validators of reports
matrix:
    bash .ci/matrix

# agents and the judge against servers that others wrote; the first time installs them into the target folder
servers:
    bash tests/matrix/servers.sh

# take what is derived: snapshots of fixtures, pages of docs, the README's table
bless:
    bash tools/bless.sh

# the files of a new check: just new-check calls tool_called
new-check GROUP NAME:
    mkdir -p tests/check/{{NAME}}
    printf '//! `%s`: what the agent must do, in a few words.\n' {{NAME}} > src/check/{{GROUP}}/{{NAME}}.rs
    printf 'metric: %s\ntrace: {calls: []}\n' {{NAME}} > tests/check/{{NAME}}/pass-todo.yaml
    printf 'metric: %s\ntrace: {calls: []}\n' {{NAME}} > tests/check/{{NAME}}/fail-todo.yaml
    @echo "now: KIND in src/check/{{GROUP}}/{{NAME}}.rs, its entry in BUILTIN (src/check/mod.rs), and names for the two cases"

# cost per case and start-up, in release
bench:
    cargo bench --bench scale
    cargo bench --bench readers
    cargo bench --bench agents
    cargo bench --bench replay

# fuzz each target for so many seconds, on stable Rust; the first time installs cargo-fuzz
fuzz SECONDS="60":
    bash fuzz/run.sh {{SECONDS}}

# the shapes of secrets that a public list has and ours lacks
shapes VERSION="3.0.1":
    python3 tools/secret_shapes.py {{VERSION}}

# the mirror: names, closures, comments and lengths, beside the wanted figures
names *FOLDERS:
    python3 tools/names.py {{FOLDERS}}

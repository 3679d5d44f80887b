#!/usr/bin/env bash
# Runs the cases, and keeps the exit code for the last step: the steps between publish the results of a red run as well.
set -uo pipefail

case "$COMMAND" in
*"cargo arraign"*)
    command -v cargo-arraign >/dev/null || cargo install cargo-arraign --version "$VERSION" --locked || exit 2
    ;;
esac
if [ -f "${BASE_REPORT:-}" ]; then
    export ARRAIGN_COMPARE=$BASE_REPORT
fi
# A pull request must not excuse itself: only what the quarantine of its base branch has, too, counts. Without that branch,
# nothing does. All files of this name are taken, because the run may have several folders of cases.
if [ -n "${BASE_REF:-}" ]; then
    base=refs/remotes/origin/$BASE_REF
    export ARRAIGN_BASE=origin/$BASE_REF ARRAIGN_QUARANTINE
    ARRAIGN_QUARANTINE=$(mktemp)
    # In a whole clone, `--depth` would cut the history.
    shallow=$([ "$(git rev-parse --is-shallow-repository)" = true ] && echo --depth=1)
    if git fetch --quiet ${shallow:+"$shallow"} origin "+refs/heads/$BASE_REF:$base"; then
        git ls-tree -r -z --name-only "$base" . | while IFS= read -r -d '' file; do
            case "/$file" in
            */quarantine.yaml)
                echo ---
                git show "$base:./$file"
                echo
                ;;
            esac
        done >"$ARRAIGN_QUARANTINE"
    else
        echo "::warning::the base branch $BASE_REF cannot be fetched, so no case is quarantined"
    fi
fi
bash -c "$COMMAND"
code=$?
echo "exit-code=$code" >>"$GITHUB_OUTPUT"
# A run that could not start leaves no report.
if [ -f "$ARRAIGN_OUT/report.md" ]; then
    cat "$ARRAIGN_OUT/report.md" >>"$GITHUB_STEP_SUMMARY"
fi

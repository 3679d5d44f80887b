#!/usr/bin/env bash
# Runs the cases, or merges the verdicts of several shards, and keeps the exit code for the last step: the steps between publish
# the results of a red run as well.
set -uo pipefail

if [ -n "${MERGE:-}" ]; then
    COMMAND='cargo arraign report'
fi
case "$COMMAND" in
*"cargo arraign"*)
    command -v cargo-arraign >/dev/null || cargo install cargo-arraign --version "$VERSION" --locked || exit 2
    ;;
esac
if [ -f "${BASE_REPORT:-}" ]; then
    export ARRAIGN_COMPARE=$BASE_REPORT
fi
if [ -n "${SHARDS:-}" ]; then
    if [ -z "${SHARD:-}" ]; then
        if [ "$JOB_TOTAL" != "$SHARDS" ]; then
            echo "::error::the matrix has $JOB_TOTAL jobs, and shards is $SHARDS: name the number of each shard with \`shard\`"
            exit 2
        fi
        SHARD=$((JOB_INDEX + 1))
    fi
    export ARRAIGN_SHARD=$SHARD/$SHARDS
fi
if [ -n "${MERGE:-}" ]; then
    # The folder of a run has manifests. A shard that was killed early may have left none.
    folders=()
    for manifests in "$PARTS"/*/*/@manifests; do
        [ ! -d "$manifests" ] || folders+=("${manifests%/@manifests}")
    done
    if [ ${#folders[@]} = 0 ]; then
        echo "::error::no shard of the job $MERGE has left verdicts; does it set \`shards\`?"
        exit 2
    fi
    # The shards have annotated the cases.
    GITHUB_ACTIONS='' cargo arraign report --merge "${folders[@]}" --partial --format "$ARRAIGN_REPORT" --out "$ARRAIGN_OUT"
    code=$?
    echo "exit-code=$code" >>"$GITHUB_OUTPUT"
    [ ! -f "$ARRAIGN_OUT/report.md" ] || cat "$ARRAIGN_OUT/report.md" >>"$GITHUB_STEP_SUMMARY"
    exit 0
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
# A run that could not start leaves no report, and the report of a shard is a part of that of all.
if [ -f "$ARRAIGN_OUT/report.md" ] && [ -z "${SHARDS:-}" ]; then
    cat "$ARRAIGN_OUT/report.md" >>"$GITHUB_STEP_SUMMARY"
fi

#!/usr/bin/env bash
# The steps of action.yml, run in a project of `cargo arraign init`: a green run, a red one that is compared with it, and
# one comment for both. `gh` is a script that keeps what it is asked.
set -euo pipefail
here=$(cd "$(dirname "$0")/../../.." && pwd)
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$here/target}
[ -n "${PROGRAM_IS_BUILT:-}" ] || (cd "$here" && cargo build --quiet --package cargo-arraign)
project=$(mktemp -d)
trap 'rm -rf "$project"' EXIT
mkdir "$project/bin"
export PATH="$project/bin:$CARGO_TARGET_DIR/debug:$PATH"

cat >"$project/bin/gh" <<'GH'
#!/usr/bin/env bash
# The list of comments has one, as soon as one was written.
case " $* " in
*" --method "*)
    echo "$3" >>"$STATE/methods"
    for argument in "$@"; do
        case "$argument" in body=@*) cat "${argument#body=@}" >"$STATE/body" ;; esac
    done
    ;;
*) [ ! -f "$STATE/body" ] || echo 17 ;;
esac
GH
chmod +x "$project/bin/gh"

cd "$project"
cargo-arraign init --workflow none >/dev/null
export STATE=$project/state COMMAND='cargo arraign run' VERSION=0.1.0 ARRAIGN_REPORT=markdown,json
export ARRAIGN_OUT=$project/arraign-report BASE_REPORT=$project/arraign-base/report.json
export GITHUB_OUTPUT=$project/output GITHUB_STEP_SUMMARY=$project/summary
export GITHUB_REPOSITORY=shop/agent PULL_REQUEST=7 REPORT=$ARRAIGN_OUT/report.md MARK=evals/evals
mkdir "$STATE" arraign-base

expect() { # text, file
    grep -qF -- "$1" "$2" || { echo "expected in $2: $1"; cat "$2"; exit 1; }
    echo "in ${2##*/}: $1"
}

bash "$here/action/run.sh" >/dev/null
expect 'exit-code=0' output
bash "$here/action/comment.sh"
expect '<!-- arraign evals/evals -->' state/body
cp arraign-report/report.json arraign-base/

sed -i.bak 's/# - call: {tool: cancel/- call: {tool: cancel/' evals/first.yaml
bash "$here/action/run.sh" >/dev/null
expect 'exit-code=101' output
bash "$here/action/comment.sh"
expect 'regressed' state/body
expect '`cancel_order` was never called' state/body

# A pull request that adds an entry for its own case is red, and one whose base branch has the entry is green.
in_days() { date -u -d "+$1 days" +%F 2>/dev/null || date -u -v "+$1d" +%F; }
quarantine() { echo "- {case: $1, until: $(in_days 9), reason: flaps}"; }
red=$(cargo-arraign arraign run -- --list 2>/dev/null | sed -n 's/: test$//p' | head -1)
git init --quiet --initial-branch main origin.git --bare
git init --quiet --initial-branch main
git remote add origin "$project/origin.git"
save() { git add evals && git -c user.name=a -c user.email=a@b.example commit --quiet --message "$1"; }
save base && git push --quiet origin main
quarantine "$red" >evals/quarantine.yaml
rm output
BASE_REF=main bash "$here/action/run.sh" >run.log
expect 'exit-code=101' output
expect 'the base branch has no such entry' run.log
save entry && git push --quiet origin main
BASE_REF=main bash "$here/action/run.sh" >run.log
expect 'exit-code=0' output
expect 'the case is quarantined' arraign-report/report.md
BASE_REF=gone bash "$here/action/run.sh" >run.log 2>&1
[ "$(tail -1 output)" = exit-code=101 ] || { cat run.log; exit 1; }
expect '::warning::the base branch gone cannot be fetched' run.log

# Two shards of three: the report says that one is missing, and with it all is whole.
shard() { # number of the job, its shard by name
    ARRAIGN_OUT=$project/arraign-parts/arraign-evals-$1 SHARDS=3 SHARD=$2 JOB_INDEX=$1 JOB_TOTAL=3 \
        bash "$here/action/run.sh" >/dev/null
}
merge() {
    rm -rf arraign-report output
    MERGE=evals PARTS=$project/arraign-parts bash "$here/action/run.sh" >run.log 2>&1
}
rm evals/quarantine.yaml
sed -i.bak 's/- call: {tool: cancel/# - call: {tool: cancel/' evals/first.yaml
shard 0 "" && shard 2 3
merge
expect 'exit-code=101' output
expect 'shard 2 of 3 left no verdicts' arraign-report/report.md
shard 1 2
merge
expect 'exit-code=0' output
rm -rf arraign-parts
if merge; then exit 1; fi
expect '::error::no shard of the job evals has left verdicts' run.log
if SHARDS=2 JOB_INDEX=0 JOB_TOTAL=4 bash "$here/action/run.sh" >run.log 2>&1; then exit 1; fi
expect '::error::the matrix has 4 jobs, and shards is 2' run.log

[ "$(paste -sd, state/methods)" = POST,PATCH ] || { echo "not one comment: $(cat state/methods)"; exit 1; }
echo "one comment"

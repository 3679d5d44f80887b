#!/usr/bin/env bash
# Writes the report as one comment on the pull request: the second run replaces the comment of the first.
set -euo pipefail

if [ ! -f "$REPORT" ]; then
    echo "no report: no comment"
    exit 0
fi
mark="<!-- arraign $MARK -->"
body=$(mktemp)
trap 'rm -f "$body"' EXIT
{
    echo "$mark"
    cat "$REPORT"
} >"$body"

# The mark is an argument of jq, not a part of its program.
find_comment='.[] | select(.user.type == "Bot" and (.body | startswith($ENV.ARRAIGN_MARK))) | .id'
export ARRAIGN_MARK=$mark
comments="repos/$GITHUB_REPOSITORY/issues/$PULL_REQUEST/comments"
id=$(gh api --paginate "$comments" --jq "$find_comment" | head -n 1)
if [ -n "$id" ]; then
    gh api --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$id" --field "body=@$body" --silent
else
    gh api --method POST "$comments" --field "body=@$body" --silent
fi

#!/usr/bin/env bash
# A screenshot of Neovim with a verdict on its line, in the project of the current folder. Called by neovim.sh.
set -euo pipefail
here=$(cd "$(dirname "$0")/../../.." && pwd)
image=$(realpath -m "$1")
"$SERVER_PROGRAM" run evals >/dev/null || true
xvfb-run -a -s "-screen 0 860x420x24" bash -c '
    xterm -fa "DejaVu Sans Mono" -fs 12 -geometry 84x17+0+0 -b 8 -bg white -fg black \
        -e nvim -u NONE -n -c "luafile $0/tests/matrix/editor/screenshot.lua" &
    sleep "${SCREENSHOT_DELAY:-8}"
    import -window root png:- | convert - -trim -bordercolor white -border 6 -colors 32 -define png:compression-level=9 "$1"
    kill %1
' "$here" "$image"
stat -c "%n: %s bytes" "$image"

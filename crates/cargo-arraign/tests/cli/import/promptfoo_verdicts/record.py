"""Writes `verdicts.json`: what promptfoo itself makes of each configuration of this folder.

    npm install promptfoo@0.121.20
    python3 record.py node_modules/promptfoo/dist/src/entrypoint.js

The configurations are ours; promptfoo (MIT) is only run. They use recorded outputs, and nothing of them reaches a network.
"""
import json, os, pathlib, subprocess, sys, tempfile

here = pathlib.Path(__file__).parent
with tempfile.TemporaryDirectory() as folder:
    quiet = {"PROMPTFOO_CONFIG_DIR": folder, "PROMPTFOO_DISABLE_TELEMETRY": "1", "PROMPTFOO_DISABLE_UPDATE": "1"}
    all_verdicts = {}
    for config in sorted(here.glob("*.yaml")):
        out = pathlib.Path(folder, config.stem + ".json")
        command = ["node", sys.argv[1], "eval", "--no-cache", "--no-write", "--no-table", "-c", config, "-o", out]
        subprocess.run(command, env=os.environ | quiet, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        results = json.loads(out.read_text())["results"]["results"]
        verdicts = {}
        # A test with several combinations of variables passes if each of them does.
        for result in sorted(results, key=lambda result: result["testCase"]["description"]):
            name = result["testCase"]["description"]
            verdicts[name] = verdicts.get(name, True) and result["success"]
        all_verdicts[config.stem] = verdicts
lines = [f"  {json.dumps(name)}: {json.dumps(verdicts)}" for name, verdicts in all_verdicts.items()]
(here / "verdicts.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")

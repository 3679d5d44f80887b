"""Writes the jobs in tests/check/reward/jobs again with the models of Harbor, which define the files.

    python write_jobs.py FOLDER
"""

import json
import shutil
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

from harbor.models.agent.context import AgentContext
from harbor.models.job.result import JobResult, JobStats
from harbor.models.task.id import LocalTaskId
from harbor.models.trajectories import Trajectory
from harbor.models.trial.config import AgentConfig, TaskConfig, TrialConfig
from harbor.models.trial.paths import TrialPaths
from harbor.models.trial.result import AgentInfo, ExceptionInfo, ModelInfo, StepResult, TimingInfo, TrialResult
from harbor.models.verifier.result import VerifierResult

BEGAN = datetime(2026, 11, 1, 12, 0, 0, tzinfo=UTC)
PATH = Path("tasks/cart")


def after(seconds):
    return BEGAN + timedelta(seconds=seconds)


def times(begin, end):
    return TimingInfo(started_at=after(begin), finished_at=after(end))


def number(text):
    return UUID(int=int.from_bytes(text.encode()[:16].ljust(16, b"."), "big"))


def failure(kind, message):
    return ExceptionInfo(
        exception_type=kind,
        exception_message=message,
        exception_traceback=f"Traceback (most recent call last):\n{kind}: {message}\n",
        occurred_at=after(60),
    )


def trajectory(prompt, answer, command="pytest -q", **more):
    """A run with one call and an answer."""
    return {
        "schema_version": "ATIF-v1.8",
        "session_id": "s1",
        "agent": {"name": "terminus-2", "version": "2.0", "model_name": "m-1"},
        "steps": [
            {"step_id": 1, "source": "user", "message": prompt},
            {
                "step_id": 2,
                "source": "agent",
                "message": "I run the tests.",
                "tool_calls": [
                    {"tool_call_id": "c1", "function_name": "bash_command", "arguments": {"keystrokes": command}}
                ],
                "observation": {"results": [{"source_call_id": "c1", "content": "1 passed"}]},
                "metrics": {"prompt_tokens": 100, "completion_tokens": 20},
            },
            {"step_id": 3, "source": "agent", "message": answer},
        ],
        **more,
    }


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text if text.endswith("\n") else text + "\n")


def write_trajectory(folder, value, name="trajectory.json"):
    Trajectory.model_validate(value)
    write(folder / name, json.dumps(value, indent=1))


def write_trial(
    job,
    name,
    *,
    rewards=None,
    exception=None,
    run=None,
    agent="terminus-2",
    steps=None,
    finished=True,
    context=True,
):
    paths = TrialPaths(job / name)
    config = TrialConfig(task=TaskConfig(path=PATH), trial_name=name, agent=AgentConfig(name=agent))
    write(paths.config_path, json.dumps({"trial_name": name, "agent": {"name": agent}}))
    write(paths.trial_dir / "trial.log", "")
    if run is not None:
        write_trajectory(paths.agent_dir, run)
    if rewards is not None and len(rewards) == 1:
        write(paths.reward_text_path, str(*rewards.values()))
    elif rewards is not None:
        write(paths.reward_json_path, json.dumps(rewards))
    if exception is not None:
        write(paths.trial_dir / "exception.txt", exception.exception_traceback)
    if not finished:
        return
    usage = AgentContext(n_input_tokens=120, n_cache_tokens=40, n_output_tokens=30, cost_usd=0.05)
    result = TrialResult(
        id=number(name),
        task_name="cart",
        trial_name=name,
        trial_uri=f"file:///jobs/{job.name}/{name}",
        task_id=LocalTaskId(path=PATH),
        task_checksum="0" * 64,
        config=config,
        agent_info=AgentInfo(name=agent, version="2.0", model_info=ModelInfo(name="m-1")),
        agent_result=usage if context and steps is None else None,
        verifier_result=None if rewards is None else VerifierResult(rewards=rewards),
        exception_info=exception,
        started_at=BEGAN,
        finished_at=after(90),
        agent_execution=times(10, 60) if steps is None else None,
        verifier=times(60, 80),
        step_results=steps,
    )
    value = json.loads(result.model_dump_json())
    # The configuration is long, and nothing reads it.
    value["config"] = {"trial_name": name}
    write(paths.trial_dir / "result.json", json.dumps(value, indent=1))
    return result


def write_job(job, results, total, retries=0):
    stats = JobStats.from_trial_results(results, n_total_trials=total, n_retries=retries)
    finished = None if len(results) < total else after(100)
    result = JobResult(
        id=number(job.name), started_at=BEGAN, updated_at=after(100), finished_at=finished, n_total_trials=total,
        stats=stats,
    )
    write(job / "result.json", json.dumps(json.loads(result.model_dump_json()), indent=1))
    write(job / "config.json", json.dumps({"job_name": job.name}))
    write(job / "job.log", "")


PROMPT = "The cart does not add up. Fix it."


def main(folder):
    for old in folder.iterdir():
        if old.is_dir():
            shutil.rmtree(old)

    def job(name, trials, total=None, retries=0):
        path = folder / name
        results = [write_trial(path, trial, **settings) for trial, settings in trials.items()]
        results = [result for result in results if result is not None]
        write_job(path, results, total or len(trials), retries)

    solved = trajectory(PROMPT, "I fixed it.")
    job("solved", {"cart__a1": {"rewards": {"reward": 1}, "run": solved}})
    job("not-solved", {"cart__b1": {"rewards": {"reward": 0}, "run": solved}})
    job("several", {"cart__c1": {"rewards": {"tests": 1.0, "style": 0.5}, "run": solved}})
    job("no-reward", {"cart__d1": {
        "exception": failure("RewardFileNotFoundError", "No reward file found at verifier/reward.txt"),
        "run": solved,
    }})
    job("timeout", {"cart__e1": {
        "rewards": {"reward": 0},
        "exception": failure("AgentTimeoutError", "Agent execution timed out after 900.0 seconds"),
        "run": trajectory(PROMPT, "Still at it."),
    }})
    job("api-error", {"cart__f1": {
        "rewards": {"reward": 0},
        "exception": failure("ApiRateLimitError", "429 from the provider"),
        "run": trajectory(PROMPT, "I look."),
    }})

    def step(name, begin, reward, exception=None):
        return StepResult(
            step_name=name,
            agent_result=AgentContext(n_input_tokens=100, n_cache_tokens=10, n_output_tokens=20, cost_usd=0.02),
            verifier_result=VerifierResult(rewards={"reward": reward}),
            exception_info=exception,
            agent_execution=times(begin, begin + 10),
        )

    job("multi-step", {"cart__g1": {
        "rewards": {"reward": 1}, "steps": [step("find", 0, 1), step("fix", 20, 1)],
    }})
    trial = folder / "multi-step/cart__g1"
    find = trajectory("Find the bug in the cart.", "It rounds twice.", "grep -rn round src")
    # The reading of a helper and a continuation are files of their own.
    find["steps"][1]["observation"]["results"][0]["subagent_trajectory_ref"] = [
        {"trajectory_path": "trajectory.summary.json"}
    ]
    helper = trajectory("Sum up.", "It rounds twice.", "cat src/cart.py")
    helper["agent"]["name"] = "summary"
    find["continued_trajectory_ref"] = "trajectory.cont-1.json"
    more = trajectory("Go on.", "Found.", "cat README.md")
    more["steps"][0]["is_copied_context"] = True
    write_trajectory(trial / "steps/find/agent", find)
    write_trajectory(trial / "steps/find/agent", helper, "trajectory.summary.json")
    write_trajectory(trial / "steps/find/agent", more, "trajectory.cont-1.json")
    write_trajectory(trial / "steps/fix/agent", trajectory("Fix it.", "I fixed it."))

    job("nop", {"cart__h1": {"rewards": {"reward": 0}, "agent": "nop", "context": False}})
    job("retried", {"cart__i1": {"rewards": {"reward": 1}, "run": solved}}, retries=1)
    job("unfinished", {
        "cart__j1": {"rewards": {"reward": 1}, "run": solved},
        "cart__j2": {"rewards": {"reward": 1}, "run": solved, "finished": False},
    })


main(Path(sys.argv[1]))

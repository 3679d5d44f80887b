//! The limits on the agents of a run.

use super::{LIVE, asks, shell};
use crate::project::Project;

/// Three cases, each with an agent that costs 30 cents.
fn project(limits: &str) -> Project {
    let agent = shell("sleep 0.1; echo '{\"calls\": [\"look\"], \"answer\": \"a\", \"cost_usd\": 0.3}'");
    let cases = ["a", "b", "c"].map(|id| asks(id, &agent, ""));
    Project::of(&cases).file("evals/arraign.yaml", format!("agent_limits: {limits}\n"))
}

#[test]
fn no_agent_begins_once_the_budget_is_spent() {
    let ran = project("{at_once: 1, budget_usd: 0.5}").run_with(&[LIVE], &[]).exits(101);
    ran.says("2 passed; 1 failed").says("the agents of this run have cost $0.6000, and their budget is $0.5");
}

#[test]
fn shards_share_the_budget() {
    let agent = shell("echo '{\"calls\": [\"look\"], \"answer\": \"a\", \"cost_usd\": 0.3}'");
    let cases = ["a", "b", "c", "d", "e", "f", "g", "h"].map(|id| asks(id, &agent, ""));
    let limits = "agent_limits: {at_once: 1, budget_usd: 0.9}\n";
    let project = Project::of(&cases).file("evals/arraign.yaml", limits);
    // Each of three shards has 30 cents, which one agent costs.
    for shard in ["1/3", "2/3", "3/3"] {
        let ran = project.run_with(&[LIVE, ("ARRAIGN_SHARD", shard)], &[]).exits(101);
        let passed = ran.results().into_values().filter(|result| *result == "ok").count();
        assert_eq!(passed, 1, "{shard}: {}", ran.stdout);
        ran.says("their budget is $0.3000, the part of one of 3 jobs in $0.9");
    }
    let limits = "agent_limits: {at_once: 1, budget_usd: 0.9, of: 2}\n";
    let project = project.file("evals/arraign.yaml", limits);
    let ran = project.run_with(&[LIVE], &[]).exits(101);
    ran.says("2 passed; 6 failed").says("their budget is $0.4500, the part of one of 2 jobs in $0.9");
    let ran = project.run_with(&[LIVE, ("ARRAIGN_SHARD", "1/3")], &[]).exits(2);
    ran.complains("`of: 2` of `agent_limits` is less than the 3 shards of ARRAIGN_SHARD");
}

#[test]
fn agents_begin_at_distances() {
    let started = std::time::Instant::now();
    project("{per_minute: 60}").run_with(&[LIVE], &[]).exits(0).complains("agents ran 3 times");
    assert!(started.elapsed() >= std::time::Duration::from_secs(2), "{:?}", started.elapsed());
}

#[test]
fn wrong_limits_are_refused() {
    for (limits, problem) in [
        ("{at_once: 0}", "1:25"),
        ("{budget_usd: -1}", "`budget_usd` is a number above 0"),
        ("{a_minute: 3}", "unknown key `a_minute`"),
    ] {
        project(limits).run(&[]).exits(2).complains("evals/arraign.yaml:1:").complains(problem);
    }
}

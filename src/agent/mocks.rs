//! Mock tools of a run: the MCP server that the agent finds, and its calls as part of the trace.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use tokio::io::{copy, sink};

use super::command::{StartedProcess, inherit_variables, start_process};
use super::model::{KeepExchanges, describe_misses, keep_exchanges, remark_unused};
use super::program::answer_call;
use super::{AgentEnvironment, AgentProblem};
use crate::case::{CommandLine, MockTools};
use crate::evidence::ProgramRequest;
use crate::mocks::{
    MockLease, MockPlan, MockProblem, ServerPlan, ServerProcess, StartProgram, StartServer, merge_calls,
};
use crate::model::{PortOutcome, SessionPlan};
use crate::port::LoopbackPort;
use crate::secrets::{Secrets, names_a_secret};
use crate::trace::{CallsUnrecorded, Trace};

/// The mock tools of a case.
pub struct MocksTask {
    /// The port.
    pub port: LoopbackPort,
    /// The scripted answers.
    pub mocks: Arc<MockTools>,
    /// How the requests to the recorded server are answered, by the number of the run.
    pub plans: BTreeMap<u32, SessionPlan>,
    /// Keeps the exchanges of each run with the recorded server.
    pub keep: Option<KeepExchanges>,
    /// Remarks for the end of the process.
    pub remarks: Arc<Mutex<Vec<String>>>,
}

/// The path of a run's mock tools.
pub(super) type MocksLease = MockLease;

/// The tools of a case, as an agent may call them.
#[derive(Debug, Clone)]
pub(super) struct OwnTools {
    /// The name of the server.
    pub(super) server: String,
    /// The names of the tools.
    pub(super) names: Vec<String>,
}

/// Returns the tools that a case offers to its agent.
pub(super) fn find_own_tools(task: Option<&MocksTask>) -> Option<OwnTools> {
    let mocks = &task?.mocks;
    let names = mocks.script.tools.iter().chain(&mocks.script.decoys).map(|tool| tool.name.clone()).collect();
    Some(OwnTools { server: mocks.name.clone(), names })
}

/// Opens the mock tools of a run, and returns their address. `None` for a case without them.
pub(super) fn open_lease(
    task: Option<&MocksTask>,
    run: u32,
    environment: &Arc<AgentEnvironment>,
) -> Option<(MocksLease, String)> {
    let task = task?;
    let server = task.mocks.server.as_ref().zip(task.plans.get(&run)).map(|(line, session)| {
        let line = line.clone();
        let environment = Arc::clone(environment);
        // The server is started only when a call needs it.
        let start: StartServer = Arc::new(move || start_server(&line, &environment));
        ServerPlan { session: session.clone(), start }
    });
    // A program behind a tool is the package's own, too.
    let outside = Arc::new(AgentEnvironment { room: None, ..(**environment).clone() });
    let start: StartProgram = Arc::new(move |program: ProgramRequest, input: String| {
        let environment = Arc::clone(&outside);
        Box::pin(async move { answer_call(&program, input, &environment).await })
    });
    let lease = MockLease::open_lease(&task.port, MockPlan { mocks: Arc::clone(&task.mocks), server, start });
    let url = lease.url();
    Some((lease, url))
}

/// Starts the server whose answers are recorded.
fn start_server(line: &CommandLine, environment: &AgentEnvironment) -> Result<ServerProcess, String> {
    let variables = inherit_variables(&line.env, environment);
    // The server is the package's own, and knows nothing of the agent's workspace.
    let environment = AgentEnvironment { room: None, ..environment.clone() };
    let started = start_process(line, variables, &environment);
    let StartedProcess { child, group, stdin, stdout, mut stderr } =
        started.map_err(|problem| format!("the server of `mocks` {problem}"))?;
    // A server that nobody listens to would wait.
    tokio::spawn(async move { copy(&mut stderr, &mut sink()).await });
    Ok(ServerProcess { stdin, stdout, guard: Box::new((group, Mutex::new(child))) })
}

/// The result of a run's mock tools, once its agent has ended.
pub(super) struct SettledMocks {
    calls: Vec<crate::mocks::MockCall>,
    server: Option<PortOutcome>,
}

/// Ends the mock tools of a run. A call without an answer decides, whatever the agent did then.
pub(super) fn close_lease(lease: MocksLease) -> Result<SettledMocks, AgentProblem> {
    let outcome = lease.close();
    if let Some(problem) = describe_problems(&outcome.problems) {
        return Err(problem);
    }
    // An agent that was answered wrongly may then ask for calls that nobody recorded: its first problem is the cause.
    if let Some(missed) = outcome.server.as_ref().and_then(describe_misses) {
        return Err(AgentProblem::UnrecordedCall(missed));
    }
    Ok(SettledMocks { calls: outcome.calls, server: outcome.server })
}

/// Names the first of the problems, and how many more there are. `None` without a problem.
fn describe_problems(problems: &[MockProblem]) -> Option<AgentProblem> {
    let (first, others) = problems.split_first()?;
    let more = if others.is_empty() { String::new() } else { format!("\nand {} more", others.len()) };
    let what = format!("{}{more}", first.text());
    Some(match first {
        MockProblem::Unmocked(_) => AgentProblem::Unmocked(what),
        MockProblem::Malformed(_) => AgentProblem::MalformedCall(what),
        MockProblem::TooMany(_) => AgentProblem::TooManyCalls(what),
        MockProblem::Failed(_) => AgentProblem::FailedMock(what),
    })
}

impl SettledMocks {
    /// Adds the calls to the trace of the agent, and keeps the exchanges with the recorded server.
    pub(super) fn settle_trace(
        self,
        task: &MocksTask,
        run: u32,
        mut trace: Trace,
        secrets: &Secrets,
        environment: &AgentEnvironment,
    ) -> Result<Trace, AgentProblem> {
        if let (Some(outcome), Some(line)) = (&self.server, &task.mocks.server) {
            if let Some(keep) = &task.keep {
                // The server has secrets of its own, which the agent need not know.
                let mut secrets = secrets.clone();
                for (name, value) in inherit_variables(&line.env, environment) {
                    if names_a_secret(&name) {
                        secrets.add_value(&name, value.to_str().unwrap_or_default());
                    }
                }
                keep_exchanges(outcome, &secrets, |text| keep(run, text))?;
            }
            if task.keep.is_none() {
                remark_unused(outcome, &task.remarks);
            }
        }
        // An agent that says nothing of its calls has made those that the mock tools saw.
        let is_unrecorded = matches!(
            trace.calls_unrecorded,
            Some(CallsUnrecorded::ByFormat | CallsUnrecorded::NotShown { .. })
        );
        if trace.calls.is_empty() && is_unrecorded {
            trace.calls_unrecorded = None;
        }
        merge_calls(&mut trace, &task.mocks.name, &self.calls);
        Ok(trace)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_problem_has_its_title() {
        let describe =
            |problems: &[MockProblem]| describe_problems(problems).map(|problem| problem.to_string());
        assert_eq!(describe(&[]), None);
        let unmocked = MockProblem::Unmocked("`rm` is not one of the mock tools: get".to_owned());
        let many = MockProblem::TooMany("the agent made more than 10000 calls".to_owned());
        for (problem, title) in [
            (unmocked.clone(), "called a tool that its `mocks` do not answer"),
            (
                MockProblem::Malformed("a batch".to_owned()),
                "sent its mock tools a call that MCP does not allow",
            ),
            (many.clone(), "called its mock tools too often"),
            (MockProblem::Failed("it ended".to_owned()), "called a mock tool whose program or server failed"),
        ] {
            let text = problem.text().to_owned();
            assert_eq!(describe(&[problem]), Some(format!("{title}\n{text}")));
        }
        // What came first decides: the calls after it may only follow from it.
        let both = describe(&[many, unmocked]).expect("a problem");
        assert_eq!(both, "called its mock tools too often\nthe agent made more than 10000 calls\nand 1 more");
    }
}

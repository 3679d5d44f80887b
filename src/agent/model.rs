//! Agents with a recorded model: the port answers or forwards their requests, and what was exchanged is evidence.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use super::error::refuse_secrets;
use super::into_trace::read_single_run;
use super::{AgentProblem, ModelAddresses};
use crate::model::{PortLease, PortOutcome, Provider, SessionPlan, render_exchanges};
use crate::port::LoopbackPort;
use crate::reader::ReaderSet;
use crate::secrets::Secrets;
use crate::source::lock;
use crate::trace::Trace;
use crate::workspace::PathNames;

/// The format of a cassette.
const CASSETTE_FORMAT: &str = "model-exchanges";

/// Keeps the exchanges of a run, as the text of its cassette. The error is a sentence.
pub type KeepExchanges = Arc<dyn Fn(u32, &str) -> Result<(), String> + Send + Sync>;

/// The recorded model of a case's agent.
pub struct ModelTask {
    /// The port.
    pub port: LoopbackPort,
    /// How the requests of each run are answered, by the number of the run.
    pub plans: BTreeMap<u32, SessionPlan>,
    /// Keeps the exchanges of each run.
    pub keep: Option<KeepExchanges>,
    /// Remarks for the end of the process.
    pub remarks: Arc<Mutex<Vec<String>>>,
}

/// The path of a run on the port.
pub(super) type RunLease = PortLease;

/// Opens a path for a run. `None` for an agent without a recorded model.
pub(super) fn open_lease(
    task: Option<&ModelTask>,
    run: u32,
    paths: PathNames,
) -> Option<(RunLease, ModelAddresses)> {
    let task = task?;
    let plan = SessionPlan { paths, ..task.plans.get(&run)?.clone() };
    let lease = PortLease::open_lease(&task.port, plan);
    let addresses = list_addresses(&lease);
    Some((lease, addresses))
}

/// Returns the variables that lead the requests of a program to its path on the port.
pub fn list_model_variables(lease: &PortLease) -> Vec<(String, String)> {
    list_addresses(lease).list_variables(&[])
}

fn list_addresses(lease: &PortLease) -> ModelAddresses {
    ModelAddresses {
        url: lease.url(),
        openai: lease.provider_url(Provider::OpenAi),
        anthropic: lease.provider_url(Provider::Anthropic),
        gemini: lease.provider_url(Provider::Gemini),
        azure: lease.provider_url(Provider::Azure),
        ollama: lease.provider_url(Provider::Ollama),
        replays: lease.replays(),
    }
}

/// Ends a run: a request without a recorded reply decides, whatever the agent did then. Otherwise the exchanges are kept,
/// and they are the trace if the agent returned none. Adds the keys that the agent sent to `secrets`.
pub(super) fn settle_run(
    lease: RunLease,
    task: Option<&ModelTask>,
    run: u32,
    answer: Result<Trace, AgentProblem>,
    readers: &ReaderSet,
    secrets: &mut Secrets,
) -> Result<Trace, AgentProblem> {
    let replays = lease.replays();
    let outcome = lease.close();
    if !replays {
        // In a replay, the key is a placeholder, not a secret.
        outcome.keys.iter().for_each(|key| secrets.add_value("authorization", key));
    }
    // A run without one of its replies has gone another way than the recorded one, so its trace proves nothing.
    if let Some(missed) = describe_misses(&outcome) {
        let differs_in_results = outcome.misses.iter().all(|miss| miss.differs_in_results);
        return Err(AgentProblem::Unrecorded { missed, differs_in_results });
    }
    let trace = choose_trace(answer, &outcome, readers).map_err(|problem| blame_model(problem, &outcome))?;
    let Some(task) = task else { return Ok(trace) };
    if let Some(keep) = &task.keep {
        keep_exchanges(&outcome, secrets, |text| keep(run, text))?;
    }
    if replays {
        remark_unused(&outcome, &task.remarks);
    }
    Ok(trace)
}

/// Adds how a request of the agent to its model failed. Without it, the user sees only what the agent made of that.
fn blame_model(problem: AgentProblem, outcome: &PortOutcome) -> AgentProblem {
    match &outcome.failure {
        Some(request) if problem.is_failure_of_agent() => {
            AgentProblem::FailedByModel { problem: Box::new(problem), request: request.clone() }
        }
        _ => problem,
    }
}

/// Describes the requests that are not recorded.
pub(super) fn describe_misses(outcome: &PortOutcome) -> Option<String> {
    let [miss, rest @ ..] = outcome.misses.as_slice() else { return None };
    let more = if rest.is_empty() { String::new() } else { format!("\nand {} more requests", rest.len()) };
    Some(format!("{}{more}", miss.message))
}

/// Remarks on recorded exchanges that no request used.
pub(super) fn remark_unused(outcome: &PortOutcome, remarks: &Mutex<Vec<String>>) {
    if outcome.unused == 0 {
        return;
    }
    let noun = if outcome.unused == 1 { "exchange was" } else { "exchanges were" };
    let remark = format!("{}: {} recorded {noun} not used", outcome.cassette, outcome.unused);
    lock(remarks).push(remark);
}

/// Keeps exchanges that contain no secret.
pub(super) fn keep_exchanges(
    outcome: &PortOutcome,
    secrets: &Secrets,
    keep: impl FnOnce(&str) -> Result<(), String>,
) -> Result<(), AgentProblem> {
    // An exchange that cannot be recorded would be missing from the next replay.
    if let Some(problem) = &outcome.unrecordable {
        return Err(AgentProblem::NotRecorded(problem.clone()));
    }
    let text = render_exchanges(&outcome.exchanges);
    refuse_secrets(&text, secrets)?;
    keep(&text).map_err(AgentProblem::NotRecorded)
}

/// Returns the trace of the agent. If it returned none, or only a text, the exchanges are the trace.
fn choose_trace(
    answer: Result<Trace, AgentProblem>,
    outcome: &PortOutcome,
    readers: &ReaderSet,
) -> Result<Trace, AgentProblem> {
    match answer {
        Err(AgentProblem::NoTrace) => read_exchanges(outcome, readers),
        // A text alone does not show the calls, and the exchanges do.
        Ok(trace) if says_little(&trace) && !outcome.exchanges.is_empty() => {
            let read = read_exchanges(outcome, readers)?;
            Ok(Trace { answer: trace.answer.or(read.answer), ..read })
        }
        other => other,
    }
}

/// Whether a trace is empty, or only an answer.
fn says_little(trace: &Trace) -> bool {
    let is_empty = trace.messages.is_empty() && trace.answer.is_none();
    trace.calls.is_empty() && (is_empty || trace.calls_unrecorded.is_some())
}

fn read_exchanges(outcome: &PortOutcome, readers: &ReaderSet) -> Result<Trace, AgentProblem> {
    if outcome.exchanges.is_empty() {
        let problem = match outcome.failure {
            Some(_) => "it printed no trace, and its model gave no reply",
            None => "it printed no trace, and sent no request to its model",
        };
        return Err(AgentProblem::Nonsense(problem.to_owned()));
    }
    // The recorded exchanges are a format of the readers like any other.
    let text = render_exchanges(&outcome.exchanges);
    read_single_run(&text, Some(CASSETTE_FORMAT), readers).map_err(|problem| match problem {
        AgentProblem::SeveralRuns(count) => AgentProblem::Nonsense(format!(
            "its requests are {count} conversations, and their order is not known: let the agent print its trace"
        )),
        other => other,
    })
}

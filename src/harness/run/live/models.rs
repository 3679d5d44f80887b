//! The recorded models of agents: what is answered from a cassette, and what is forwarded and recorded.

use std::collections::BTreeMap;
use std::env;
use std::sync::{Arc, Mutex, OnceLock};

use super::{AgentMode, ModelRequest};
use crate::agent::{Agent, AgentPool, ModelTask};
use crate::engine::UndecidedRun;
use crate::harness::output::undecided::ALLOW_EXEC;
use crate::harness::run::failure::RunFailure;
use crate::model::{Cassette, ModelPort, PortMode, Provider, SessionPlan};
use crate::source::lock;
use crate::suite::cassette_path;
use crate::verdict::UndecidedCause;

/// The name of findings about recorded models.
const MODEL: &str = "model";

/// The port of a process, and what it has to remark at the end.
#[derive(Default)]
pub(super) struct RecordedModels {
    port: OnceLock<Result<ModelPort, String>>,
    remarks: Arc<Mutex<Vec<String>>>,
}

impl RecordedModels {
    /// Plans how the requests of a case's agent are answered.
    pub(super) fn plan_runs(&self, request: &ModelRequest<'_>) -> Result<ModelTask, RunFailure> {
        if request.mode == AgentMode::Replay && !is_allowed(request) {
            return Err(refuse_exec());
        }
        let mut upstreams = SessionPlan::find_upstreams(request.settings, |name| env::var(name).ok());
        if request.mode == AgentMode::Replay {
            // Nothing is sent, and the address on Azure may be known only to who has recorded.
            upstreams.entry(Provider::Azure).or_insert_with(|| "http://azure.invalid".to_owned());
        }
        let (settings, upstreams) = (Arc::new(request.settings.clone()), Arc::new(upstreams));
        let mut plans = BTreeMap::new();
        for run in 1..=request.runs {
            let cassette = Arc::new(read_cassette(request, run)?);
            let (settings, upstreams) = (Arc::clone(&settings), Arc::clone(&upstreams));
            plans.insert(run, SessionPlan { mode: port_mode(request.mode), settings, upstreams, cassette });
        }
        let keep = request.mode.is_recording().then(|| {
            let (case, path, files) =
                (Arc::clone(request.case), Arc::clone(request.path), Arc::clone(request.files));
            Arc::new(move |run, text: &str| {
                let written = files.write(&cassette_path(&case, &path, run), text.as_bytes());
                written.map_err(|error| error.to_string())
            }) as _
        });
        let port = self.start_port(request.pool)?;
        Ok(ModelTask { port, plans, keep, remarks: Arc::clone(&self.remarks) })
    }

    /// Takes the remarks, sorted.
    pub(super) fn take_remarks(&self) -> Vec<String> {
        let mut remarks = std::mem::take(&mut *lock(&self.remarks));
        remarks.sort();
        remarks
    }

    fn start_port(&self, pool: &AgentPool) -> Result<ModelPort, RunFailure> {
        // One port for all agents of the process; a failure to open it is the failure of each.
        let started = self.port.get_or_init(|| {
            let runtime = pool.runtime().ok_or("the agents have ended")?;
            ModelPort::start(runtime).map_err(|error| format!("cannot open a port for the model: {error}"))
        });
        Ok(started.clone()?)
    }
}

fn port_mode(mode: AgentMode) -> PortMode {
    match mode {
        AgentMode::Replay => PortMode::Replay,
        AgentMode::Record => PortMode::Extend,
        AgentMode::Rerecord | AgentMode::Live => PortMode::Forward,
    }
}

/// Whether the agent may run in a replay. The closures of the test target are its own code.
fn is_allowed(request: &ModelRequest<'_>) -> bool {
    request.allows_exec || matches!(request.agent, Agent::InProcess(_))
}

fn refuse_exec() -> RunFailure {
    RunFailure::Undecided(UndecidedRun {
        check: MODEL,
        reason: "the agent was not run: a folder of evals cannot allow itself to start one".to_owned(),
        help: ALLOW_EXEC.to_owned(),
        cause: UndecidedCause::AgentNotRun,
    })
}

/// Reads the cassette of a run. A recording run begins without one that is missing or broken.
fn read_cassette(request: &ModelRequest<'_>, run: u32) -> Result<Cassette, RunFailure> {
    let path = cassette_path(request.case, request.path, run);
    let name = request.files.name(&path);
    let empty = Cassette { name: name.clone(), ..Cassette::default() };
    if port_mode(request.mode) == PortMode::Forward {
        return Ok(empty);
    }
    let read = if request.files.exists(&path) {
        let parsed = request.files.read(&path, |text| Cassette::parse(&name, text));
        parsed.map_err(|error| error.to_string()).and_then(|parsed| parsed).map_err(RunFailure::Error)
    } else {
        Err(RunFailure::Undecided(UndecidedRun {
            check: MODEL,
            reason: format!("the requests to the model are not recorded: {name} does not exist"),
            help: format!("record them: ARRAIGN_AGENT_MODE=record {}", request.rerun),
            cause: UndecidedCause::UnrecordedRequest,
        }))
    };
    if request.mode == AgentMode::Record { Ok(read.unwrap_or(empty)) } else { read }
}

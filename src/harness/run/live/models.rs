//! The recorded models of agents: what is answered from a cassette, and what is forwarded and recorded.

use std::collections::BTreeMap;
use std::env;
use std::sync::{Arc, Mutex, OnceLock};

use super::{AgentMode, RunRequest};
use crate::agent::{Agent, AgentPool, KeepExchanges, ModelTask};
use crate::case::ModelSettings;
use crate::engine::UndecidedRun;
use crate::harness::run::ALLOW_EXEC;
use crate::harness::run::failure::RunFailure;
use crate::model::{Cassette, PortMode, Provider, RecordedSubject, SessionPlan};
use crate::outcome::UndecidedCause;
use crate::port::LoopbackPort;
use crate::source::lock;
use crate::suite::{CassetteOf, cassette_path};
use crate::workspace::PathNames;

/// The name of findings about recorded models.
const MODEL: &str = "model";

/// The port of a process, and what it has to remark at the end.
#[derive(Default)]
pub(super) struct RecordedModels {
    port: OnceLock<Result<LoopbackPort, String>>,
    remarks: Arc<Mutex<Vec<String>>>,
}

impl RecordedModels {
    /// Plans how the requests of a case's agent are answered.
    pub(super) fn plan_runs(
        &self,
        request: &RunRequest<'_>,
        settings: &ModelSettings,
    ) -> Result<ModelTask, RunFailure> {
        // A replay runs the agent's own code, which needs the user's consent.
        if request.mode == AgentMode::Replay && !is_allowed(request) {
            return Err(refuse_exec(MODEL, "the agent was not run"));
        }
        let mut upstreams = SessionPlan::find_upstreams(settings, |name| env::var(name).ok());
        if request.mode == AgentMode::Replay {
            // Nothing is sent, and the address on Azure may be known only to who has recorded.
            upstreams.entry(Provider::Azure).or_insert_with(|| "http://azure.invalid".to_owned());
        }
        let settings = Arc::new(settings.clone());
        let upstreams = Arc::new(upstreams);
        let mut plans = BTreeMap::new();
        for run in 1..=request.runs {
            let cassette = Arc::new(request.read_cassette(run, CassetteOf::Model)?);
            let settings = Arc::clone(&settings);
            let upstreams = Arc::clone(&upstreams);
            let mode = port_mode(request.mode);
            let subject = RecordedSubject::Model;
            plans.insert(
                run,
                SessionPlan { mode, subject, settings, upstreams, cassette, paths: PathNames::default() },
            );
        }
        let keep = request.keep_cassettes(CassetteOf::Model);
        let port = self.start_port(request.pool)?;
        Ok(ModelTask { port, plans, keep, remarks: Arc::clone(&self.remarks) })
    }

    /// Takes the remarks, sorted.
    pub(super) fn take_remarks(&self) -> Vec<String> {
        let mut remarks = std::mem::take(&mut *lock(&self.remarks));
        remarks.sort();
        remarks
    }

    /// Shares the list of remarks.
    #[cfg(feature = "mocks")]
    pub(super) fn share_remarks(&self) -> Arc<Mutex<Vec<String>>> {
        Arc::clone(&self.remarks)
    }

    pub(super) fn start_port(&self, pool: &AgentPool) -> Result<LoopbackPort, RunFailure> {
        // One port for all agents of the process; a failure to open it is the failure of each.
        let started = self.port.get_or_init(|| {
            let runtime = pool.runtime().ok_or("the agents have ended")?;
            LoopbackPort::start(runtime)
                .map_err(|error| format!("cannot open a port for the agents: {error}"))
        });
        Ok(started.clone()?)
    }
}

pub(super) fn port_mode(mode: AgentMode) -> PortMode {
    match mode {
        AgentMode::Replay => PortMode::Replay,
        AgentMode::Record => PortMode::Extend,
        AgentMode::Rerecord | AgentMode::Live => PortMode::Forward,
    }
}

/// Whether the agent may run in a replay. The closures of the test target are its own code.
fn is_allowed(request: &RunRequest<'_>) -> bool {
    request.allows_exec || matches!(request.agent, Agent::InProcess(_))
}

/// Says that nobody has allowed to start a program.
pub(super) fn refuse_exec(check: &'static str, what: &str) -> RunFailure {
    RunFailure::Undecided(UndecidedRun {
        check,
        reason: format!("{what}: a folder of evals cannot allow itself to start one"),
        help: ALLOW_EXEC.to_owned(),
        cause: UndecidedCause::AgentNotRun,
    })
}

impl RunRequest<'_> {
    /// Returns a function that writes the exchanges of a run to its cassette. `None` if nothing is recorded.
    pub(super) fn keep_cassettes(&self, of: CassetteOf) -> Option<KeepExchanges> {
        let case = Arc::clone(self.case);
        let path = Arc::clone(self.path);
        let files = Arc::clone(self.files);
        self.mode.is_recording().then(|| {
            Arc::new(move |run, text: &str| {
                let written = files.write(&cassette_path(&case, &path, run, of), text.as_bytes());
                written.map_err(|error| error.to_string())
            }) as _
        })
    }

    /// Reads the cassette of a run. A recording run begins without one that is missing or broken.
    pub(super) fn read_cassette(&self, run: u32, of: CassetteOf) -> Result<Cassette, RunFailure> {
        let path = cassette_path(self.case, self.path, run, of);
        let name = self.files.name(&path);
        // Forwarding replaces the whole cassette, so the old one is not read.
        let empty = Cassette { name: name.clone(), ..Cassette::default() };
        if port_mode(self.mode) == PortMode::Forward {
            return Ok(empty);
        }
        let read = if self.files.exists(&path) {
            let parsed = self.files.read(&path, |text| Cassette::parse(&name, text));
            parsed.map_err(|error| error.to_string()).and_then(|parsed| parsed).map_err(RunFailure::Error)
        } else {
            Err(RunFailure::Undecided(UndecidedRun {
                check: of.check_name(),
                reason: format!(
                    "the requests to the {} are not recorded: {name} does not exist",
                    of.describe()
                ),
                help: format!("record them: ARRAIGN_AGENT_MODE=record {}", self.rerun),
                cause: UndecidedCause::UnrecordedRequest,
            }))
        };
        // A cassette that is missing or broken is what recording mends.
        if self.mode == AgentMode::Record { Ok(read.unwrap_or(empty)) } else { read }
    }
}

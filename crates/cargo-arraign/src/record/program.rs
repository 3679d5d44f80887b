//! The model port alone. Runs any program, and records what it exchanges with its model.

use std::ffi::OsString;
use std::io;
use std::process::{Command, ExitStatus};

use arraign::__internals::agent::list_model_variables;
use arraign::__internals::case::ModelSettings;
use arraign::__internals::model::{
    Cassette, PathNames, PortLease, PortMode, RecordedSubject, SessionPlan, render_exchanges,
};
use arraign::__internals::port::LoopbackPort;
use arraign::__internals::secrets::{Secrets, names_a_secret};
use tokio::runtime::Builder;

/// The exchanges of a program with its model.
#[derive(Debug)]
pub(super) struct RecordedProgram {
    /// How the program has ended.
    pub(super) status: ExitStatus,
    /// The number of exchanges in which the model replied.
    pub(super) replies: usize,
    /// How the last request failed that got no proper reply.
    pub(super) failure: Option<String>,
    /// The text of the cassette. The error is a sentence.
    pub(super) cassette: Result<String, String>,
}

/// Runs a program with this process's variables and streams. Its requests to its model are forwarded and recorded.
pub(super) fn record_program(program: &OsString, arguments: &[OsString]) -> io::Result<RecordedProgram> {
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    // An interrupt ends the program, and what it has exchanged until then is kept.
    runtime.spawn(async { while tokio::signal::ctrl_c().await.is_ok() {} });
    let settings = ModelSettings::default();
    let upstreams = SessionPlan::find_upstreams(&settings, |name| std::env::var(name).ok());
    let plan = SessionPlan {
        mode: PortMode::Forward,
        subject: RecordedSubject::Model,
        settings: settings.into(),
        upstreams: upstreams.into(),
        cassette: Cassette::default().into(),
        paths: PathNames::default(),
    };
    let lease = PortLease::open_lease(&LoopbackPort::start(runtime.handle())?, plan);
    let status = Command::new(program).args(arguments).envs(list_model_variables(&lease)).status()?;
    let outcome = lease.close();
    runtime.shutdown_background();
    let mut secrets = Secrets::default();
    // A key may be in the environment, in a header, or in both.
    for (name, value) in std::env::vars().filter(|(name, _)| names_a_secret(name)) {
        secrets.add_value(&name, &value);
    }
    outcome.keys.iter().for_each(|key| secrets.add_value("authorization", key));
    let text = render_exchanges(&outcome.exchanges);
    let cassette = match (outcome.unrecordable, secrets.find_in(&text)) {
        (Some(problem), _) => Err(problem),
        (None, Some(name)) => Err(format!("the exchanges contain the value of the secret `{name}`")),
        (None, None) => Ok(text),
    };
    let replies = outcome.exchanges.iter().filter(|exchange| exchange.response.status < 400).count();
    Ok(RecordedProgram { status, replies, failure: outcome.failure, cassette })
}

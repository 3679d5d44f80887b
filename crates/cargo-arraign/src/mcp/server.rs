//! The mock tools of a case over standard streams, for a client that starts its servers.

use std::env;
use std::io;
use std::path::Path;
use std::sync::Arc;

use arraign::__internals::agent::MCP_VARIABLE;
use arraign::__internals::harness::sources::with_library;
use arraign::__internals::mocks::{
    MockHandler, MockPlan, MockSession, RemoteMocks, ServerPlan, StartProgram, serve_streams,
};
use arraign::__internals::model::{Cassette, PortMode, SessionPlan};
use arraign::__internals::source::Files;
use arraign::__internals::suite::{CassetteOf, build_trial_name, cassette_path, find_files_for_name};
use arraign::{Case, Harness, Suite};
use tokio::io::{stdin, stdout};
use tokio::runtime::Builder;

/// Serves mock tools until the client closes the streams. If an agent has started this process, the environment contains
/// the address of its run, and the tools are those of the run. Otherwise they are those of the case `name`. Returns the
/// calls without an answer. The error is a sentence.
pub(super) fn serve_mocks(harness: &Harness, name: Option<&str>) -> Result<Vec<String>, String> {
    if let Ok(url) = env::var(MCP_VARIABLE) {
        serve(MockHandler::Remote(Arc::new(RemoteMocks::new(url))))?;
        return Ok(Vec::new());
    }
    let Some(name) = name else {
        return Err(format!("name a case, or set {MCP_VARIABLE} to the address of a run"));
    };
    let found = with_library(harness, |library| {
        // A client starts the server for one case: mistakes of other files, and of other cases, do not matter.
        let found = find_files_for_name(library.files, name).into_iter().find_map(|path| {
            let below = path.strip_prefix(library.files.root()).unwrap_or(&path);
            let is_wanted = |id: Option<&str>| build_trial_name(below, id) == name;
            let suite = Suite::load_some(&path, library, &is_wanted).ok()?;
            let case = suite.cases.iter().find(|case| is_wanted(case.id.as_deref()))?;
            Some(plan_session(case, &path, library.files))
        });
        Ok(found)
    });
    let plan = found.map_err(|errors| errors.to_string())?;
    let session = plan.ok_or_else(|| {
        format!("no case is called `{name}`, or its file has mistakes, which `cargo arraign run` shows")
    })??;
    let session = Arc::new(MockSession::new(session));
    serve(MockHandler::Session(Arc::clone(&session)))?;
    let outcome = session.finish();
    let misses = outcome.server.into_iter().flat_map(|server| server.misses);
    let misses = misses.map(|miss| miss.message);
    let problems = outcome.problems.iter().map(|problem| problem.text().to_owned());
    Ok(problems.chain(misses).collect())
}

/// Plans the answers to a case. Those of its server are the recorded ones: nothing is started.
fn plan_session(case: &Case, path: &Path, files: &Files) -> Result<MockPlan, String> {
    let mocks = case.mocks.clone().ok_or("the case has no `mocks`")?;
    // A folder of evals cannot allow itself to start a program, and nobody is asked here.
    let start: StartProgram = Arc::new(|program, _| {
        let problem =
            format!("`{}` answers this call, and no program is started here", program.command.join(" "));
        Box::pin(async { Err(problem) })
    });
    if mocks.server.is_none() {
        return Ok(MockPlan { mocks, server: None, start });
    }
    let file = cassette_path(case, path, 1, CassetteOf::McpServer);
    let name = files.name(&file);
    let read = files.read(&file, |text| Cassette::parse(&name, text));
    let cassette = read.map_err(|error| error.to_string())??;
    let session = SessionPlan::for_mcp_server(PortMode::Replay, cassette);
    let server = ServerPlan { session, start: Arc::new(|| Err("nothing is started here".to_owned())) };
    Ok(MockPlan { mocks, server: Some(server), start })
}

fn serve(handler: MockHandler) -> Result<(), String> {
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(|error: io::Error| error.to_string())?;
    let served = runtime.block_on(serve_streams(handler, (stdin(), stdout())));
    // A read of standard input cannot be cancelled.
    runtime.shutdown_background();
    served
}

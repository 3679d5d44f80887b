//! `sequence_valid` against a peer's verdicts, against definitions written another way, and on wrong settings.

mod definitions;
mod mistakes;
mod peer;
mod verdicts;

use std::path::Path;

use arraign::__internals::check::{BUILTIN, Check, Registry, Scope};
use arraign::__internals::evidence::Evidence;
use arraign::__internals::outcome::{Outcome, State};
use arraign::__internals::place::{LoadErrors, Source};
use arraign::__internals::source::Files;
use arraign::__internals::yaml::Document;
use arraign::json::{Json, json};
use arraign::trace::{Arguments, Call, Trace};

/// The check that `settings` describe, in a file called `case.yaml` in `folder`.
fn read_in(folder: &Path, settings: &str) -> Result<Box<dyn Check>, LoadErrors> {
    let kind = BUILTIN.iter().find(|kind| kind.name == "sequence_valid").expect("it is built in");
    let kinds = Registry::default();
    let files = Files::new(folder, folder);
    let scope = Scope {
        kinds: &kinds,
        files: &files,
        folder,
        tables: &arraign::__internals::check::Tables::default(),
        script: arraign::__internals::check::ScriptInScope::Absent,
    };
    let documents = Document::parse(&Source::new("case.yaml", settings))?;
    (kind.read)(documents[0].root(), &scope)
}

fn read(settings: &str) -> Result<Box<dyn Check>, LoadErrors> {
    read_in(&std::env::temp_dir(), settings)
}

fn outcome(settings: &str, trace: &Trace) -> Outcome {
    let check = read(settings).unwrap_or_else(|errors| panic!("{settings}\n{errors}"));
    check.check(&Evidence::of(trace)).expect("an outcome")
}

fn trace(calls: &[(&str, Json)]) -> Trace {
    let mut trace = Trace::default();
    for (turn, (name, arguments)) in calls.iter().enumerate() {
        trace.push_call(Call::new(*name, Arguments::from_json(arguments.clone()), turn + 1));
    }
    trace
}

fn named(names: &[&str]) -> Trace {
    trace(&names.iter().map(|name| (*name, json!({}))).collect::<Vec<_>>())
}

fn state(outcome: &Outcome) -> State {
    outcome.items[0].state
}

fn errors(settings: &str) -> Vec<String> {
    match read(settings) {
        Ok(_) => panic!("this was accepted:\n{settings}"),
        Err(errors) => errors.iter().map(ToString::to_string).collect(),
    }
}

//! The files that `init` writes.

/// The head of the test target.
const HEAD: &str = "\
//! Runs every case in `evals/` as a test: `cargo test --test evals`.
//!
//! JSON Schemas with `$ref`, `anyOf` and the like need a feature: `arraign = { .., features = [\"json-schema\"] }`.

";

/// The line for rust-analyzer.
const CASES: &str = "\
// Shows each case in rust-analyzer's test explorer; `cargo arraign ide` updates the list.
arraign::cases!(\"evals\");

";

/// The rest of a test target without an agent.
const MAIN: &str = "\
fn main() -> std::process::ExitCode {
    // If you record runs of other people's branches, list the environment variables that files of cases may name, because they
    // are sent to agents and judges: `Harness::new(\"evals\").allow_variables([\"OPENAI_API_KEY\"])`.
    arraign::Harness::new(\"evals\").run()
}
";

/// The rest of a test target with an agent whose model is recorded.
const MAIN_WITH_MODEL: &str = "\
use std::error::Error;

use arraign::{AgentInput, Harness, Trace};

/// Asks the agent. Its requests to the model go to an address of arraign, which records the replies once, and replays them
/// afterwards: the agent itself runs in each test, without a network.
async fn support(input: AgentInput) -> Result<Trace, Box<dyn Error + Send + Sync>> {
    // In place of `https://api.openai.com/v1`. There are also `anthropic`, `gemini`, `azure` and `ollama`.
    let model = input.model.and_then(|model| model.openai).ok_or(\"the requests to the model are not recorded\")?;
    // Start your agent here. Give it this address, and a key that the environment need not have in a replay:
    //
    // let key = std::env::var(\"OPENAI_API_KEY\").unwrap_or_else(|_| \"none\".to_owned());
    // my_agent::new(&model, &key).run(&input.query).await?;
    // return Ok(Trace::default());
    //
    // An empty trace means that the exchanges with the model are the trace. An agent that returns the messages of its framework
    // need not be read from them: `Ok(arraign::Messages(messages))`, with this type in place of `Trace`.
    Err(format!(\"no agent yet: start yours in tests/evals.rs, with its model at {model}\").into())
}

fn main() -> std::process::ExitCode {
    Harness::new(\"evals\").agent(\"support\", support).agent_model(\"support\").run()
}
";

/// Renders the test target.
pub(super) fn render_target(has_model: bool, shows_cases: bool) -> String {
    let main = if has_model { MAIN_WITH_MODEL } else { MAIN };
    [HEAD, if shows_cases { CASES } else { "" }, main].concat()
}

/// What adds the agent of the case to the harness.
pub(super) const AGENT_CALL: &str = ".agent_model(\"support\")";

/// The file of the case of an agent.
pub(super) const OF_AGENT: &str = "evals/support.yaml";

/// The case of an agent.
pub(super) const AGENT_CASE: &str = include_str!("support.yaml");

/// The name of its trial.
pub(super) const AGENT_TRIAL: &str = "support::order_status";

/// The file of the first case.
pub(super) const FIRST: &str = "evals/first.yaml";

/// The first case and its trace.
pub(super) const CASE: &[(&str, &str)] =
    &[(FIRST, include_str!("first.yaml")), ("evals/traces/first.json", include_str!("first.json"))];

/// The file with the names of the trials.
pub(super) const NAMES: &str = "evals/cases.rs";

/// The name of the trial of the first case.
pub(super) const TRIAL: &str = "first::order_status";

/// The file of a first case from the user's own trace, and its name without the extension.
pub(super) const OWN: &str = "evals/own.yaml";
pub(super) const OWN_STEM: &str = "own";

/// The next steps after the first run, by the file of the first case.
pub(super) const AFTERWARDS: [(&str, &str); 3] = [
    (
        OF_AGENT,
        "Start your agent in tests/evals.rs, at the marked place. Then record its model, which needs its key:\n\
         ARRAIGN_AGENT_MODE=record cargo test --test evals -- support\n\
         From then on, each test runs the agent against the recorded replies.",
    ),
    (
        FIRST,
        "The first case passes; a comment in evals/first.yaml says how to make it fail.\n\
         Then put a trace of your agent into evals/traces, and write a case that says what the agent should do.",
    ),
    (
        OWN,
        "The first case passes: its checks say what this run did. Read evals/own.yaml, and change what the agent should do\n\
         otherwise; then the case fails.",
    ),
];

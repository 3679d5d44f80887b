//! Runs the cases in `evals/` with the agent that they name.

mod scripted_model;

use std::env;
use std::process::ExitCode;

use arraign::{AgentInput, Harness, Messages};
use rig::completion::PromptError;

fn main() -> ExitCode {
    Harness::new("evals")
        .agent("support", async |input: AgentInput| {
            let variable = |name| env::var(name).ok().filter(|value| !value.is_empty());
            let model = variable("OPENAI_BASE_URL").unwrap_or_else(scripted_model::start);
            let key = variable("OPENAI_API_KEY").unwrap_or_else(|| "none".to_owned());
            let messages = rig_example::ask(&model, &key, &input.query).await?;
            Ok::<_, PromptError>(Messages(messages))
        })
        .run()
}

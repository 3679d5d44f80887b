//! Runs the cases in `evals/` with the agent that they name. The requests to its model go through the port of arraign.

use std::env;
use std::process::ExitCode;

use arraign::{AgentInput, Harness, Messages};
use rig::message::Message;

fn main() -> ExitCode {
    Harness::new("evals").agent("support", support).agent_model("support").run()
}

/// Asks the agent, and returns all messages of the run.
async fn support(input: AgentInput) -> Result<Messages<Vec<Message>>, Box<dyn std::error::Error + Send + Sync>> {
    let model = input.model.and_then(|model| model.openai).ok_or("the model is not recorded")?;
    // A replay needs no key.
    let key = env::var("OPENAI_API_KEY").unwrap_or_else(|_| "none".to_owned());
    let agent = rig_example::build(&model, &key)?;
    let response = agent.prompt(input.query).max_turns(rig_example::MAX_TURNS).run().await?;
    Ok(Messages(response.messages().to_vec()))
}

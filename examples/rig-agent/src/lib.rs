//! The support agent of a shop, in rig. What it is told is in `prompts/support.md` and `tools.json`, below the current folder.

mod tools;

use std::{env, error, fs};

use rig::agent::{Agent, AgentBuilder};
use rig::providers::openai::OpenAIConfig;

/// How often the agent asks its model at most.
pub const MAX_TURNS: usize = 6;

/// Builds the agent, whose model is served at `base_url`.
pub fn build(base_url: &str, key: &str) -> Result<Agent, Box<dyn error::Error + Send + Sync>> {
    let name = env::var("SUPPORT_MODEL").unwrap_or_else(|_| "gpt-5-mini".to_owned());
    let model = OpenAIConfig::new(key).with_base_url(base_url).client().chat(&name);
    let prompt = fs::read_to_string("prompts/support.md")?;
    Ok(AgentBuilder::new(model).preamble(&prompt).dynamic_tools(tools::read()?).build())
}

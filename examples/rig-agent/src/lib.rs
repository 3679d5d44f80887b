//! A support agent in rig that looks up an order and answers with its status.

use std::convert::Infallible;

use rig::prelude::*;
use rig::providers::openai::OpenAIConfig;
use rig::tool::ToolContext;
use serde::Deserialize;
use serde_json::{Value, json};

/// The tool that the model can call.
struct LookUpOrder;

#[derive(Deserialize)]
struct Order {
    id: u32,
}

impl Tool for LookUpOrder {
    const NAME: &'static str = "look_up_order";
    type Args = Order;
    type Output = Value;
    type Error = Infallible;

    fn description(&self) -> String {
        "What is known of an order".to_owned()
    }

    fn parameters(&self) -> Value {
        json!({"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]})
    }

    async fn call(&self, _: &mut ToolContext, Order { id }: Order) -> Result<Value, Infallible> {
        Ok(json!({"id": id, "status": "shipped", "arrives": "Tuesday"}))
    }
}

/// Asks the agent, whose model is served at `base_url`, and returns all messages of the run.
pub async fn ask(base_url: &str, key: &str, question: &str) -> Result<Vec<Message>, PromptError> {
    let model = OpenAIConfig::new(key).with_base_url(base_url).client().chat("support-7");
    let agent = AgentBuilder::new(model)
        .preamble("You answer for a shop. Look orders up before you speak of them.")
        .tool(LookUpOrder)
        .build();
    let response = agent.prompt(question).max_turns(4).run().await?;
    Ok(response.messages().to_vec())
}

//! What the agent can do. `tools.json` says which tools are offered, and how they are described.

use std::sync::Arc;
use std::{error, fs};

use rig::message::ToolName;
use rig::tool::{DynamicTool, ToolOutput};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
struct Definition {
    name: String,
    description: String,
    parameters: Value,
}

/// Reads the tools and the orders.
pub fn read() -> Result<Vec<DynamicTool>, Box<dyn error::Error + Send + Sync>> {
    let orders: Arc<Vec<Value>> = Arc::new(serde_json::from_slice(&fs::read("data/orders.json")?)?);
    let definitions: Vec<Definition> = serde_json::from_slice(&fs::read("tools.json")?)?;
    let tools = definitions.into_iter().map(|Definition { name, description, parameters }| {
        let (orders, called) = (Arc::clone(&orders), name.clone());
        let call = move |arguments: Value| -> futures::future::BoxFuture<'static, _> {
            let result = call(&orders, &called, &arguments);
            Box::pin(async move { Ok(ToolOutput::text(result.to_string())) })
        };
        Ok(DynamicTool::new(ToolName::new(name)?, description, parameters, call))
    });
    tools.collect()
}

/// Calls a tool. A mistake is told to the model.
fn call(orders: &[Value], name: &str, arguments: &Value) -> Value {
    let mut found = orders.iter().filter(|order| order["id"] == arguments["id"]);
    match name {
        "get_order" => found.next().cloned().unwrap_or_else(|| json!({"error": "there is no such order"})),
        "find_orders" => {
            let own = orders.iter().filter(|order| order["email"] == arguments["email"]);
            own.map(|order| order["id"].clone()).collect()
        }
        "refund_order" => json!({"refunded": found.next().map(|order| &order["price"])}),
        _ => json!({"error": "there is no such tool"}),
    }
}

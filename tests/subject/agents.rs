//! The agents of the test target.

use std::fmt;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use arraign::json::{self, Json, json};
use arraign::trace::{Arguments, Call};
use arraign::{AgentInput, Harness, Messages, Trace};

/// Adds all of them.
pub(crate) fn add_agents(harness: Harness) -> Harness {
    harness
        .agent("looks", looks)
        .agent("modelled", modelled)
        .agent_model("modelled")
        .agent("orders", orders)
        .agent("prompted", looks)
        .agent_inputs("prompted", ["prompts/rust.md"])
        .agent("varies", varies)
        .agent("deletes", |_| async { Ok::<_, io::Error>(json!({"calls": ["rm"]})) })
        .agent("chats", chats)
        .agent("errs", |_| async { Err::<Trace, _>(Refused(io::Error::other("401 from the model"))) })
        .agent("panics", panics)
        .agent("unplugged", loses_a_pipe)
        .agent("hangs", hangs)
        .agent("blocks", blocks)
        .agent("babbles", |_| async { Ok::<_, io::Error>(json!({"a": 1})) })
        .agent("counts", counts)
        .agent("remembers", remembers)
}

/// Calls `look` with what it was asked, and answers.
async fn looks(input: AgentInput) -> Result<Trace, io::Error> {
    let mut trace = Trace::default();
    let arguments = json::to_json(&input)?;
    trace.push_call(Call::new("look", Arguments::Json(arguments), 1));
    trace.answer = Some(format!("run {} of {}", input.run, input.id));
    Ok(trace)
}

/// Answers with its variant, and calls the tool that the variant names.
async fn varies(input: AgentInput) -> Result<Trace, io::Error> {
    let mut trace = Trace::default();
    let tool = input.variant.values.get("TOOL").cloned().unwrap_or_else(|| "look".to_owned());
    trace.push_call(Call::new(tool, Arguments::Json(json!({})), 1));
    trace.answer = Some(format!("run {} of {}", input.run, input.variant.name));
    Ok(trace)
}

/// Asks its model over the port, on a thread that may block, and leaves the trace to the exchanges.
async fn modelled(input: AgentInput) -> Result<Trace, io::Error> {
    let base = input.model.and_then(|model| model.openai).ok_or_else(|| io::Error::other("no address"))?;
    crate::model_agent::converse_simply("chat", &base, &input.query).map_err(io::Error::other)?;
    Ok(Trace::default())
}

/// Calls `get_order` on its MCP server, and leaves the calls to the server.
async fn orders(input: AgentInput) -> Result<Trace, io::Error> {
    let url = input.mcp_url.ok_or_else(|| io::Error::other("no address"))?;
    let call = format!("get_order={{\"id\": {}}}", input.query);
    let results = crate::mcp_agent::call_tools(&url, &[&call]).await.map_err(io::Error::other)?;
    Ok(Trace { answer: results.last().cloned(), ..Trace::default() })
}

/// Answers with the messages of a framework.
async fn chats(input: AgentInput) -> Result<Messages<Vec<Json>>, io::Error> {
    let call =
        json!({"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{\"id\": 7}"}});
    Ok(Messages(vec![
        json!({"role": "user", "content": input.query}),
        json!({"role": "assistant", "content": null, "tool_calls": [call]}),
        json!({"role": "tool", "tool_call_id": "c1", "content": "shipped"}),
        json!({"role": "assistant", "content": "It has shipped."}),
    ]))
}

/// Answers with the messages of one turn, and fails if it did not get those of the turns before.
async fn remembers(input: AgentInput) -> Result<Messages<Vec<Json>>, io::Error> {
    let turns = input.conversation.len() + 1;
    let said: Vec<&Json> = input.conversation.iter().map(|turn| &turn[0]["content"]).collect();
    if input.turn != u32::try_from(turns).ok() || (turns == 2 && said != ["hello"]) {
        return Err(io::Error::other(format!("turn {:?} after {said:?}", input.turn)));
    }
    let answer = json!({"role": "assistant", "content": format!("answer {turns}")});
    Ok(Messages(vec![json!({"role": "user", "content": input.query}), answer]))
}

#[derive(Debug)]
struct Refused(io::Error);

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the model refused")
    }
}

impl std::error::Error for Refused {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.0)
    }
}

async fn panics(_: AgentInput) -> Result<Trace, io::Error> {
    panic!("no such tool")
}

/// Panics as code does that writes to a process which has ended.
async fn loses_a_pipe(_: AgentInput) -> Result<Trace, io::Error> {
    panic!("failed to write: Broken pipe (os error 32)")
}

async fn hangs(_: AgentInput) -> Result<Trace, io::Error> {
    std::future::pending().await
}

/// Keeps its thread, as code that is not async does.
async fn blocks(_: AgentInput) -> Result<Trace, io::Error> {
    std::thread::sleep(Duration::from_mins(1));
    Ok(Trace::default())
}

/// Answers with how many of its kind were at work when most were.
async fn counts(_: AgentInput) -> Result<Trace, io::Error> {
    static NOW: AtomicUsize = AtomicUsize::new(0);
    static MOST: AtomicUsize = AtomicUsize::new(0);
    MOST.fetch_max(NOW.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
    std::thread::sleep(Duration::from_millis(200));
    NOW.fetch_sub(1, Ordering::SeqCst);
    let most = MOST.load(Ordering::SeqCst);
    Ok(Trace { answer: Some(most.to_string()), ..Trace::default() })
}

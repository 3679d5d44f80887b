//! An agent with a model, as a process: it asks its model, calls a tool, and asks again. It speaks HTTP by itself.
//!
//! `subject --agent PROVIDER [streamed] [stubborn] [again] [impatient] [none]`, or `subject --agent turns`, which answers each
//! line of its input with a line. Its system prompt is the file `prompt`, and the result
//! of its tool the file `result`, if they exist.

use std::env;
use std::fs;
use std::io::{Read as _, Write as _, stdin};
use std::net::TcpStream;
use std::process::ExitCode;

use arraign::json::{self, Json, json};

/// The argument that makes this program an agent.
pub(crate) const AGENT: &str = "--agent";

/// What the agent was told on its command line.
struct AgentOptions {
    provider: String,
    words: Vec<String>,
}

impl AgentOptions {
    fn has(&self, word: &str) -> bool {
        self.words.iter().any(|own| own == word)
    }
}

/// Runs the agent that the arguments describe.
#[expect(clippy::print_stdout, reason = "an agent prints its trace")]
pub(crate) fn run_agent(arguments: &[String]) -> ExitCode {
    let options = AgentOptions { provider: arguments[0].clone(), words: arguments[1..].to_vec() };
    if options.provider == "turns" {
        return hold_turns();
    }
    let mut text = String::new();
    stdin().read_to_string(&mut text).expect("an input");
    let input: Json = json::from_str(&text).expect("JSON");
    let query = input["query"].as_str().unwrap_or_default();
    if options.has("none") {
        return ExitCode::SUCCESS;
    }
    let base = env::var(address_variable(&options.provider)).expect("an address");
    match converse(&options, &base, query) {
        Ok(()) => {
            println!("It has shipped.");
            ExitCode::SUCCESS
        }
        Err(_) if options.has("stubborn") => {
            println!("{}", json!({"calls": ["get_order"], "answer": "It has shipped."}));
            ExitCode::SUCCESS
        }
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::from(3)
        }
    }
}

/// Answers line by line, and keeps one conversation with the model.
#[expect(clippy::print_stdout, reason = "an agent prints its answers")]
fn hold_turns() -> ExitCode {
    let url = format!("{}/chat/completions", env::var("OPENAI_BASE_URL").expect("an address"));
    let mut messages = vec![json!({"role": "system", "content": read_or("prompt", "Be brief.")})];
    for line in stdin().lines() {
        let input: Json = json::from_str(&line.expect("a line")).expect("JSON");
        messages.push(json!({"role": "user", "content": input["query"]}));
        loop {
            let reply = match post(&url, &json!({"model": "m-1", "messages": messages}).to_string(), None) {
                Ok(reply) => reply,
                Err(problem) => {
                    eprintln!("{problem}");
                    return ExitCode::from(3);
                }
            };
            // Around the JSON may be the sizes of chunks.
            let start = reply.find('{').expect("JSON");
            let end = reply.rfind('}').expect("JSON");
            let reply: Json = json::from_str(&reply[start..=end]).expect("JSON");
            let said = reply["choices"][0]["message"].clone();
            messages.push(said.clone());
            let Some(call) = said["tool_calls"].get(0) else {
                println!("{}", said["content"].as_str().unwrap_or_default());
                break;
            };
            let result = read_or("result", "shipped");
            messages.push(json!({"role": "tool", "tool_call_id": call["id"], "content": result}));
        }
    }
    ExitCode::SUCCESS
}

fn address_variable(provider: &str) -> &'static str {
    match provider {
        "anthropic" => "ANTHROPIC_BASE_URL",
        "gemini" => "GOOGLE_GEMINI_BASE_URL",
        _ => "OPENAI_BASE_URL",
    }
}

/// Asks the model, and asks again with the result of the tool that it calls.
pub(crate) fn converse_simply(provider: &str, base: &str, query: &str) -> Result<(), String> {
    converse(&AgentOptions { provider: provider.to_owned(), words: Vec::new() }, base, query)
}

fn converse(options: &AgentOptions, base: &str, query: &str) -> Result<(), String> {
    let first = ask(options, base, query, None)?;
    let id = first.find("call_").map(|at| first[at..].split('"').next().unwrap_or_default().to_owned());
    let id = id.ok_or("the model called no tool")?;
    let second = ask(options, base, query, Some(&id))?;
    if options.has("again") {
        ask(options, base, query, Some(&id))?;
    }
    if second.contains("shipped") { Ok(()) } else { Err(format!("the model said {second}")) }
}

fn ask(options: &AgentOptions, base: &str, query: &str, call: Option<&str>) -> Result<String, String> {
    let streamed = options.has("streamed");
    let (path, body) = match options.provider.as_str() {
        "anthropic" => ("/v1/messages", anthropic(query, call, streamed)),
        "gemini" if streamed => {
            ("/v1beta/models/m:streamGenerateContent?alt=sse&key=AIzaSecretKey123", gemini(query, call))
        }
        "gemini" => ("/v1beta/models/m:generateContent?key=AIzaSecretKey123", gemini(query, call)),
        "responses" => ("/responses", responses(query, call, streamed)),
        _ => ("/chat/completions", chat(query, call, streamed)),
    };
    // Who is impatient hangs up once it has read what it wants.
    let enough = call.filter(|_| options.has("impatient")).map(|_| "shipped");
    post(&format!("{base}{path}"), &body.to_string(), enough)
}

fn read_or(file: &str, usual: &str) -> String {
    fs::read_to_string(file).map_or_else(|_| usual.to_owned(), |text| text.trim().to_owned())
}

fn chat(query: &str, call: Option<&str>, streamed: bool) -> Json {
    let mut messages = vec![
        json!({"role": "system", "content": read_or("prompt", "Be brief.")}),
        json!({"role": "user", "content": query}),
    ];
    if let Some(id) = call {
        let function = json!({"name": "get_order", "arguments": "{\"id\":7}"});
        let call = json!({"id": id, "type": "function", "function": function});
        messages.push(json!({"role": "assistant", "content": null, "tool_calls": [call]}));
        messages.push(json!({"role": "tool", "tool_call_id": id, "content": read_or("result", "shipped")}));
    }
    let tool = json!({"type": "function", "function": {"name": "get_order", "parameters": {}}});
    json!({"model": "m-1", "stream": streamed, "messages": messages, "tools": [tool], "user": query.len()})
}

fn responses(query: &str, call: Option<&str>, streamed: bool) -> Json {
    let mut items = vec![json!({"role": "user", "content": query})];
    if let Some(id) = call {
        items.push(
            json!({"type": "function_call", "call_id": id, "name": "get_order", "arguments": "{\"id\":7}"}),
        );
        items.push(
            json!({"type": "function_call_output", "call_id": id, "output": read_or("result", "shipped")}),
        );
    }
    json!({"model": "m-1", "stream": streamed, "instructions": read_or("prompt", "Be brief."), "input": items})
}

fn anthropic(query: &str, call: Option<&str>, streamed: bool) -> Json {
    let mut messages = vec![json!({"role": "user", "content": query})];
    if let Some(id) = call {
        let used = json!({"type": "tool_use", "id": id, "name": "get_order", "input": {"id": 7}});
        let result =
            json!({"type": "tool_result", "tool_use_id": id, "content": read_or("result", "shipped")});
        messages.push(json!({"role": "assistant", "content": [used]}));
        messages.push(json!({"role": "user", "content": [result]}));
    }
    let system = read_or("prompt", "Be brief.");
    json!({"model": "m-1", "max_tokens": 99, "stream": streamed, "system": system, "messages": messages})
}

fn gemini(query: &str, call: Option<&str>) -> Json {
    let mut contents = vec![json!({"role": "user", "parts": [{"text": query}]})];
    if let Some(id) = call {
        let called = json!({"functionCall": {"id": id, "name": "get_order", "args": {"id": 7}}});
        let result = json!({"status": read_or("result", "shipped")});
        let answered = json!({"functionResponse": {"id": id, "name": "get_order", "response": result}});
        contents.push(json!({"role": "model", "parts": [called]}));
        contents.push(json!({"role": "user", "parts": [answered]}));
    }
    json!({"contents": contents, "systemInstruction": {"parts": [{"text": read_or("prompt", "Be brief.")}]}})
}

/// Sends a request and returns the body of the response, with the sizes of its chunks, or its beginning up to `enough`.
/// Anything but 200 is an error.
fn post(url: &str, body: &str, enough: Option<&str>) -> Result<String, String> {
    let rest = url.strip_prefix("http://").ok_or("no address")?;
    let (host, path) = rest.split_once('/').ok_or("no path")?;
    let mut stream = TcpStream::connect(host).map_err(|error| error.to_string())?;
    let key = env::var("OPENAI_API_KEY").unwrap_or_default();
    write!(
        stream,
        "POST /{path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\nauthorization: Bearer {key}\r\n\
         openai-organization: org-secret\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
    .map_err(|error| error.to_string())?;
    let mut response = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let read = stream.read(&mut piece).map_err(|error| error.to_string())?;
        response.extend(&piece[..read]);
        let said = String::from_utf8_lossy(&response);
        if let Some(text) = enough.filter(|text| said.contains(text)) {
            return Ok((*text).to_owned());
        }
        if read == 0 {
            break;
        }
    }
    let response = String::from_utf8_lossy(&response).into_owned();
    let (head, body) = response.split_once("\r\n\r\n").ok_or("no response")?;
    // A chunked body that was cut has no last chunk.
    let is_cut = head.contains("chunked") && !body.ends_with("0\r\n\r\n");
    if is_cut {
        return Err("the stream broke off".to_owned());
    }
    if head.starts_with("HTTP/1.1 200") { Ok(body.to_owned()) } else { Err(response) }
}

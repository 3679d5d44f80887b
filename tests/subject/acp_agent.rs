//! An agent that speaks the Agent Client Protocol by a script: what the claims about such agents run.
//!
//! `subject --acp FILE` does what FILE says, a JSON object: `version`, `wants_login` and `http` are what it says of itself, and
//! `turns` has the steps of each prompt. A step is `{"update": ...}`, `{"ask": METHOD, "params": ...}`, `{"said": true}` (the answers
//! so far), `{"say": TEXT}`, `{"print": LINE}`, `{"write": [PATH, TEXT]}`, `{"list": true}` (the tools of its server),
//! `{"call": [TOOL, ARGUMENTS]}`, `{"model": TEXT}`, `{"hang": "obey" or "ignore"}`, `{"exit": CODE}`, `{"fail": MESSAGE}`, or `{"stop": REASON}`. In texts,
//! `$CWD` is the folder of the session, `$PID` the id of the process, and `$SHOP_API_KEY` a variable.

use std::fs;
use std::io::{BufRead as _, Read as _, StdinLock, Write as _, stdin, stdout};
use std::net::TcpStream;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

/// The argument that makes this program such an agent.
pub(crate) const AGENT: &str = "--acp";

struct Agent<'a> {
    script: Value,
    input: StdinLock<'a>,
    session: Value,
    cwd: String,
    asked: u64,
    turns: usize,
    /// The answers of others that were not said yet.
    answers: Vec<String>,
}

pub(crate) fn run_agent(arguments: &[String]) -> ExitCode {
    let script = fs::read_to_string(&arguments[0]).expect("a script");
    let script = serde_json::from_str(&script).expect("a script of JSON");
    let input = stdin().lock();
    let mut agent = Agent {
        script,
        input,
        session: Value::Null,
        cwd: String::new(),
        asked: 0,
        turns: 0,
        answers: Vec::new(),
    };
    eprintln!("the scripted agent began");
    while let Some(message) = agent.read() {
        if let Some(code) = agent.answer(&message) {
            return ExitCode::from(code);
        }
    }
    ExitCode::SUCCESS
}

impl Agent<'_> {
    fn read(&mut self) -> Option<Value> {
        let mut line = String::new();
        let count = self.input.read_line(&mut line).expect("a line");
        (count > 0).then(|| serde_json::from_str(&line).expect("a message"))
    }

    fn fill(&self, value: &Value) -> Value {
        let text = value.to_string().replace("$CWD", &self.cwd);
        let text = text.replace("$SHOP_API_KEY", &std::env::var("SHOP_API_KEY").unwrap_or_default());
        serde_json::from_str(&text.replace("$PID", &std::process::id().to_string())).expect("JSON")
    }

    fn update(&self, update: &Value) {
        let params = json!({"sessionId": "s1", "update": self.fill(update)});
        print_line(&json!({"jsonrpc": "2.0", "method": "session/update", "params": params}).to_string());
    }

    fn say(&self, text: &str) {
        let content = json!({"type": "text", "text": text});
        self.update(&json!({"sessionUpdate": "agent_message_chunk", "content": content}));
    }

    /// Answers a message of the client. Returns the code with which to exit.
    fn answer(&mut self, message: &Value) -> Option<u8> {
        match message["method"].as_str() {
            Some("initialize") => {
                assert_eq!(message["params"]["protocolVersion"], 1);
                let http = self.script["http"] != false;
                let methods = json!([{"id": "key", "name": "A key", "description": "set SHOP_KEY"}]);
                reply(
                    message,
                    &json!({
                        "protocolVersion": self.script.get("version").unwrap_or(&json!(1)),
                        "agentCapabilities": {"mcpCapabilities": {"http": http}},
                        "agentInfo": {"name": "scripted", "version": "1"},
                        "authMethods": methods,
                    }),
                );
            }
            Some("session/new") if self.script["wants_login"] == true => {
                let error = json!({"code": -32000, "message": "Authentication required"});
                print_line(&json!({"jsonrpc": "2.0", "id": message["id"], "error": error}).to_string());
            }
            Some("session/new") => {
                self.session = message["params"].clone();
                self.cwd = self.session["cwd"].as_str().expect("a folder").to_owned();
                let here = std::env::current_dir().expect("a folder");
                assert_eq!(
                    here.canonicalize().ok(),
                    fs::canonicalize(&self.cwd).ok(),
                    "it starts in its folder"
                );
                reply(message, &json!({"sessionId": "s1"}));
            }
            Some("session/prompt") => return self.prompt(message),
            _ => {}
        }
        None
    }

    fn prompt(&mut self, message: &Value) -> Option<u8> {
        let steps = self.script["turns"][self.turns].as_array().cloned().unwrap_or_default();
        self.turns += 1;
        let mut result = json!({"stopReason": "end_turn"});
        for step in &steps {
            if step.get("update").is_some() {
                self.update(&step["update"]);
            } else if let Some(method) = step["ask"].as_str() {
                let answer = self.ask(method, &step["params"]);
                self.answers.push(answer.to_string());
            } else if step["said"] == true {
                let answers = std::mem::take(&mut self.answers);
                self.say(&answers.join(" "));
            } else if let Some(text) = step["say"].as_str() {
                self.say(text);
            } else if let Some(line) = step["print"].as_str() {
                print_line(line);
            } else if let Some(list) = step["write"].as_array() {
                let [path, text] = [0, 1].map(|at| list[at].as_str().expect("a text"));
                fs::write(self.cwd.clone() + "/" + path, text).expect("a file");
            } else if step["list"] == true {
                let tools = self.ask_server("tools/list", &json!({}));
                self.answers.push(tools["result"]["tools"][0]["name"].to_string());
            } else if let Some(list) = step["call"].as_array() {
                let called = self.ask_server("tools/call", &json!({"name": list[0], "arguments": list[1]}));
                self.answers.push(called["result"]["content"][0]["text"].to_string());
            } else if let Some(text) = step["model"].as_str() {
                let asked = self.fill(&json!(text));
                let said = ask_model(&asked);
                self.say(&format!("{said} {}", if said == asked { "as asked" } else { "another path" }));
            } else if let Some(how) = step["hang"].as_str() {
                self.hang(how == "obey");
                result = json!({"stopReason": "cancelled"});
            } else if let Some(code) = step["exit"].as_u64() {
                return u8::try_from(code).ok();
            } else if let Some(problem) = step["fail"].as_str() {
                let error = json!({"code": -32603, "message": problem});
                print_line(&json!({"jsonrpc": "2.0", "id": message["id"], "error": error}).to_string());
                return None;
            } else if step.get("stop").is_some() {
                result = json!({"stopReason": step["stop"]});
            } else if step.get("usage").is_some() {
                result["usage"] = step["usage"].clone();
            }
        }
        reply(message, &result);
        None
    }

    /// Waits for `session/cancel`.
    fn hang(&mut self, obeys: bool) {
        loop {
            if !obeys {
                thread::sleep(Duration::from_mins(1));
                continue;
            }
            match self.read() {
                Some(message) if message["method"] == "session/cancel" => return,
                Some(_) => {}
                None => std::process::exit(0),
            }
        }
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.asked += 1;
        // Both sides number their requests from 1.
        let id = self.asked;
        let mut params = self.fill(params);
        params["sessionId"] = json!("s1");
        print_line(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string());
        loop {
            let answer = self.read().expect("an answer");
            if answer.get("method").is_none() {
                return answer.get("result").unwrap_or(&answer["error"]).clone();
            }
        }
    }

    fn ask_server(&self, method: &str, params: &Value) -> Value {
        let server = &self.session["mcpServers"][0];
        let url = server["url"].as_str().or(server["env"][0]["value"].as_str()).expect("an address");
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        post(
            url,
            &body,
            &[("mcp-protocol-version", "2025-06-18"), ("accept", "application/json, text/event-stream")],
        )
    }
}

/// Answers a message of the client.
fn reply(message: &Value, result: &Value) {
    print_line(&json!({"jsonrpc": "2.0", "id": message["id"], "result": result}).to_string());
}

fn print_line(text: &str) {
    let mut out = stdout().lock();
    writeln!(out, "{text}").and_then(|()| out.flush()).expect("it is printed");
}

fn ask_model(text: &Value) -> String {
    let url = std::env::var("OPENAI_BASE_URL").expect("an address") + "/chat/completions";
    let body = json!({"model": "m", "messages": [{"role": "user", "content": text}]});
    let reply = post(&url, &body, &[("authorization", "Bearer k")]);
    reply["choices"][0]["message"]["content"].as_str().unwrap_or_default().to_owned()
}

fn post(url: &str, body: &Value, headers: &[(&str, &str)]) -> Value {
    let (host, path) = url.strip_prefix("http://").expect("http").split_once('/').expect("a path");
    let body = body.to_string();
    let mut stream = TcpStream::connect(host).expect("a connection");
    let more: Vec<String> = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let head = format!(
        "POST /{path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: {}\r\n{}",
        body.len(),
        more.concat()
    );
    write!(stream, "{head}\r\n{body}").expect("it is sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    let (_, body) = answer.split_once("\r\n\r\n").expect("a body");
    // A body in chunks has their sizes on lines of their own.
    let text = body.lines().filter(|line| !line.is_empty() && !line.chars().all(|c| c.is_ascii_hexdigit()));
    serde_json::from_str(&text.collect::<String>()).unwrap_or(Value::Null)
}

//! An OpenAI-compatible server on this machine with a fixed script: it first calls the tool, then answers.

use std::io::{BufRead as _, BufReader, Read as _, Result, Write as _};
use std::net::{TcpListener, TcpStream};
use std::thread::spawn;

use serde_json::{Value, json};

/// Starts a server that ends with this process. Returns its base URL.
pub fn start() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("its address");
    spawn(move || listener.incoming().flatten().for_each(|stream| drop(spawn(|| serve(stream)))));
    format!("http://{address}/v1")
}

fn serve(mut stream: TcpStream) -> Result<()> {
    let request = read(&stream)?;
    let message = reply(&request);
    let usage = json!({"prompt_tokens": 40, "completion_tokens": 12, "total_tokens": 52});
    let choice = json!({"index": 0, "finish_reason": "stop", "message": message});
    let body = json!({
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "support-7",
        "choices": [choice], "usage": usage,
    });
    let body = body.to_string();
    let head = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: application/json";
    write!(stream, "{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len())
}

/// Returns the answer if the last message is a tool result, otherwise the call.
fn reply(request: &Value) -> Value {
    let last = request["messages"].as_array().and_then(|messages| messages.last());
    if last.is_some_and(|message| message["role"] == "tool") {
        return json!({"role": "assistant", "content": "Order 7 has shipped. It arrives on Tuesday."});
    }
    let function = json!({"name": "look_up_order", "arguments": "{\"id\": 7}"});
    let call = json!({"id": "call_1", "type": "function", "function": function});
    json!({"role": "assistant", "content": null, "tool_calls": [call]})
}

fn read(stream: &TcpStream) -> Result<Value> {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let line = line.trim_end().to_ascii_lowercase();
        if let Some(bytes) = line.strip_prefix("content-length:") {
            length = bytes.trim().parse().unwrap_or(0);
        }
        if line.is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(serde_json::from_slice(&body)?)
}

//! A server on this machine that answers as a test tells it, well or badly.
//!
//! Written for what servers of the registry do not do: a body that is cut, one that drips, silence.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread::{sleep, spawn};
use std::time::Duration;

use arraign::json::{self, Json};

/// A request as it came.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    /// `POST /v1/chat HTTP/1.1`
    pub(crate) line: String,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Asked {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> Json {
        json::from_str(&self.body).expect("the request's body is JSON")
    }
}

/// An answer, or what is not one.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: Vec<u8>,
    /// How many bytes of the body are sent before the connection ends.
    sent: usize,
    /// Between one byte and the next.
    pause: Duration,
    /// The body never ends.
    endless: bool,
    silent: bool,
    /// The connection stays open, until something is sent on it.
    kept_open: bool,
}

impl Reply {
    pub(crate) fn of(status: u16, body: impl Into<Vec<u8>>) -> Self {
        let headers = Vec::new();
        let body = body.into();
        Self {
            status,
            headers,
            sent: body.len(),
            body,
            pause: Duration::ZERO,
            endless: false,
            silent: false,
            kept_open: false,
        }
    }

    pub(crate) fn json(value: &Json) -> Self {
        Self::of(200, value.to_string()).header("content-type", "application/json")
    }

    pub(crate) fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// The connection ends after `bytes` bytes of the body.
    pub(crate) fn cut(self, bytes: usize) -> Self {
        Self { sent: bytes, ..self }
    }

    /// One byte at a time.
    pub(crate) fn dripping(self, pause: Duration) -> Self {
        Self { pause, ..self }
    }

    /// After the body nothing comes, and the connection stays open.
    pub(crate) fn then_silence(self) -> Self {
        Self { endless: true, ..self }
    }

    /// The connection seems to stay open, and ends without a word when the next request comes.
    pub(crate) fn kept_open(self) -> Self {
        Self { kept_open: true, ..self }
    }

    /// Nothing ever comes.
    pub(crate) fn silence() -> Self {
        Self { silent: true, ..Self::of(200, "") }
    }

    fn send(&self, stream: &mut TcpStream) -> std::io::Result<()> {
        if self.silent {
            sleep(Duration::from_mins(1));
            return Ok(());
        }
        let connection = if self.kept_open { "keep-alive" } else { "close" };
        write!(stream, "HTTP/1.1 {} AnswerScope\r\nconnection: {connection}\r\n", self.status)?;
        for (name, value) in &self.headers {
            write!(stream, "{name}: {value}\r\n")?;
        }
        let length = if self.endless { usize::MAX } else { self.body.len() };
        write!(stream, "content-length: {length}\r\n\r\n")?;
        let body = &self.body[..self.sent];
        if self.endless {
            stream.write_all(body)?;
            sleep(Duration::from_mins(1));
            return Ok(());
        }
        if self.kept_open {
            stream.write_all(body)?;
            return stream.read(&mut [0]).map(drop);
        }
        if self.pause.is_zero() {
            return stream.write_all(body);
        }
        for byte in body {
            stream.write_all(&[*byte])?;
            sleep(self.pause);
        }
        Ok(())
    }
}

/// Answers until the test's process ends.
pub(crate) struct Server {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Server {
    /// A server that answers each request with what `reply` says to it and its number, from 1.
    pub(crate) fn new(reply: impl Fn(&Asked, usize) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("its address");
        let asked = Arc::new(Mutex::new(Vec::new()));
        let reply = Arc::new(reply);
        let log = Arc::clone(&asked);
        spawn(move || {
            for stream in listener.incoming().flatten() {
                let reply = Arc::clone(&reply);
                let log = Arc::clone(&log);
                spawn(move || serve(stream, reply.as_ref(), &log));
            }
        });
        Self { address, asked }
    }

    /// A server that says the same each time.
    pub(crate) fn saying(reply: Reply) -> Self {
        Self::new(move |_, _| reply.clone())
    }

    /// A server that says these one after the other, and then the last for ever.
    pub(crate) fn saying_in_turn(replies: Vec<Reply>) -> Self {
        Self::new(move |_, number| replies[number.min(replies.len()) - 1].clone())
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// What came so far.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().expect("nobody panicked").clone()
    }
}

/// A URL at which nobody listens: a port that was free may be another test's by now, the first is nobody's.
pub(crate) const NOBODY: &str = "http://127.0.0.1:1/";

fn serve(mut stream: TcpStream, reply: &dyn Fn(&Asked, usize) -> Reply, log: &Mutex<Vec<Asked>>) {
    let Some(asked) = read(&stream) else { return };
    let number = {
        let mut log = log.lock().expect("nobody panicked");
        log.push(asked.clone());
        log.len()
    };
    // Who asked may be gone.
    let _ = reply(&asked, number).send(&mut stream);
}

fn read(stream: &TcpStream) -> Option<Asked> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|bytes| *bytes > 0)?;
    let mut headers: Vec<(String, String)> = Vec::new();
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok()?;
        let Some((name, value)) = header.trim_end().split_once(':') else { break };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let mut body = vec![0; length.map_or(0, |(_, length)| length.parse().unwrap_or(0))];
    reader.read_exact(&mut body).ok()?;
    let body = String::from_utf8(body).ok()?;
    Some(Asked { line: line.trim_end().to_owned(), headers, body })
}

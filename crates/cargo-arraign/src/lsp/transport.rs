//! Messages on standard input and output. What a client says about the length of a message is believed up to a limit.

use std::io::{self, BufRead, ErrorKind, Read as _};
use std::sync::mpsc::{Receiver, channel};
use std::thread::{self, JoinHandle};

use lsp_server::{Connection, Message};

/// The largest message that is read, in bytes: a file of cases of the largest size, escaped.
const MAX_MESSAGE_BYTES: u64 = 256 << 20;

/// The largest headers of a message, in bytes. Usual ones have fewer than 100.
const MAX_HEADER_BYTES: u64 = 8 << 10;

/// The threads that read and write.
pub(super) struct Transport {
    reader: JoinHandle<()>,
    writer: JoinHandle<io::Result<()>>,
    /// The message that could not be read, which ends the session.
    unreadable: Receiver<io::Error>,
}

impl Transport {
    /// Connects a server with standard input and output.
    pub(super) fn start() -> (Connection, Self) {
        let (connection, client) = Connection::memory();
        let Connection { sender, receiver } = client;
        let (failed, unreadable) = channel();
        let reader = thread::spawn(move || {
            let read = read_messages(&mut io::stdin().lock(), |message| sender.send(message).is_ok());
            // The server hears that there are no more messages only afterwards, when the sender is dropped.
            if let Err(error) = read {
                let _ = failed.send(error);
            }
        });
        let writer = thread::spawn(move || {
            let mut output = io::stdout().lock();
            receiver.into_iter().try_for_each(|message| message.write(&mut output))
        });
        (connection, Self { reader, writer, unreadable })
    }

    /// Checks that all messages so far could be read.
    pub(super) fn check_read(&self) -> io::Result<()> {
        self.unreadable.try_recv().map_or(Ok(()), Err)
    }

    /// Waits until all messages are read and written.
    pub(super) fn join(self) -> io::Result<()> {
        let Self { reader, writer, unreadable } = self;
        let died = || io::Error::other("a thread of the server has died");
        reader.join().map_err(|_| died())?;
        unreadable.try_recv().map_or(Ok(()), Err)?;
        writer.join().map_err(|_| died())?
    }
}

/// Reads messages until `take` takes no more, or the client says that it exits.
fn read_messages(input: &mut impl BufRead, take: impl Fn(Message) -> bool) -> io::Result<()> {
    while let Some(message) = read_message(input)? {
        let is_last = matches!(&message, Message::Notification(one) if one.method == "exit");
        if !take(message) || is_last {
            break;
        }
    }
    Ok(())
}

/// Reads a message; `None` at the end of the input. A message that says it is larger than [`MAX_MESSAGE_BYTES`] is an error
/// before any memory is taken for it.
fn read_message(input: &mut impl BufRead) -> io::Result<Option<Message>> {
    let headers = read_headers(input)?;
    if let Some(length) = find_length(&headers).filter(|length| *length > MAX_MESSAGE_BYTES) {
        let problem = format!("a message of {length} bytes is above the limit of {MAX_MESSAGE_BYTES}");
        return Err(io::Error::new(ErrorKind::InvalidData, problem));
    }
    Message::read(&mut headers.as_slice().chain(input))
}

/// Reads the headers of a message with the empty line behind them.
fn read_headers(input: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut input = input.take(MAX_HEADER_BYTES);
    let mut headers = Vec::new();
    loop {
        let start = headers.len();
        input.read_until(b'\n', &mut headers)?;
        match &headers[start..] {
            b"\r\n" | b"\n" | b"" => break,
            _ => {}
        }
    }
    if input.limit() == 0 {
        return Err(io::Error::new(ErrorKind::InvalidData, "the headers of a message do not end"));
    }
    Ok(headers)
}

/// Returns the largest length that the headers say the message has. A number that 64 bits do not hold is the largest one.
fn find_length(headers: &[u8]) -> Option<u64> {
    let headers = String::from_utf8_lossy(headers);
    let values = headers.lines().filter_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.trim().eq_ignore_ascii_case("content-length").then(|| value.trim())
    });
    let digits = values.filter(|value| value.bytes().all(|byte| byte.is_ascii_digit()));
    digits.map(|digits| digits.parse().unwrap_or(u64::MAX)).max()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Option<Message>, String> {
        read_message(&mut text.as_bytes()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_message_is_read_behind_its_headers() {
        let text = "{\"jsonrpc\":\"2.0\",\"method\":\"exit\"}";
        let framed = format!("Content-Type: x\r\nContent-Length: {}\r\n\r\n{text}", text.len());
        assert!(matches!(read(&framed), Ok(Some(Message::Notification(one))) if one.method == "exit"));
        assert!(matches!(read(""), Ok(None)));
    }

    #[test]
    fn a_length_beyond_reason_takes_no_memory() {
        for length in ["99999999999999", "99999999999999999999999999", "268435457"] {
            let error = read(&format!("content-length: {length}\r\n\r\n{{}}")).expect_err(length);
            assert!(error.ends_with("is above the limit of 268435456"), "{error}");
        }
        let error = read(&"x: y\r\n".repeat(2000)).expect_err("endless headers");
        assert_eq!(error, "the headers of a message do not end");
        // A length within the limit that is not there ends with the input.
        read("Content-Length: 1000\r\n\r\n{}").expect_err("too short");
    }
}

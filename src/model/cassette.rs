//! The recorded exchanges of one run of an agent: a file of JSON Lines.

use std::sync::Arc;

use super::exchange::RecordedExchange;

use crate::json;

/// The exchanges of a file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cassette {
    /// The name of the file, for messages.
    pub name: String,
    /// The exchanges, in the order of their requests.
    pub exchanges: Vec<Arc<RecordedExchange>>,
}

impl Cassette {
    /// Parses the lines of the file `name`. The error is a sentence with the line.
    pub fn parse(name: &str, text: &str) -> Result<Self, String> {
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let exchanges = lines.map(|(at, line)| {
            json::from_str(line)
                .map(Arc::new)
                .map_err(|error| format!("{name}:{}: this is no exchange with a model: {error}", at + 1))
        });
        Ok(Self { name: name.to_owned(), exchanges: exchanges.collect::<Result<_, _>>()? })
    }
}

/// Renders exchanges as the text of a cassette.
pub fn render_exchanges(exchanges: &[Arc<RecordedExchange>]) -> String {
    let lines = exchanges.iter().filter_map(|exchange| json::to_string(exchange.as_ref()).ok());
    lines.map(|line| line + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = r#"{"request":{"to":"openai","method":"POST","path":"/v1/chat/completions","body":{"model":"m","messages":[]}},"response":{"status":200,"type":"text/event-stream","chunks":["data: {}\n\n","data: [DONE]\n\n"]}}"#;

    #[test]
    fn a_cassette_is_written_as_it_was_read() {
        let text = format!("{LINE}\n{LINE}\n");
        let cassette = Cassette::parse("a.model.jsonl", &text).expect("a cassette");
        assert_eq!(render_exchanges(&cassette.exchanges), text);
    }

    #[test]
    fn a_torn_line_is_named() {
        let error = Cassette::parse("a.model.jsonl", &format!("{LINE}\n{{\"req")).expect_err("it is torn");
        assert!(error.starts_with("a.model.jsonl:2: this is no exchange with a model: "), "{error}");
    }
}

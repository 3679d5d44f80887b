//! Server-sent events: a response as it came over the wire.
//!
//! Lines `data: {...}` are its records; the names of events are said again in them. `data: [DONE]` ends it.

/// The most lines before the first line with data.
const PREAMBLE: usize = 16;

/// Whether `text` is a stream of server-sent events that contain JSON.
pub(crate) fn is_stream(text: &str) -> bool {
    if text.starts_with(['{', '[']) {
        return false;
    }
    // The data must look like JSON, and every line before it like a field of an event. A YAML file may have a key
    // `data:` as well, but not after nothing but such fields.
    let head = text.lines().filter(|line| !line.is_empty()).take(PREAMBLE);
    let has_json = head.clone().find_map(data).is_some_and(|data| data.starts_with(['{', '[']));
    has_json && head.take_while(|line| data(line).is_none()).all(is_field)
}

/// Returns the data of each event, with its line from 1.
pub(crate) fn events(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().enumerate().filter_map(|(index, line)| Some((index + 1, data(line)?)));
    lines.filter(|(_, data)| !data.is_empty() && *data != "[DONE]")
}

fn data(line: &str) -> Option<&str> {
    line.strip_prefix("data:").map(str::trim)
}

fn is_field(line: &str) -> bool {
    ["event:", "id:", "retry:", ":"].iter().any(|field| line.starts_with(field))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_told_from_yaml() {
        assert!(is_stream("data: {}\n") && is_stream(": ping\r\n\r\nevent: x\r\nid: 1\r\ndata:[]\r\n"));
        for text in ["", "steps:\ndata: {}", "data: x", "{}", "id: 7\nsteps: []"] {
            assert!(!is_stream(text), "{text}");
        }
    }

    #[test]
    fn data_has_its_line_and_the_end_is_none() {
        let stream = "event: a\ndata: {\"a\": 1}\n\n: ping\ndata:{}\n\ndata: [DONE]\n";
        assert_eq!(events(stream).collect::<Vec<_>>(), [(2, "{\"a\": 1}"), (5, "{}")]);
    }
}

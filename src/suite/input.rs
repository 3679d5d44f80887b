//! What the agent is asked: the keys `input` and `turns` of a case.

use crate::case::TurnQuery;
use crate::place::LoadError;
use crate::yaml::{Node, Value, nearest};

/// Parses `input`: a text, or a mapping, of which `query` is the text.
pub(super) fn parse_input(node: Node<'_>) -> Result<serde_json::Value, LoadError> {
    match node.value() {
        Value::String(_) => Ok(node.to_json()),
        Value::Map(_) => check_query(node).map(|()| node.to_json()),
        _ => {
            Err(node.error(format!("`input` is a text, or a mapping with `query`, not {}", node.describe())))
        }
    }
}

/// Refuses a `query` that is not a text. A mapping without `query` has no text, unless the key is misspelt.
fn check_query(input: Node<'_>) -> Result<(), LoadError> {
    if let Some(query) = input.get("query") {
        return query.decode::<String>().map(drop);
    }
    let mut keys = input.entries().into_iter().flatten().map(|(key, _)| key.name.as_str());
    let Some(misspelt) = keys.find(|name| nearest(name, ["query"]).is_some()) else { return Ok(()) };
    let error = LoadError::new(input.key_place(misspelt), format!("unknown key `{misspelt}`"));
    Err(error.help("did you mean `query`?"))
}

/// Returns the texts of the user in `turns`. A turn without a text has none.
pub(super) fn parse_turn_queries(case: Node<'_>) -> Vec<TurnQuery> {
    let turns = case.get("turns").and_then(Node::list).into_iter().flatten().enumerate();
    let queries = turns.filter_map(|(index, turn)| {
        let query = ["query", "input", "prompt"].into_iter().find_map(|key| turn.get(key))?;
        Some(TurnQuery { turn: index + 1, text: query.as_str()?.to_owned(), place: query.place() })
    });
    queries.collect()
}

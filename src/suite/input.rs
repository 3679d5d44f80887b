//! What the agent is asked: the keys `input`, `turns` and `stop_when` of a case.

use regex::Regex;
use serde::Deserialize;

use crate::JsonSchema;
use crate::case::{StopWhen, TurnQuery};
use crate::json::Json;
use crate::place::{LoadError, LoadErrors};
use crate::yaml::{Build, ListOr, MappingOr, Node, OrderedMap, Placed, nearest};

/// The names of a turn's text.
const QUERY_KEYS: [&str; 4] = ["query", "user", "input", "prompt"];

/// What the agent is asked: a text, a mapping with the text under `query`, or a text for each turn.
#[derive(Deserialize, JsonSchema)]
#[schemars(inline)]
pub(super) struct WrittenInput(MappingOr<InputOfAgent, ListOr<String, String>>);

/// The input of an agent that takes more than a text.
#[derive(Deserialize, JsonSchema)]
#[schemars(inline, extend("properties" = {"query": {"type": "string", "description": "The text."}}))]
struct InputOfAgent(OrderedMap<Placed<String>, Placed<Json>>);

impl Build for WrittenInput {
    type Built = Json;

    /// Refuses a `query` that is not a text. A mapping without `query` has no text, unless the key is misspelt.
    fn build(written: Placed<Self>) -> Result<Json, LoadErrors> {
        let place = written.place().clone();
        let entries = match written.into_value().0 {
            MappingOr::Mapping(input) => input.0.0,
            MappingOr::Short(ListOr::Other(text)) => return Ok(text.into()),
            MappingOr::Short(ListOr::List(texts)) if texts.is_empty() => {
                let problem =
                    "`input` is a text, a list of texts, or a mapping with `query`, not an empty list";
                return Err(LoadError::new(place, problem).into());
            }
            MappingOr::Short(ListOr::List(texts)) => return Ok(texts.into_iter().map(Json::from).collect()),
        };
        match entries.iter().find(|(key, _)| **key == "query") {
            Some((_, query)) if !query.is_string() => {
                return Err(query.error(format!("expected a text, found {}", query.describe())).into());
            }
            Some(_) => {}
            // Any mapping may be the input of an agent, so only a near miss of `query` is a mistake.
            None => {
                if let Some((key, _)) = entries.iter().find(|(key, _)| nearest(key, ["query"]).is_some()) {
                    let error = key.error(format!("unknown key `{}`", **key));
                    return Err(error.help("did you mean `query`?").into());
                }
            }
        }
        Ok(entries.into_iter().map(|(key, value)| (key.into_value(), value.into_value())).collect())
    }
}

/// Returns the texts of the user in `turns`, or in a list under `input`. A turn without a text has none.
pub(super) fn parse_turn_queries(case: Node<'_>) -> Vec<TurnQuery> {
    let turns = case.get("turns").filter(|node| node.list().is_some()).or_else(|| find_listed_input(case));
    let queries = turns.and_then(Node::list).into_iter().flatten().enumerate().filter_map(|(index, turn)| {
        let query = QUERY_KEYS.into_iter().find_map(|key| turn.get(key)).unwrap_or(turn);
        Some(TurnQuery { turn: index + 1, text: query.as_str()?.to_owned(), place: query.place() })
    });
    queries.collect()
}

/// Returns the list of texts under `input`, if it is one.
fn find_listed_input(case: Node<'_>) -> Option<Node<'_>> {
    ["input", "prompt"].into_iter().find_map(|key| case.get(key).filter(|node| node.list().is_some()))
}

/// Refuses turns that an agent cannot be asked: a list under `input` beside `turns`, and a turn without a text before one
/// that has it.
pub(super) fn check_turns(case: Node<'_>, turns: &[TurnQuery], asks_agent: bool) -> Result<(), LoadError> {
    if let (Some(listed), Some(_)) = (find_listed_input(case), case.get("turns")) {
        let error = listed.error("the turns of a case are listed under `input` or under `turns`, not both");
        return Err(error.help("keep `turns`, which can have expectations"));
    }
    // Turns without a text at the end need no agent. One in the middle would shift all texts behind it.
    let gap = turns.iter().zip(1..).find(|(turn, number)| turn.turn != *number);
    match gap.filter(|_| asks_agent) {
        Some((_, number)) => {
            let problem =
                format!("turn {number} has no `query`: the agent cannot be asked the turns after it");
            Err(case.get("turns").unwrap_or(case).error(problem))
        }
        None => Ok(()),
    }
}

/// Which answer ends the conversation before its last turn.
#[derive(Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenStop {
    /// A text that the answer contains.
    contains: Option<String>,
    /// A pattern that the answer matches.
    regex: Option<Placed<String>>,
}

impl Build for WrittenStop {
    type Built = StopWhen;

    fn build(written: Placed<Self>) -> Result<StopWhen, LoadErrors> {
        match (&written.contains, &written.regex) {
            (Some(text), None) => Ok(StopWhen::Contains(text.clone())),
            (None, Some(pattern)) => Ok(StopWhen::Matches(pattern.try_map(|pattern| {
                Regex::new(pattern).map_err(|error| format!("invalid pattern: {error}"))
            })?)),
            // Both or neither: one of the two decides.
            _ => Err(written.error("`stop_when` is `{contains: text}` or `{regex: pattern}`").into()),
        }
    }
}

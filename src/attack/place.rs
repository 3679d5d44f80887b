//! The places of attacks: the texts in the results of mock tools that a run has read.

use std::sync::Arc;

use crate::case::MockTools;
use crate::check::{ScriptRun, ScriptedAnswer};
use crate::evidence::list_text_places;
use crate::suite::escape_file_name;
use crate::trace::{Arguments, Call, Trace};

/// A text in the results of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttackPlace {
    /// The tool.
    pub tool: String,
    /// The JSON pointer to the text in its results.
    pub at: String,
}

impl AttackPlace {
    /// Returns the name of the place: `get_order.items.0.note`. It can be a part of the name of a file.
    pub fn name(&self) -> String {
        // A dot in a member is escaped, so that two places have two names.
        let tokens = self.at.split('/').skip(1).map(|token| escape_file_name(&token.replace('.', "%2E")));
        let parts: Vec<String> = std::iter::once(self.tool.clone()).chain(tokens).collect();
        parts.join(".")
    }
}

/// Lists the texts in the results that the runs of a case have read, each once, in the order in which they were read.
pub fn list_places(mocks: &MockTools, runs: &[Trace]) -> Vec<AttackPlace> {
    let mut places: Vec<AttackPlace> = Vec::new();
    for run in runs {
        for (tool, pointers) in list_read(mocks, run) {
            for at in pointers {
                let place = AttackPlace { tool: tool.clone(), at };
                if !places.contains(&place) {
                    places.push(place);
                }
            }
        }
    }
    places
}

/// Lists the texts of each result in a run. The script is asked again, because a trace may show a result in another form than
/// the one in which it was served.
fn list_read(mocks: &MockTools, run: &Trace) -> Vec<(String, Vec<String>)> {
    let mut script = ScriptRun::new(Arc::clone(&mocks.script), None);
    let mut calls: Vec<&Call> = run.calls.iter().collect();
    // The state changes in the order in which the calls were answered.
    calls.sort_by_key(|call| call.served);
    let mut read = Vec::new();
    let mut is_known = true;
    for call in calls {
        let scripted = mocks.script.find_called(call).map(|tool| tool.name.as_str());
        let name = scripted.unwrap_or(&call.name);
        let is_asked = is_known && call.arguments != Arguments::Unrecorded;
        let served = is_asked.then(|| script.take_answer(name, &call.arguments));
        // Behind the answer of a program, which is in the trace alone, nothing is known of the state.
        is_known &= !matches!(served, Some(ScriptedAnswer::Asks(_)));
        let places = match (served, &call.result) {
            (Some(ScriptedAnswer::Given(answer)), _) => list_text_places(&answer.content.to_result()),
            // Only the results of the recorded server pass through arraign. Other tools are the agent's own.
            (_, Some(result)) if scripted.is_some() || is_of_server(mocks, call) => list_text_places(result),
            _ => continue,
        };
        read.push((name.to_owned(), places));
    }
    read
}

fn is_of_server(mocks: &MockTools, call: &Call) -> bool {
    mocks.server.is_some() && call.server.name() == Some(mocks.name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_places_have_two_names() {
        let name = |at: &str| AttackPlace { tool: "get".to_owned(), at: at.to_owned() }.name();
        assert_eq!(name(""), "get");
        assert_eq!(name("/items/0/note"), "get.items.0.note");
        assert_ne!(name("/a.b"), name("/a/b"));
        assert!(!name("/a~1..~1b/..").contains('/'), "{}", name("/a~1..~1b/.."));
    }
}

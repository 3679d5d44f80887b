//! The script of a run: which call gets which answer.

use std::sync::Arc;

use crate::case::{MockAnswer, MockTool, MockTools};
use crate::json::Json;
use crate::trace::Arguments;

/// The scripted answers of one run.
#[derive(Debug)]
pub(super) struct MockScript {
    mocks: Arc<MockTools>,
    /// How often each answer of each tool was given.
    given: Vec<Vec<u32>>,
}

/// The script's answer to a call.
#[derive(Debug)]
pub(super) enum ScriptedAnswer<'s> {
    /// This answer.
    Given(&'s MockAnswer),
    /// The tool is not one of the script's.
    UnknownTool,
    /// No answer of the tool applies. The text is a sentence.
    Refused(String),
}

impl MockScript {
    pub(super) fn new(mocks: Arc<MockTools>) -> Self {
        let given = mocks.tools.iter().map(|tool| vec![0; tool.answers.len()]).collect();
        Self { mocks, given }
    }

    /// Takes the first answer that applies to the arguments and was not given as often as it may be.
    pub(super) fn take_answer(&mut self, name: &str, arguments: &Json) -> ScriptedAnswer<'_> {
        let Some(at) = self.mocks.tools.iter().position(|tool| tool.name == name) else {
            return self.answer_other(name);
        };
        let tool = &self.mocks.tools[at];
        let given = &mut self.given[at];
        let arguments = Arguments::Json(arguments.clone());
        for (answer, given) in tool.answers.iter().zip(given) {
            // An answer that is used up makes room for the ones behind it.
            if answer.times.is_some_and(|times| *given >= times) {
                continue;
            }
            match applies(answer, &arguments) {
                Ok(false) => {}
                Ok(true) => {
                    *given += 1;
                    return ScriptedAnswer::Given(answer);
                }
                Err(problem) => return ScriptedAnswer::Refused(format!("`when` of `{name}`: {problem}")),
            }
        }
        match &self.mocks.otherwise {
            Some(answer) => ScriptedAnswer::Given(answer),
            None => ScriptedAnswer::Refused(format!("no answer of `{name}` applies to {arguments}")),
        }
    }

    fn answer_other(&self, name: &str) -> ScriptedAnswer<'_> {
        let decoy = self.mocks.decoys.iter().find(|tool| tool.name == name);
        let decoy = decoy.and_then(|tool| tool.answers.first());
        match decoy.or(self.mocks.otherwise.as_ref()) {
            Some(answer) => ScriptedAnswer::Given(answer),
            None => ScriptedAnswer::UnknownTool,
        }
    }
}

/// Returns the tools that the script offers. A decoy may have a script, too.
pub(super) fn list_tools(mocks: &MockTools) -> impl Iterator<Item = &MockTool> {
    let decoys = mocks.decoys.iter();
    let decoys = decoys.filter(|decoy| mocks.tools.iter().all(|tool| tool.name != decoy.name));
    mocks.tools.iter().chain(decoys)
}

fn applies(answer: &MockAnswer, arguments: &Arguments) -> Result<bool, String> {
    let Some(when) = &answer.when else { return Ok(true) };
    when.count_differences(arguments).map(|count| count == 0).map_err(|unfit| format!("{:?}", unfit.reason))
}

#[cfg(test)]
mod tests {
    use crate::json::json;

    use super::*;
    use crate::check::{Registry, Tables};
    use crate::source::Files;
    use crate::suite::{Library, Suite};

    fn script(mocks: &str) -> MockScript {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let kinds = Registry::default();
        let files = Files::new(folder, folder);
        let library = Library { kinds: &kinds, files: &files, tables: &Tables::default() };
        let text = format!("input: x\nagent: a\nmetric: contains\nvalue: x\nmocks: {mocks}\n");
        let suite = Suite::parse(&folder.join("case.yaml"), &text, library);
        let suite = suite.unwrap_or_else(|errors| panic!("{errors}"));
        MockScript::new(suite.cases[0].mocks.clone().expect("mocks"))
    }

    fn ask(script: &mut MockScript, tool: &str, arguments: &Json) -> String {
        match script.take_answer(tool, arguments) {
            ScriptedAnswer::Given(answer) => answer.content.to_result().to_string(),
            ScriptedAnswer::UnknownTool => "unknown".to_owned(),
            ScriptedAnswer::Refused(problem) => problem,
        }
    }

    #[test]
    fn the_first_answer_that_applies_is_given_again_and_again() {
        let mut script = script("{tools: {get: [{when: {id: {at_most: 7}}, return: a}, {return: b}]}}");
        let answers = [7, 8, 7].map(|id| ask(&mut script, "get", &json!({"id": id, "other": 1})));
        assert_eq!(answers, ["\"a\"", "\"b\"", "\"a\""]);
    }

    #[test]
    fn an_answer_with_times_makes_room_for_the_next() {
        let mut script = script("{tools: {get: [{return: a, times: 2}, {return: b, times: 1}]}}");
        let answers = [(); 4].map(|()| ask(&mut script, "get", &json!({})));
        assert_eq!(answers[..3], ["\"a\"", "\"a\"", "\"b\""]);
        assert_eq!(answers[3], "no answer of `get` applies to {}");
    }

    #[test]
    fn other_calls_are_unknown_unless_there_is_an_answer_to_them() {
        let mut strict = script("{tools: {get: {when: {id: 1}, return: a}}, decoys: [rm]}");
        assert_eq!(ask(&mut strict, "rm", &json!({})), "\"ok\"");
        assert_eq!(ask(&mut strict, "other", &json!({})), "unknown");
        assert_eq!(ask(&mut strict, "get", &json!({"id": 2})), "no answer of `get` applies to {\"id\":2}");
        let mut open = script("{tools: {get: {when: {id: 1}, return: a}}, otherwise: {return: no}}");
        assert_eq!(ask(&mut open, "other", &json!({})), "\"no\"");
        assert_eq!(ask(&mut open, "get", &json!({"id": 2})), "\"no\"");
        assert_eq!(
            list_tools(&strict.mocks).map(|tool| tool.name.as_str()).collect::<Vec<_>>(),
            ["get", "rm"]
        );
    }
}

//! A test: its variables, its assertions, and what all tests share.

use arraign::__internals::yaml::Node;
use arraign::trace::{Role, Trace};
use serde_json::{Map, Value};

use super::assertion::checks;
use super::elsewhere;
use super::template::{TOO_MUCH, filled};
use crate::import::beside::Beside;
use crate::import::draft::{Case, Draft};
use crate::import::lost::{Keys, Lost, list, text};

/// So many combinations of listed variables are written out; more are a mistake more likely than a wish.
const MOST: usize = 200;

const OF_A_TEST: &[(&[&str], &str)] = &[
    (&["provider", "providers", "prompts"], super::RUNNING),
    (
        &["threshold", "assertScoringFunction"],
        "it is a score over all assertions: here each of them must hold",
    ),
    (&["metadata"], "a case has `tags`, and no other labels"),
];

/// What stands in each test.
#[derive(Clone)]
pub(super) struct Defaults<'n> {
    vars: Map<String, Value>,
    around: Map<String, Value>,
    asserts: Vec<Node<'n>>,
}

impl<'n> Defaults<'n> {
    pub(super) fn none() -> Self {
        Self { vars: Map::new(), around: Map::new(), asserts: Vec::new() }
    }

    pub(super) fn read(node: Option<Node<'n>>, beside: &Beside, lost: &mut Lost) -> Self {
        node.map_or_else(Self::none, |node| Self::none().and(node, beside, lost))
    }

    /// With those of `node` over them.
    pub(super) fn and(&self, node: Node<'n>, beside: &Beside, lost: &mut Lost) -> Self {
        let mut all = self.clone();
        let Some(mut keys) = Keys::of(node) else {
            lost.key(node, "defaultTest", "what all tests share is a mapping");
            return all;
        };
        all.vars.extend(vars(keys.take(&["vars"]), beside, lost));
        all.around.extend(around(node));
        all.asserts.extend(list(keys.take(&["assert"])));
        keys.skip(&["description"]);
        options(&mut keys, lost);
        keys.lose_rest(OF_A_TEST, lost);
        all
    }
}

/// The variables, with what the files hold that they name.
fn vars(node: Option<Node<'_>>, beside: &Beside, lost: &mut Lost) -> Map<String, Value> {
    let Some(node) = node else { return Map::new() };
    let Some(entries) = node.entries() else {
        return elsewhere::merged(node, beside).unwrap_or_else(|why| {
            lost.key(node, "vars", why);
            Map::new()
        });
    };
    entries.map(|(key, node)| (key.name.to_string(), variable(&key.name, node, beside, lost))).collect()
}

fn variable(name: &str, node: Node<'_>, beside: &Beside, lost: &mut Lost) -> Value {
    let value = node.to_json();
    let read = value.as_str().map(|text| elsewhere::value(text, beside));
    match read {
        Some(Ok(read)) => read,
        Some(Err(why)) => {
            lost.key(node, name, why);
            value
        }
        None => value,
    }
}

/// What `options` puts before and after each prompt.
fn around(node: Node<'_>) -> Map<String, Value> {
    let option = |key: &str| Some((key.to_owned(), node.pointer(&format!("/options/{key}"))?.to_json()));
    ["prefix", "suffix"].into_iter().filter_map(option).collect()
}

/// What `options` says of how tests are made is followed; the rest is about models and judges.
fn options(keys: &mut Keys<'_>, lost: &mut Lost) {
    let Some(mut options) = keys.take(&["options"]).and_then(Keys::of) else { return };
    options.skip(&["disableDefaultAsserts", "disableVarExpansion", "prefix", "suffix"]);
    options.lose_all(
        "how a model or a judge is asked is no part of a case; the answer is checked as it is",
        lost,
    );
}

/// Whether a test has the option.
fn says(test: Node<'_>, option: &str) -> bool {
    test.pointer(&format!("/options/{option}")).map(Node::to_json) == Some(Value::Bool(true))
}

/// One test.
pub(super) struct Test<'n> {
    node: Node<'n>,
    description: Option<String>,
    vars: Map<String, Value>,
    /// `prefix` and `suffix`.
    around: Map<String, Value>,
    asserts: Vec<Node<'n>>,
    output: Option<String>,
}

impl<'n> Test<'n> {
    pub(super) fn read(
        node: Node<'n>,
        defaults: &Defaults<'n>,
        beside: &Beside,
        lost: &mut Lost,
    ) -> Option<Self> {
        let Some(mut keys) = Keys::of(node) else {
            lost.key(node, "tests", "a test is a mapping");
            return None;
        };
        let Defaults { vars: shared, around: own, asserts: all } = defaults.clone();
        let mut test =
            Self { node, description: None, vars: shared, around: own, asserts: all, output: None };
        test.description = keys.text(&["description"]);
        test.vars.extend(vars(keys.take(&["vars"]), beside, lost));
        test.around.extend(around(node));
        test.asserts.extend(list(keys.take(&["assert"])));
        test.output = keys
            .take(&["providerOutput"])
            .map(|node| text(node).unwrap_or_else(|| node.to_json().to_string()));
        if says(node, "disableDefaultAsserts") {
            test.asserts.drain(..defaults.asserts.len());
        }
        options(&mut keys, lost);
        keys.lose_rest(OF_A_TEST, lost);
        Some(test)
    }

    /// A case for each prompt and each combination of listed variables.
    pub(super) fn write(&self, prompts: &[Option<String>], draft: &mut Draft) {
        let Some(combinations) = self.combinations() else {
            let why = format!("its lists make more than {MOST} tests: write out those that matter");
            return draft.lost.key(self.node, "vars", why);
        };
        for vars in &combinations {
            for prompt in prompts {
                self.case(prompt.as_deref(), vars, draft);
            }
        }
    }

    fn case(&self, prompt: Option<&str>, vars: &Map<String, Value>, draft: &mut Draft) {
        let part = |key: &str| self.around.get(key).and_then(Value::as_str).unwrap_or_default();
        let whole = |prompt: &str| format!("{}{prompt}{}", part("prefix"), part("suffix"));
        let input = prompt.map(|prompt| filled(&whole(prompt), vars));
        if input == Some(None) {
            draft.lost.key(self.node, "prompts", TOO_MUCH);
        }
        let id = draft.ids.made_of(&self.called(vars));
        let mut case = Case::new(&id);
        case.put("description", self.description.clone());
        let input = input.flatten();
        case.put("input", input.clone());
        if let Some(output) = &self.output {
            let mut trace = Trace { calls_unrecorded: true, ..Trace::default() };
            if let Some(input) = &input {
                trace.push_message(Role::User, input.as_str());
            }
            trace.push_message(Role::Assistant, output.as_str());
            trace.settle_answer();
            case.put("trace", Some(draft.trace(&id, &trace)));
        }
        for node in &self.asserts {
            case.expect(checks(*node, vars, &draft.beside, &mut draft.lost));
        }
        draft.case(self.node.place(), case.finish());
    }

    /// What the case is called: its description, else its variables.
    fn called(&self, vars: &Map<String, Value>) -> String {
        let words = vars.values().filter_map(Value::as_str).filter(|text| !text.starts_with("file://"));
        let words: Vec<&str> = words.collect();
        self.description.clone().unwrap_or_else(|| words.join(" "))
    }

    /// A variable that is a list makes a test of each of its values.
    fn combinations(&self) -> Option<Vec<Map<String, Value>>> {
        let as_it_is = says(self.node, "disableVarExpansion");
        let mut all = vec![Map::new()];
        for (name, value) in &self.vars {
            let values = match value {
                Value::Array(list) if !as_it_is && !list.is_empty() => list.as_slice(),
                one => std::slice::from_ref(one),
            };
            if all.len() * values.len() > MOST {
                return None;
            }
            let with = |vars: &Map<String, Value>, value: &Value| {
                let mut vars = vars.clone();
                vars.insert(name.clone(), value.clone());
                vars
            };
            all = all.iter().flat_map(|vars| values.iter().map(|value| with(vars, value))).collect();
        }
        Some(all)
    }
}

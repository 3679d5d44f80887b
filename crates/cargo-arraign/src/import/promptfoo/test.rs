//! A test with its variables and assertions, and the defaults of all tests.

use arraign::__internals::yaml::Node;
use arraign::json::{Json, JsonMap};

use super::ambiguous::find_ambiguous;
use super::assertion::{AssertionScope, convert_assertion};
use super::files;
use super::output::RecordedOutput;
use super::script::OutputForm;
use super::template::{TOO_MUCH, fill_text};
use crate::import::draft::{CaseDraft, SuiteDraft};
use crate::import::keys::{Keys, list_entries};
use crate::import::source_dir::SourceDir;
use crate::import::unsupported::UnsupportedList;

/// The largest number of combinations of variables. A larger number is probably a mistake.
const MOST: usize = 200;

const OF_A_TEST: &[(&[&str], &str)] = &[
    (&["provider", "providers", "prompts"], super::RUNNING),
    (
        &["threshold", "assertScoringFunction"],
        "arraign computes no score over all assertions: each must hold",
    ),
    (&["metadata"], "a case has no labels other than `tags`"),
];

/// The defaults of all tests.
#[derive(Clone)]
pub(super) struct TestDefaults<'n> {
    vars: JsonMap,
    around: JsonMap,
    asserts: Vec<Node<'n>>,
    /// The `assertionTemplates` of the configuration.
    templates: Option<Node<'n>>,
    /// Whether an option or a provider changes the output before it is asserted.
    transforms: bool,
}

impl<'n> TestDefaults<'n> {
    pub(super) fn empty() -> Self {
        Self {
            vars: JsonMap::new(),
            around: JsonMap::new(),
            asserts: Vec::new(),
            templates: None,
            transforms: false,
        }
    }

    /// Reads the `defaultTest` of the configuration `root`.
    pub(super) fn read(
        node: Option<Node<'n>>,
        root: Node<'n>,
        source_dir: &SourceDir,
        unsupported: &mut UnsupportedList,
    ) -> Self {
        let providers = list_entries(root.get("providers").or_else(|| root.get("targets")));
        let transforms = providers.into_iter().any(has_provider_transform);
        let empty = Self { templates: root.get("assertionTemplates"), transforms, ..Self::empty() };
        match node {
            Some(node) => empty.merge(node, source_dir, unsupported),
            None => empty,
        }
    }

    /// Returns these defaults, overridden by `node`.
    pub(super) fn merge(
        &self,
        node: Node<'n>,
        source_dir: &SourceDir,
        unsupported: &mut UnsupportedList,
    ) -> Self {
        let mut all = self.clone();
        let Some(mut keys) = Keys::new(node) else {
            unsupported.add_key(node, "defaultTest", "expected a mapping");
            return all;
        };
        all.vars.extend(read_vars(keys.take(&["vars"]), source_dir, unsupported));
        all.around.extend(read_affixes(node));
        all.transforms |= has_transform(node);
        all.asserts.extend(list_entries(keys.take(&["assert"])));
        keys.skip(&["description"]);
        skip_options(&mut keys, unsupported);
        keys.reject_rest(OF_A_TEST, unsupported);
        all
    }
}

/// Reads the variables, and the files that they name.
fn read_vars(node: Option<Node<'_>>, source_dir: &SourceDir, unsupported: &mut UnsupportedList) -> JsonMap {
    let Some(node) = node else { return JsonMap::new() };
    let Some(entries) = node.entries() else {
        return files::merge_files(node, source_dir).unwrap_or_else(|why| {
            unsupported.add_key(node, "vars", why);
            JsonMap::new()
        });
    };
    entries
        .map(|(key, node)| (key.name.to_string(), read_variable(&key.name, node, source_dir, unsupported)))
        .collect()
}

fn read_variable(
    name: &str,
    node: Node<'_>,
    source_dir: &SourceDir,
    unsupported: &mut UnsupportedList,
) -> Json {
    if let Some(odd) = find_ambiguous(node) {
        unsupported.add_key(node, name, explain_ambiguous(&odd));
    }
    let value = node.to_json();
    let read = value.as_str().map(|text| files::read_value(text, source_dir));
    match read {
        Some(Ok(read)) => read,
        Some(Err(why)) => {
            unsupported.add_key(node, name, why);
            value
        }
        None => value,
    }
}

/// The remark on a scalar that is read as a text here.
fn explain_ambiguous(odd: &str) -> String {
    format!("{odd} is carried as a text: it is another value to promptfoo, because it has no quotes")
}

/// Reads the prefix and suffix of prompts from `options`.
fn read_affixes(node: Node<'_>) -> JsonMap {
    let affixes = ["prefix", "suffix"].into_iter();
    affixes
        .filter_map(|key| Some((key.to_owned(), node.pointer(&format!("/options/{key}"))?.to_json())))
        .collect()
}

/// Reports the unsupported options. The others concern the creation of tests and are used elsewhere.
fn skip_options(keys: &mut Keys<'_>, unsupported: &mut UnsupportedList) {
    let Some(mut options) = keys.take(&["options"]).and_then(Keys::new) else { return };
    options.skip(&["disableDefaultAsserts", "disableVarExpansion", "prefix", "suffix"]);
    options.reject_all(
        "a case does not say how to ask a model or a judge, and checks the answer without transforming it",
        unsupported,
    );
}

/// Whether an option changes the output, or what it is compared with, before it is asserted.
fn has_transform(test: Node<'_>) -> bool {
    let keys = ["transform", "transformVars", "postprocess"];
    keys.iter().any(|key| test.pointer(&format!("/options/{key}")).is_some())
}

/// Whether a provider changes its output: `{id: NAME, transform: CODE}`, or `{NAME: {transform: CODE}}`.
fn has_provider_transform(provider: Node<'_>) -> bool {
    let settings = provider.entries().into_iter().flatten().map(|(_, settings)| settings);
    std::iter::once(provider).chain(settings).any(|settings| settings.get("transform").is_some())
}

/// Whether JavaScript takes the value for false.
fn is_falsy(value: &Json) -> bool {
    match value {
        Json::Null => true,
        Json::Bool(value) => !value,
        Json::Number(number) => number.as_f64() == Some(0.0),
        Json::String(text) => text.is_empty(),
        Json::Array(_) | Json::Object(_) => false,
    }
}

/// Whether the test sets the option.
fn has_option(test: Node<'_>, option: &str) -> bool {
    test.pointer(&format!("/options/{option}")).map(Node::to_json) == Some(Json::Bool(true))
}

/// A test.
pub(super) struct PromptTest<'n> {
    node: Node<'n>,
    description: Option<String>,
    vars: JsonMap,
    /// `prefix` and `suffix`.
    around: JsonMap,
    asserts: Vec<Node<'n>>,
    /// How many of the assertions are those of the defaults, which come first.
    inherited: usize,
    templates: Option<Node<'n>>,
    transforms: bool,
    output: Option<RecordedOutput>,
}

impl<'n> PromptTest<'n> {
    pub(super) fn read(
        node: Node<'n>,
        defaults: &TestDefaults<'n>,
        source_dir: &SourceDir,
        unsupported: &mut UnsupportedList,
    ) -> Option<Self> {
        let Some(mut keys) = Keys::new(node) else {
            unsupported.add_key(node, "tests", "expected a mapping");
            return None;
        };
        let TestDefaults { vars, around, asserts, templates, transforms } = defaults.clone();
        let inherited = if has_option(node, "disableDefaultAsserts") { 0 } else { asserts.len() };
        let asserts = asserts[..inherited].to_vec();
        let mut test = Self {
            node,
            description: None,
            vars,
            around,
            asserts,
            inherited,
            templates,
            transforms,
            output: None,
        };
        test.transforms |= has_transform(node);
        test.description = keys.take_text(&["description"]);
        test.vars.extend(read_vars(keys.take(&["vars"]), source_dir, unsupported));
        test.around.extend(read_affixes(node));
        test.asserts.extend(list_entries(keys.take(&["assert"])));
        // promptfoo asks the provider if the output is empty, zero or false.
        if let Some(node) = keys.take(&["providerOutput"]) {
            if let Some(odd) = find_ambiguous(node) {
                unsupported.add_key(node, "providerOutput", explain_ambiguous(&odd));
            }
            let value = node.to_json();
            test.output = (!is_falsy(&value)).then(|| RecordedOutput::new(value));
            if test.output.is_none() {
                let why = "promptfoo takes an empty output for none and asks the provider: record a run";
                unsupported.add_key(node, "providerOutput", why);
            }
        }
        skip_options(&mut keys, unsupported);
        keys.reject_rest(OF_A_TEST, unsupported);
        Some(test)
    }

    /// Writes a case for each prompt and each combination of listed variables.
    pub(super) fn write_cases(&self, prompts: &[Option<String>], draft: &mut SuiteDraft) {
        let Some(combinations) = self.combine_lists() else {
            let why = format!("its lists make more than {MOST} tests: write down only those that matter");
            return draft.unsupported.add_key(self.node, "vars", why);
        };
        for vars in &combinations {
            for prompt in prompts {
                self.write_case(prompt.as_deref(), vars, draft);
            }
        }
    }

    fn write_case(&self, prompt: Option<&str>, vars: &JsonMap, draft: &mut SuiteDraft) {
        let input = prompt.map(|prompt| fill_text(&self.add_affixes(prompt), vars));
        if input == Some(None) {
            draft.unsupported.add_key(self.node, "prompts", TOO_MUCH);
        }
        let id = draft.ids.derive_id(&self.describe(vars));
        let mut case = CaseDraft::new(&id);
        case.set("description", self.description.clone());
        let input = input.flatten();
        case.set("input", input.clone());
        if let Some(output) = &self.output {
            let trace = output.build_trace(input.as_deref(), self.reads_calls());
            case.set("trace", Some(draft.add_trace(&id, &trace)));
        }
        case.add_checks(self.convert_assertions(vars, draft));
        draft.add_case(self.node.place(), case.finish());
    }

    /// Converts the assertions, unless an option changes the output before they look at it.
    fn convert_assertions(&self, vars: &JsonMap, draft: &mut SuiteDraft) -> Vec<Json> {
        if self.transforms {
            let why = "code of the test, the defaults or a provider changes what the assertions see, so none of them is carried";
            draft.unsupported.add_key(self.node, "transform", why);
            return Vec::new();
        }
        let form = match &self.output {
            Some(output) if output.value.is_none() => OutputForm::Text,
            Some(_) => OutputForm::Value,
            None => OutputForm::Unknown,
        };
        let source_dir = std::sync::Arc::clone(&draft.source_dir);
        let scope = AssertionScope { vars, source_dir: &source_dir, form, templates: self.templates };
        let (inherited, own) = self.asserts.split_at(self.inherited);
        // What is lost in a default is lost in each test: the remark stands once, and each test points to it.
        let before = draft.unsupported.0.len();
        let mut checks: Vec<Json> = inherited
            .iter()
            .flat_map(|node| convert_assertion(*node, scope, &mut draft.unsupported))
            .collect();
        if let Some(first) = draft.unsupported.0.get(before) {
            let why =
                format!("carried in part: see the remark on line {} about the defaults", first.place.line());
            draft.unsupported.add_key(self.node, "assert", why);
        }
        checks.extend(own.iter().flat_map(|node| convert_assertion(*node, scope, &mut draft.unsupported)));
        checks
    }

    /// Whether an assertion reads the tool calls of the output.
    fn reads_calls(&self) -> bool {
        let types = self.asserts.iter().filter_map(|node| node.get("type")?.as_str());
        types.into_iter().any(|kind| kind.trim_start_matches("not-") == "tool-call-f1")
    }

    fn add_affixes(&self, prompt: &str) -> String {
        let [prefix, suffix] =
            ["prefix", "suffix"].map(|key| self.around.get(key).and_then(Json::as_str).unwrap_or_default());
        format!("{prefix}{prompt}{suffix}")
    }

    /// Returns the text for the id of the case: its description, or else its variables.
    fn describe(&self, vars: &JsonMap) -> String {
        let words = vars.values().filter_map(Json::as_str).filter(|text| !text.starts_with("file://"));
        let words: Vec<&str> = words.collect();
        self.description.clone().unwrap_or_else(|| words.join(" "))
    }

    /// Combines the values of all variables. A variable with a list has several values.
    fn combine_lists(&self) -> Option<Vec<JsonMap>> {
        let as_it_is = has_option(self.node, "disableVarExpansion");
        let mut all = vec![JsonMap::new()];
        for (name, value) in &self.vars {
            let values = match value {
                Json::Array(list) if !as_it_is && !list.is_empty() => list.as_slice(),
                one => std::slice::from_ref(one),
            };
            // Five lists of ten values are 100,000 cases, so the number is refused before the memory is taken.
            if all.len() * values.len() > MOST {
                return None;
            }
            // Each combination so far is continued with each value of this variable.
            all = all
                .iter()
                .flat_map(|vars| values.iter().map(|value| insert_variable(vars, name, value)))
                .collect();
        }
        Some(all)
    }
}

fn insert_variable(vars: &JsonMap, name: &str, value: &Json) -> JsonMap {
    let mut vars = vars.clone();
    vars.insert(name.to_owned(), value.clone());
    vars
}

//! `file`: a file that the agent left has this content.
//!
//! <!-- settings -->
//!
//! The check looks at the [workspace](../workspaces.md) as the agent left it. A file that does not exist is a violation. One that is
//! no UTF-8 text, or larger than 1 MiB, leaves the check undecided, as does a run without a workspace. The schema of `json_schema`
//! follows the rules of the check [`json_schema`](json_schema.md). This case fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/file/fail-other-port.yaml")]
//! ```

use std::sync::Arc;

use serde::Deserialize;

use super::find_facts;
use crate::JsonSchema;
use crate::check::json_schema::{Home, Schema};
use crate::check::support::answer::beginning;
use crate::check::support::answer_json::shown;
use crate::check::support::forms::InlineSchema;
use crate::check::support::js_pattern::{compile_pattern, exhausted};
use crate::check::{Check, CheckKind, Scope};
use crate::evidence::Evidence;
use crate::json::{self, Json};
use crate::outcome::{CannotDecide, Item, Outcome, Violation};
use crate::pattern::{Flags, JsRegex, JsonPath, PathPattern};
use crate::place::LoadErrors;
use crate::workspace::{FileContent, WorkspaceFacts, WorkspaceNeeds};
use crate::yaml::{Node, OneOrMany, OrderedMap, Placed, Unparsed};

pub(crate) const KIND: CheckKind =
    CheckKind::with::<FileSettings>("file", "a file that the agent left has this content", |node, scope| {
        node.decode_all::<FileSettings>()?.build(node, scope)
    })
    .of_the_end();

/// Settings of `file`.
#[derive(Deserialize, JsonSchema)]
struct FileSettings {
    /// The path of the file in the workspace.
    path: Placed<String>,
    /// Texts that the file contains. Letter case counts.
    #[serde(default)]
    contains: OneOrMany<Placed<String>>,
    /// A JavaScript regular expression that matches in the file. Letter case counts, unless it is written as `/pattern/i`.
    #[serde(default)]
    regex: Option<Placed<String>>,
    /// The whole text of the file. Line breaks of Windows count as those of Unix.
    #[serde(default)]
    equals: Option<String>,
    /// Paths (RFC 9535) into the file, which is JSON, and the value that each selects: `{$.port: 8080}`.
    #[serde(default)]
    json: Option<OrderedMap<JsonPathKey, Json>>,
    /// A JSON Schema that the file, which is JSON, satisfies.
    #[serde(default)]
    json_schema: Option<Unparsed<InlineSchema>>,
}

/// A JSONPath as a key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[schemars(inline)]
struct JsonPathKey(String);

struct File {
    path: String,
    contains: Vec<String>,
    regex: Option<JsRegex>,
    equals: Option<String>,
    json: Vec<(String, JsonPath, Json)>,
    schema: Option<Arc<Schema>>,
}

impl FileSettings {
    fn build(self, node: Node<'_>, _scope: &Scope<'_>) -> Result<Box<dyn Check>, LoadErrors> {
        let mut errors = LoadErrors::new();
        let is_path =
            PathPattern::new(&self.path).is_ok_and(|pattern| pattern.fixed_part() == pattern.as_str());
        if !is_path {
            let problem = format!("`{}` is not the path of one file in the workspace", *self.path);
            errors.push(
                self.path.error(problem).help("`files` takes patterns; `path` is a path such as `src/a.rs`"),
            );
        }
        for text in self.contains.0.iter().filter(|text| text.is_empty()) {
            errors.push(text.error("every file contains an empty text"));
        }
        let pattern = self.regex.as_ref().map(|regex| compile_pattern(regex, None, Flags::default()));
        let regex = pattern.and_then(|pattern| errors.take(pattern));
        let mut json = Vec::new();
        for (key, value) in self.json.into_iter().flat_map(|json| json.0) {
            match JsonPath::new(&key.0) {
                Ok(path) => json.push((key.0, path, value)),
                Err(error) => {
                    let at = node.pointer("/json").unwrap_or(node);
                    errors.push(at.error(format!("`{}` is {error}", key.0)));
                }
            }
        }
        let schema = self.json_schema.as_ref().and_then(|written| {
            let schema = Home::settings(node, false).schema(written.node(), "/json_schema", &[], &[]);
            errors.take(schema.map(Arc::new))
        });
        let contains = self.contains.0.into_iter().map(Placed::into_value).collect();
        let path = self.path.into_value();
        errors
            .or(Box::new(File { path, contains, regex, equals: self.equals, json, schema }) as Box<dyn Check>)
    }
}

impl Check for File {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, CannotDecide> {
        let facts = find_facts(evidence)?;
        let path = &self.path;
        let exists = facts.find_after(path);
        let mut violations = Vec::new();
        if exists.is_none() {
            violations.push(self.describe_absence(facts));
        } else if self.reads_content() {
            self.check_text(self.find_text(facts)?, &mut violations)?;
        }
        let item = Item::tested(format!("`{path}` is as expected"), violations.is_empty());
        Ok(Outcome::of_items(vec![item], violations))
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        Some(WorkspaceFacts::default().into())
    }

    fn workspace_needs(&self) -> WorkspaceNeeds {
        WorkspaceNeeds { looks_at_files: true, is_needed: true, contents: vec![self.path.clone()] }
    }
}

impl File {
    fn reads_content(&self) -> bool {
        !self.contains.is_empty()
            || self.regex.is_some()
            || self.equals.is_some()
            || !self.json.is_empty()
            || self.schema.is_some()
    }

    fn find_text<'f>(&self, facts: &'f WorkspaceFacts) -> Result<&'f str, CannotDecide> {
        let path = &self.path;
        match facts.contents.get(path) {
            Some(FileContent::Text(text)) => Ok(text),
            Some(FileContent::Omitted(why)) => {
                Err(CannotDecide::missing(format!("the content of `{path}` is not known: {why}")))
            }
            None => Err(CannotDecide::missing(format!("the content of `{path}` was not kept"))
                .help("record the run again: the check was added after the recording was made")),
        }
    }

    fn check_text(&self, text: &str, violations: &mut Vec<Violation>) -> Result<(), CannotDecide> {
        let path = &self.path;
        for (index, wanted) in self.contains.iter().enumerate().filter(|(_, wanted)| !text.contains(*wanted))
        {
            let violation = Violation::new(format!("`{path}` does not contain {}", beginning(wanted)));
            violations.push(
                violation.at(format!("/contains/{index}")).expected(beginning(wanted), beginning(text)),
            );
        }
        if let Some(regex) = &self.regex
            && !regex.is_match(text).map_err(|_| exhausted(regex))?
        {
            let violation = Violation::new(format!("`{path}` does not match `{}`", regex.as_str()));
            violations.push(violation.at("/regex").expected(format!("{regex}"), beginning(text)));
        }
        if let Some(wanted) = &self.equals
            && text.replace("\r\n", "\n") != wanted.replace("\r\n", "\n")
        {
            let violation = Violation::new(format!("`{path}` has another text"));
            violations.push(violation.at("/equals").expected(beginning(wanted), beginning(text)));
        }
        if self.json.is_empty() && self.schema.is_none() {
            return Ok(());
        }
        let json = match json::parse(text) {
            Ok(json) => json,
            Err(error) => {
                let at = if self.json.is_empty() { "/json_schema" } else { "/json" };
                let violation = Violation::new(format!("`{path}` is not JSON: {error}"));
                violations.push(violation.at(at).expected("JSON", beginning(text)));
                return Ok(());
            }
        };
        for (written, selector, wanted) in &self.json {
            violations.extend(self.compare_value(written, selector, wanted, &json));
        }
        if let Some(schema) = &self.schema {
            let faults = schema.faults(&json, "field")?;
            violations.extend(faults.describe_each(|fault| {
                let violation = fault.detail(Violation::new(fault.describe_in(&format!("`{path}`"))));
                let cited = schema.cite(violation, fault);
                if cited.policy.is_some() { cited.at("/json_schema") } else { cited }
            }));
        }
        Ok(())
    }

    fn compare_value(&self, written: &str, path: &JsonPath, wanted: &Json, json: &Json) -> Option<Violation> {
        let file = &self.path;
        let selected = path.select(json);
        let (message, actual) = match selected.as_slice() {
            [] => (format!("`{written}` selects nothing in `{file}`"), "nothing".to_owned()),
            values if values.contains(&wanted) => return None,
            [only] => {
                (format!("`{written}` in `{file}` is {}, not {}", shown(only), shown(wanted)), shown(only))
            }
            values => {
                let all: Json = values.iter().copied().cloned().collect();
                (format!("none of the values of `{written}` in `{file}` is {}", shown(wanted)), shown(&all))
            }
        };
        Some(Violation::new(message).at("/json").expected(shown(wanted), actual))
    }

    fn describe_absence(&self, facts: &WorkspaceFacts) -> Violation {
        let path = &self.path;
        let help = match facts.before.get(path) {
            Some(_) => "the agent deleted it",
            None => "the agent did not write it",
        };
        Violation::new(format!("`{path}` does not exist")).at("/path").help(help)
    }
}

//! The tables of keys on the pages of the docs, from the schema that editors show.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use arraign::json::Json;

/// Keys whose values are described in other tables.
const DESCRIBED_ELSEWHERE: &[&str] =
    &["tests", "cases", "scenarios", "defaults", "expect", "extract", "readers", "verification"];

/// The keys inside of the values of the keys, as paths: `judge.model`. A key that several mappings have appears once.
pub(super) fn inner_keys_table<'s>(mappings: impl IntoIterator<Item = (&'s Json, &'s Json)>) -> String {
    let mut keys = InnerKeys { table: "| key | meaning |\n|---|---|\n".to_owned(), listed: BTreeMap::new() };
    let mut seen: BTreeSet<&str> = DESCRIBED_ELSEWHERE.iter().copied().collect();
    for (mapping, schema) in mappings {
        for (name, value) in mapping["properties"].as_object().into_iter().flatten() {
            if seen.insert(name) && !describe(value).starts_with("Another name") {
                keys.list(name, value, schema);
            }
        }
    }
    keys.table
}

struct InnerKeys<'s> {
    table: String,
    /// The forms of the schema that the table has, and the path of each. Empty: without keys, or still open.
    listed: BTreeMap<&'s str, String>,
}

impl<'s> InnerKeys<'s> {
    /// Adds a row for each key below `path`. A form that several values have is listed once.
    fn list(&mut self, path: &str, value: &'s Json, schema: &'s Json) {
        if let Some(pointer) = value["$ref"].as_str().and_then(|reference| reference.strip_prefix('#')) {
            self.list_form(path, pointer, schema);
        }
        for (name, inner) in value["properties"].as_object().into_iter().flatten() {
            let path = format!("{path}.{name}");
            let meaning = [describe(inner), &describe_choices(inner, schema)].concat().replace('|', "\\|");
            writeln!(self.table, "| `{path}` | {meaning} |").expect("text");
            self.list(&path, inner, schema);
        }
        for form in ["anyOf", "allOf", "oneOf"].iter().filter_map(|of| value[of].as_array()).flatten() {
            self.list(path, form, schema);
        }
        self.list_if_any(&format!("{path}[]"), value.get("items"), schema);
        self.list_if_any(&format!("{path}.NAME"), value.get("additionalProperties"), schema);
    }

    fn list_if_any(&mut self, path: &str, value: Option<&'s Json>, schema: &'s Json) {
        if let Some(value) = value {
            self.list(path, value, schema);
        }
    }

    fn list_form(&mut self, path: &str, pointer: &'s str, schema: &'s Json) {
        match self.listed.get(pointer).map(String::as_str) {
            Some("") => {}
            Some(first) => writeln!(self.table, "| `{path}` | The same keys as `{first}`. |").expect("text"),
            None => {
                let length = self.table.len();
                self.listed.insert(pointer, String::new());
                self.list(path, schema.pointer(pointer).expect("a form"), schema);
                if self.table.len() > length {
                    self.listed.insert(pointer, path.to_owned());
                }
            }
        }
    }
}

/// The table of the keys of `mapping`, from the schema that editors show. `what` they are heads the first column.
pub(super) fn keys_table(what: &str, mapping: &Json, schema: &Json) -> String {
    let mut table = format!("| {what} | meaning |\n|---|---|\n");
    for (name, value) in mapping["properties"].as_object().into_iter().flatten() {
        let meaning = [describe(value), &describe_choices(value, schema)].concat().replace('|', "\\|");
        writeln!(table, "| `{name}` | {meaning} |").expect("text");
    }
    table
}

fn describe(setting: &Json) -> &str {
    setting["description"].as_str().unwrap_or_else(|| panic!("no description: {setting}"))
}

/// The values that a setting may have, where the schema describes each.
fn describe_choices(setting: &Json, schema: &Json) -> String {
    let mut text = String::new();
    for (name, meaning) in find_choices(setting, schema) {
        write!(text, "<br>`{name}`: {meaning}").expect("text");
    }
    text
}

/// The described values of a setting: its own, those of a list's entries, or those of a form that it refers to.
fn find_choices<'s>(setting: &'s Json, schema: &'s Json) -> Vec<(&'s str, &'s str)> {
    if let Some(meanings) = setting["enumDescriptions"].as_array() {
        let names = setting["enum"].as_array().into_iter().flatten();
        let text = |value: &'s Json| value.as_str().unwrap_or_else(|| panic!("no text: {setting}"));
        return names.map(text).zip(meanings.iter().map(text)).collect();
    }
    if let Some(pointer) = setting["$ref"].as_str().and_then(|reference| reference.strip_prefix('#')) {
        return find_choices(schema.pointer(pointer).expect("a form"), schema);
    }
    let inner = ["anyOf", "allOf"].iter().filter_map(|of| setting[of].as_array()).flatten();
    let inner = inner.chain(setting.get("items"));
    inner.flat_map(|inner| find_choices(inner, schema)).collect()
}

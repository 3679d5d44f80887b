//! The JSON Schema of what users write: completion, hover texts and marks for mistakes in an editor.
//!
//! Draft 7, the newest that the YAML language server reads. The settings of each check describe themselves, a project's
//! own included. The schema accepts whatever loads; a mistake that needs more than one place to see is left to the
//! loader.

mod snippets;
mod tidy;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};

use super::keys;
use super::keys::{CaseKeys, SuiteKey};
use super::quarantine::WrittenEntry;
use crate::check::{CheckKind, Registry};
use crate::json::{Json, JsonMap, json};

/// The keys of which one makes a mapping a suite.
const OF_SUITES: &[&str] = &["tests", "cases", "scenarios", "dataset"];

/// The keys of a case with rows that have no placeholders.
const ROW_KEYS: &[&str] = &["cases", "each", "include"];

/// Whether a mapping has this key of a suite. A text under `cases` is the file with the rows of a case.
fn has_cases(key: &str) -> Json {
    match key {
        "cases" => json!({"required": [key], "properties": {key: {"not": {"type": "string"}}}}),
        key => json!({"required": [key]}),
    }
}

/// The schema of files of cases: suites, single cases, lists of cases.
pub fn of_cases(kinds: &Registry) -> Json {
    let keys = Keys::read(kinds);
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "if": {"type": "array"},
        "then": {"items": {"$ref": "#/definitions/case"}},
        "else": {
            "if": {"anyOf": OF_SUITES.iter().map(|key| has_cases(key)).collect::<Vec<_>>()},
            "then": {"$ref": "#/definitions/suite"},
            "else": keys.unfinished_file(),
        },
        "definitions": keys.definitions(kinds),
    })
}

/// The schema of `arraign.yaml`.
pub fn of_workspace(kinds: &Registry) -> Json {
    let keys = Keys::read(kinds);
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": ["object", "null"],
        "properties": keys.workspace,
        "additionalProperties": false,
        "definitions": keys.shared_definitions(kinds),
    })
}

/// The schema of `quarantine.yaml`.
pub fn of_quarantine() -> Json {
    let mut generator = SchemaSettings::draft07().into_generator();
    let entry = WrittenEntry::json_schema(&mut generator);
    let forms = generator.take_definitions(true).into_iter();
    let forms = forms.map(|(name, form)| (name, tidy::tidied_form(form.into())));
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "array",
        "items": tidy::tidied(entry.to_value().into()),
        "definitions": forms.collect::<JsonMap>(),
    })
}

/// The keys and the settings, described.
struct Keys {
    case: JsonMap,
    suite: JsonMap,
    workspace: JsonMap,
    /// The schemas of settings, by check.
    checks: JsonMap,
    /// The schemas that others refer to.
    forms: JsonMap,
}

impl Keys {
    fn read(kinds: &Registry) -> Self {
        let mut generator = SchemaSettings::draft07().into_generator();
        let case = describe_struct::<CaseKeys>(&mut generator);
        let mut suite = describe_keys(keys::SUITE.iter().chain(keys::TABLES), &mut generator);
        suite.extend(keys::SHARED_BY_SUITE.iter().map(|key| ((*key).to_owned(), case[*key].clone())));
        Self {
            case,
            suite,
            workspace: describe_keys(keys::TABLES.iter().chain(keys::WORKSPACE), &mut generator),
            checks: kinds
                .iter()
                .map(|kind| (kind.name.to_owned(), describe_settings(kind, &mut generator)))
                .collect(),
            forms: generator
                .take_definitions(true)
                .into_iter()
                .map(|(name, form)| (name, tidy::tidied_form(form.into())))
                .collect(),
        }
    }

    /// Returns the definitions of both schemas: forms of values, and the settings of checks.
    fn shared_definitions(&self, kinds: &Registry) -> JsonMap {
        let mut definitions = self.forms.clone();
        definitions.insert("entry_of_expect".to_owned(), self.entry_of_expect(kinds));
        definitions.insert("checks".to_owned(), Json::Object(self.checks.clone()));
        definitions
    }

    fn definitions(&self, kinds: &Registry) -> JsonMap {
        let mut definitions = self.shared_definitions(kinds);
        definitions.insert("case".to_owned(), self.case(kinds));
        definitions.insert("part_of_case".to_owned(), self.part_of_case(kinds));
        definitions.insert("suite".to_owned(), self.suite());
        definitions
    }

    /// The settings of a kind, if it describes them.
    fn properties(&self, kind: &CheckKind) -> Option<&JsonMap> {
        self.checks.get(kind.name)?.get("properties")?.as_object()
    }

    /// Returns the schema of a case. The allowed keys depend on its metric. In a case with rows, a text may stand for any value.
    fn case(&self, kinds: &Registry) -> Json {
        let without_metric = json!({
            "if": {"not": {"required": ["metric"]}},
            "then": closed(&JsonMap::new()),
        });
        let of_metric = kinds.iter().map(|kind| self.beside_metric(kind));
        let part = json!({"$ref": "#/definitions/part_of_case"});
        let all: Vec<Json> = [part, without_metric].into_iter().chain(of_metric).collect();
        let rows: JsonMap = ROW_KEYS.iter().map(|key| ((*key).to_owned(), self.case[*key].clone())).collect();
        // With rows, a placeholder stands for a value of any type, so the types of the other keys cannot be checked.
        json!({
            "if": {"anyOf": [{"required": ["cases"]}, {"required": ["each"]}]},
            "then": {"type": "object", "properties": rows},
            "else": {"allOf": all},
        })
    }

    /// A case with its metric in the defaults of its suite: any settings are allowed.
    fn part_of_case(&self, kinds: &Registry) -> Json {
        let mut properties = self.case.clone();
        let names: Vec<&str> = kinds.iter().map(|kind| kind.name).collect();
        properties["metric"]["enum"] = json!(names);
        properties["expect"]["items"] = json!({"$ref": "#/definitions/entry_of_expect"});
        json!({"type": "object", "properties": properties})
    }

    fn beside_metric(&self, kind: &CheckKind) -> Json {
        let Some(settings) = self.properties(kind) else { return json!({}) };
        let settings = settings.keys().map(|key| {
            let pointer = format!("#/definitions/checks/{}/properties/{key}", kind.name);
            (key.clone(), json!({"$ref": pointer}))
        });
        json!({
            "if": {"required": ["metric"], "properties": {"metric": {"const": kind.name}}},
            "then": closed(&settings.collect()),
        })
    }

    fn entry_of_expect(&self, kinds: &Registry) -> Json {
        let checks = kinds.iter().map(|kind| (kind.name.to_owned(), self.named(kind)));
        json!({
            "type": "object",
            "properties": checks.collect::<JsonMap>(),
            "additionalProperties": false,
            "minProperties": 1,
            "maxProperties": 1,
        })
    }

    /// Returns the schema of a check under its own name: its settings, or the value of its shorthand.
    fn named(&self, kind: &CheckKind) -> Json {
        let mut forms = vec![json!({"$ref": format!("#/definitions/checks/{}", kind.name)})];
        // Editors complete a bare value with the description of its setting.
        if let Some(setting) = kind.shorthand
            && let Some(mut bare) = self.properties(kind).and_then(|settings| settings.get(setting)).cloned()
        {
            let meaning = bare["description"].as_str().unwrap_or_default();
            bare["description"] = json!(format!("{}\n\n`{setting}`: {meaning}", kind.summary));
            forms.push(bare);
        }
        json!({"description": kind.summary, "anyOf": forms})
    }

    /// The keys of a suite, whose lists of cases offer the commonest cases.
    fn suite_keys(&self) -> JsonMap {
        let mut properties = self.suite.clone();
        properties["defaults"]["$ref"] = json!("#/definitions/part_of_case");
        for list in keys::TESTS {
            properties[*list]["defaultSnippets"] = snippets::list_snippets();
        }
        properties
    }

    /// A file that is not a suite yet. It is a case if it has a key that only cases have. Until then, an editor offers the keys
    /// of both.
    fn unfinished_file(&self) -> Json {
        let own = self.case.keys().filter(|key| !self.suite.contains_key(key));
        let has_own: Vec<Json> = own.map(|key| json!({"required": [key]})).collect();
        let both = self.case.clone().into_iter().chain(self.suite_keys());
        json!({
            "if": {"type": "object", "anyOf": has_own},
            "then": {"$ref": "#/definitions/case"},
            "else": {
                "type": ["object", "null"],
                "properties": both.collect::<JsonMap>(),
                "additionalProperties": false,
            },
        })
    }

    fn suite(&self) -> Json {
        json!({
            "type": "object",
            "properties": self.suite_keys(),
            "additionalProperties": false,
            "if": {"required": ["defaults"], "properties": {"defaults": {"required": ["metric"]}}},
            "then": describe_tests("part_of_case"),
            "else": describe_tests("case"),
        })
    }
}

/// The lists of cases of a suite, each of which follows the definition `of`.
fn describe_tests(of: &str) -> Json {
    let items = json!({"items": {"$ref": format!("#/definitions/{of}")}});
    let lists: JsonMap = keys::TESTS.iter().map(|key| ((*key).to_owned(), items.clone())).collect();
    json!({"properties": lists})
}

/// The schemas of the values of `keys`, each with the key's meaning.
fn describe_keys<'k>(
    keys: impl IntoIterator<Item = &'k SuiteKey>,
    generator: &mut SchemaGenerator,
) -> JsonMap {
    let described = keys.into_iter().map(|key| {
        let mut schema = (key.schema)(generator);
        schema.insert("description".to_owned(), key.meaning.into());
        (key.name.to_owned(), finish(schema, generator))
    });
    described.collect()
}

/// The schemas of the fields of a struct.
fn describe_struct<T: JsonSchema>(generator: &mut SchemaGenerator) -> JsonMap {
    let schema = T::json_schema(generator);
    match finish(schema, generator).get("properties") {
        Some(Json::Object(properties)) => properties.clone(),
        _ => JsonMap::new(),
    }
}

/// The settings of a check. Of a kind that does not describe them only its name and its summary are known.
fn describe_settings(kind: &CheckKind, generator: &mut SchemaGenerator) -> Json {
    let Some(describe) = kind.schema else { return json!({"description": kind.summary}) };
    let schema = describe(generator);
    let mut schema = finish(schema, generator);
    schema["description"] = json!(kind.summary);
    schema["type"] = json!(["object", "null"]);
    // The decoder refuses keys that a type does not have, whether or not the type says `deny_unknown_fields`.
    schema["additionalProperties"] = json!(false);
    schema
}

/// Makes a derived schema one of draft 7.
fn finish(mut schema: Schema, generator: &mut SchemaGenerator) -> Json {
    for transform in generator.transforms_mut() {
        transform.transform(&mut schema);
    }
    tidy::tidied(schema.to_value().into())
}

/// Returns the schema of a case with the common keys, which are described elsewhere, and `settings`. Other keys are errors.
fn closed(settings: &JsonMap) -> Json {
    json!({
        "properties": settings,
        "patternProperties": {format!("^({})$", keys::common().join("|")): true},
        "additionalProperties": false,
    })
}

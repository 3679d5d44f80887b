//! The JSON Schemas of the published documents, `docs/*.schema.json`. They are generated from the types that are
//! serialized, so that neither changes alone. A new document is its type and its entry in [`DOCUMENTS`].

use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::comparison::ComparisonReport;
use super::history::HistoryReport;
use super::json::{ReportRunInfo, SCHEMA_VERSION};
use super::{SkippedTrial, Totals};
use crate::attack::AttackReport;
use crate::verdict::Verdict;
use crate::verdict::summary::Summary;

/// A published document.
struct SchemaDocument {
    /// The name of the document.
    name: &'static str,
    root: fn(SchemaGenerator) -> Schema,
}

const DOCUMENTS: &[SchemaDocument] = &[
    SchemaDocument { name: "attack", root: generate_schema::<AttackReport> },
    SchemaDocument { name: "comparison", root: generate_schema::<ComparisonReport> },
    SchemaDocument { name: "history", root: generate_schema::<HistoryReport> },
    SchemaDocument { name: "report", root: generate_schema::<ReportDocument<'static>> },
    SchemaDocument { name: "summary", root: generate_schema::<Summary> },
    SchemaDocument { name: "verdict", root: generate_schema::<Verdict> },
];

/// A run: `report.json`.
#[derive(Serialize, JsonSchema)]
struct ReportDocument<'r> {
    /// The version of the document.
    #[schemars(extend("const" = SCHEMA_VERSION))]
    schema_version: u32,
    /// The run as a whole.
    run: ReportRunInfo<'r>,
    /// The numbers of trials by result.
    totals: Totals,
    /// The summary of the run, as `ARRAIGN_OUTPUT_JSON` writes it.
    summary: Summary,
    /// The trials that were skipped because their cases say so.
    skipped: Vec<SkippedTrial>,
    /// The verdicts of all other trials, in the order of the files and lines of their cases.
    verdicts: Vec<Verdict>,
}

fn generate_schema<T: JsonSchema>(generator: SchemaGenerator) -> Schema {
    generator.into_root_schema_for::<T>()
}

impl SchemaDocument {
    /// Builds the schema. The version of the document is part of the schema's id.
    fn build_schema(&self) -> Value {
        let settings = SchemaSettings::draft2020_12().for_serialize();
        let generator = settings.with_transform(RecursiveTransform(restrict_to_written)).into_generator();
        let mut schema = into_map((self.root)(generator).to_value());
        let version = &schema["properties"]["schema_version"]["const"];
        let id = format!("urn:arraign:{}:{version}", self.name);
        let head = ["$schema", "title", "description"];
        let head = head.map(|key| (key.to_owned(), schema.shift_remove(key).unwrap_or_default()));
        let id = [("$id".to_owned(), id.into())];
        Value::Object(id.into_iter().chain(head).chain(schema).collect())
    }
}

fn into_map(value: Value) -> Map<String, Value> {
    if let Value::Object(map) = value { map } else { Map::new() }
}

/// Restricts a schema to what is really written: no other keys, and no `null` for fields that are omitted when empty.
fn restrict_to_written(schema: &mut Schema) {
    let Some(schema) = schema.as_object_mut() else { return };
    // Only Rust programs need the widths of numbers and the defaults of serde.
    schema.remove("format");
    schema.remove("default");
    if let Some(Value::String(text)) = schema.get_mut("description") {
        *text = unlink_text(text).replace('\n', " ").replace("`None`", "`null`");
    }
    let required: Vec<Value> = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let Some(Value::Object(properties)) = schema.get_mut("properties") else { return };
    let optional = properties.iter_mut().filter(|(name, _)| !required.contains(&json!(name)));
    optional.filter_map(|(_, property)| property.as_object_mut()).for_each(drop_null);
    schema.insert("additionalProperties".to_owned(), false.into());
}

/// Removes `null` from a field that is omitted when it is empty.
fn drop_null(property: &mut Map<String, Value>) {
    if let Some(Value::String(text)) = property.get_mut("description") {
        *text = text.replace("`None`", "left out");
    }
    if let Some(Value::Array(types)) = property.get("type")
        && let [one, Value::String(null)] = types.as_slice()
        && null == "null"
    {
        property["type"] = one.clone();
    }
    if let Some(Value::Array(forms)) = property.get("anyOf")
        && let [one, null] = forms.as_slice()
        && null["type"] == "null"
    {
        let one = into_map(one.clone());
        property.shift_remove("anyOf");
        property.extend(one);
    }
}

/// Removes the links of rustdoc, which lead nowhere here: [`crate::Verdict::runs`] becomes `runs`.
fn unlink_text(text: &str) -> String {
    let mut parts = text.split("[`");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| match part.split_once("`]") {
        Some((path, rest)) => format!("{text}`{}`{rest}", path.rsplit("::").next().unwrap_or_default()),
        None => format!("{text}[`{part}"),
    })
}

#[cfg(test)]
mod published {
    use std::fs;
    use std::path::Path;

    use super::DOCUMENTS;

    #[test]
    fn the_published_schemas_are_those_of_what_is_written() {
        for document in DOCUMENTS {
            let path = format!("docs/{}.schema.json", document.name);
            let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(&path);
            let text = format!("{:#}\n", document.build_schema());
            if std::env::var_os("BLESS").is_some() {
                fs::write(&file, &text).expect("it is written");
            }
            let now = fs::read_to_string(&file).unwrap_or_default();
            assert!(now == text, "{path} is out of date: `just bless` rewrites it");
        }
    }
}

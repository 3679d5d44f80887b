//! What is written for other programs, held against the schemas that are published for it.

use std::path::Path;

use arraign::Json;
use jsonschema::Validator;

/// The schema `docs/NAME.schema.json`.
pub(crate) fn schema(name: &str) -> Validator {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("docs/{name}.schema.json"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let schema = serde_json::from_str(&text).expect("a schema is JSON");
    jsonschema::draft202012::new(&schema).expect("a schema")
}

/// Where and why the schema refuses a document: nowhere, for what we write.
pub(crate) fn problems(schema: &Validator, document: &Json) -> Vec<String> {
    let document = serde_json::Value::from(document);
    schema.iter_errors(&document).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

//! `json_schema`: the final answer is JSON that satisfies this schema.
//!
//! A schema with more than the [plain words](args_valid.md) needs the feature `json-schema` of the crate. `cargo arraign`
//! includes it.
//!
//! <!-- settings -->
//!
//! Each violated constraint is one violation, with the position of the keyword in the schema. This case fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/json_schema/fail-invoice.yaml")]
//! ```

use std::sync::Arc;

use serde::Deserialize;

use crate::JsonSchema;
use crate::check::json_schema::{Fault, Home, Schema};
use crate::check::support::answer::{answer, saying};
use crate::check::support::answer_json::{Form, json};
use crate::check::support::forms::SchemaOrFile;
use crate::check::{Check, CheckKind, Scope};
use crate::evidence::Evidence;
use crate::outcome::{CannotDecide, Item, Outcome, Violation};
use crate::place::LoadErrors;
use crate::yaml::{Node, Unparsed};

pub(crate) const KIND: CheckKind = CheckKind::with::<AnswerSchemaSettings>(
    "json_schema",
    "the final answer is JSON that satisfies this schema",
    |node, scope| node.decode_all::<AnswerSchemaSettings>()?.build(node, scope),
)
.shorthand("schema")
.without_calls();

/// The pointer of the setting that holds the schema.
const SCHEMA: &str = "/schema";

/// Settings of `json_schema`.
#[derive(Deserialize, JsonSchema)]
struct AnswerSchemaSettings {
    /// A JSON Schema, or the path of a file that contains one (YAML or JSON).
    schema: Unparsed<SchemaOrFile>,
    /// Where the JSON is in the answer.
    json: Option<Form>,
    /// `true`: `format` is asserted. Default: `format` is an annotation.
    formats: Option<bool>,
}

struct AnswerSchema {
    schema: Arc<Schema>,
    form: Form,
}

/// The schema of a file, by whether `format` is asserted.
struct Compiled<const FORMATS: bool>(Arc<Schema>);

impl AnswerSchemaSettings {
    /// Builds the check of the settings at `node`: references in the schema are looked up there.
    fn build(self, node: Node<'_>, scope: &Scope<'_>) -> Result<Box<dyn Check>, LoadErrors> {
        let written = self.schema.node();
        let formats = self.formats.unwrap_or_default();
        let schema = match written.as_str() {
            Some(_) if formats => of_file::<true>(written, scope)?,
            Some(_) => of_file::<false>(written, scope)?,
            None => Arc::new(Home::settings(node, formats).schema(written, SCHEMA, &[], &[])?),
        };
        Ok(Box::new(AnswerSchema { schema, form: self.json.unwrap_or_default() }))
    }
}

fn of_file<const FORMATS: bool>(node: Node<'_>, scope: &Scope<'_>) -> Result<Arc<Schema>, LoadErrors> {
    let path = scope.path(node)?;
    // Many cases name the same file, which is compiled once for all of them.
    let compiled = scope.files.compiled::<Compiled<FORMATS>>(&path, || {
        let document = scope.document(node)?;
        let schema = Home::policy(&document, FORMATS).schema(document.root(), "", &[], &[])?;
        Ok(Compiled(Arc::new(schema)))
    });
    compiled.map(|compiled| Arc::clone(&compiled.0))
}

impl Check for AnswerSchema {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, CannotDecide> {
        let violations = match json(answer(evidence)?, self.form) {
            Ok(json) => {
                let faults = self.schema.faults(&json, "field")?;
                faults.describe_each(|fault| self.cite(describe_fault(fault), fault))
            }
            Err(violation) => vec![violation.at(SCHEMA)],
        };
        let item = Item::tested("the answer fits the schema", violations.is_empty());
        Ok(Outcome::of_items(vec![item], violations))
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        // Text that is no JSON is refused as well; that the schema refuses something is known since it was read.
        Some(saying(self.schema.refused().map_or_else(String::new, |value| value.to_string())))
    }
}

impl AnswerSchema {
    /// `violation` with the place of what `fault` broke: in the schema's file, or in the settings.
    fn cite(&self, violation: Violation, fault: &Fault) -> Violation {
        let cited = self.schema.cite(violation, fault);
        if cited.policy.is_some() { cited.at(SCHEMA) } else { cited }
    }
}

fn describe_fault(fault: &Fault) -> Violation {
    let violation = fault.detail(Violation::new(fault.describe_in("the answer")));
    violation.help("make the agent answer with what the schema says, or change the schema")
}

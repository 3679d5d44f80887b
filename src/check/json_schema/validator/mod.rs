//! The validator, for schemas with more than the plain words.

mod compile;
mod exact;
mod expansion;
mod explain;
mod instance;
mod keyword;

use std::sync::{Arc, OnceLock};

use jsonschema::error::ValidationErrorKind as Kind;
use jsonschema::{ValidationError, Validator};

use super::explain::part;
use super::fault::{BrokenKeyword, Fault};
use super::{Flaw, Raw, join};
use crate::json::{Json, JsonMap};
use crate::outcome::CannotDecide;
use instance::Instance;

/// Backtracking steps of one pattern on one value: some milliseconds, and the same on every machine.
const BACKTRACK_LIMIT: usize = 100_000;

/// A schema that the validator has compiled.
pub(super) struct FullSchema {
    validator: Validator<Instance>,
    /// Compares numbers by their digits, which a schema or a value needs with numbers that 64 bits do not hold.
    exact: OnceLock<Result<Validator<Instance>, CannotDecide>>,
    has_wide_number: bool,
    formats: bool,
}

impl FullSchema {
    /// Compiles `schema`, or returns all its errors.
    pub(super) fn compile(schema: &Json, formats: bool) -> Result<Self, Vec<Flaw>> {
        let validator = compile::validator(schema, formats)?;
        let has_wide_number = exact::has_wide_number(schema);
        Ok(Self { validator, exact: OnceLock::new(), has_wide_number, formats })
    }

    pub(super) fn accepts(&self, value: &Json, raw: &Raw) -> Result<bool, CannotDecide> {
        Ok(self.choose_validator(value, raw)?.is_valid(value))
    }

    /// Lists the faults of `value` in the order of the validator.
    // Most values are valid, and a plain answer is faster than a list of errors.
    pub(super) fn list_faults(
        &self,
        value: &Json,
        raw: &Raw,
        noun: &str,
    ) -> Result<Vec<Fault>, CannotDecide> {
        let validator = self.choose_validator(value, raw)?;
        if validator.is_valid(value) {
            return Ok(Vec::new());
        }
        let mut faults = Vec::new();
        for error in validator.iter_errors(value) {
            if let Some(unfinished) = describe_unfinished(&error) {
                return Err(CannotDecide::budget_exceeded(unfinished));
            }
            faults.extend(describe_error(&error, raw, value, noun));
        }
        Ok(faults)
    }

    /// Returns the validator that compares the numbers of this schema and of `value` by all their digits.
    fn choose_validator(&self, value: &Json, raw: &Raw) -> Result<&Validator<Instance>, CannotDecide> {
        if !(self.has_wide_number || exact::has_wide_number(value)) {
            return Ok(&self.validator);
        }
        let exact = self.exact.get_or_init(|| {
            compile::exact_validator(&Arc::new(raw.json.clone()), self.formats)
                .map_err(CannotDecide::budget_exceeded)
        });
        exact.as_ref().map_err(Clone::clone)
    }
}

/// Describes why the validator stopped before it could decide.
fn describe_unfinished(error: &ValidationError<'_>) -> Option<String> {
    let path = error.instance_path().as_str();
    let at = if path.is_empty() { "a value".to_owned() } else { format!("`{}`", part(path)) };
    match error.kind() {
        Kind::BacktrackLimitExceeded { .. } => {
            Some(format!("a pattern needs too many steps on {at}: simplify it, or bound its repetitions"))
        }
        Kind::Custom { message, .. } if message == exact::NOT_COMPARED => {
            Some(format!("{} in {at}", exact::NOT_COMPARED))
        }
        Kind::RegexEngineFailure { message } => Some(format!("a pattern failed on {at}: {message}")),
        _ => None,
    }
}

/// Describes the faults of `error`: one for each part that it concerns.
fn describe_error(error: &ValidationError<'_>, raw: &Raw, whole: &Json, noun: &str) -> Vec<Fault> {
    let pointer = error.instance_path().as_str().to_owned();
    // The part of the whole has the digits that were written.
    let value = whole.pointer(&pointer).unwrap_or(whole);
    let broken = BrokenKeyword { raw, keyword: keyword::keyword(error, &raw.json), pointer, value, noun };
    match error.kind() {
        Kind::Required { property } => vec![broken.describe_missing(property.as_str().unwrap_or_default())],
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            unexpected.iter().map(|name| broken.describe_unexpected(name)).collect()
        }
        // Without `properties` beside it, the validator reports the keyword as a schema that forbids the object as a whole.
        Kind::FalseSchema if is_additional(&broken) => {
            let names = value.as_object().into_iter().flat_map(JsonMap::keys);
            names.map(|name| broken.describe_unexpected(name)).collect()
        }
        _ => vec![broken.describe_value(explain::explain(error, &broken.pointer, &raw.json))],
    }
}

/// Whether the keyword is `additionalProperties`, and no property of this name.
fn is_additional(broken: &BrokenKeyword<'_>) -> bool {
    const NAME: &str = "/additionalProperties";
    broken.keyword.ends_with(NAME) && !broken.pointer.ends_with(NAME) && broken.value.is_object()
}

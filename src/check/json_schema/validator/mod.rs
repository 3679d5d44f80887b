//! The validator, for schemas with more than the plain words.

mod compile;
mod exact;
mod expansion;
mod explain;
mod instance;
mod keyword;
mod steps;

use std::sync::{Arc, OnceLock};

use jsonschema::error::ValidationErrorKind as Kind;
use jsonschema::{ValidationError, Validator};

use super::explain::{Explanation, part};
use super::fault::{BrokenKeyword, FaultBudget, Faults};
use super::home::any_object;
use super::{Flaw, MAX_STEPS, Raw, join, report_steps};
use crate::json::{Json, JsonMap};
use crate::outcome::CannotDecide;
use instance::Instance;

/// Backtracking steps of one pattern on one value: some milliseconds, and the same on every machine.
const BACKTRACK_LIMIT: usize = 100_000;

/// The largest number of steps for which the errors are listed. The validator keeps an error of about 400 bytes for each
/// option that does not fit, so these are 100 MB at most.
const MAX_LISTED_STEPS: usize = 250_000;

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
        require_steps(value, raw)?;
        Ok(self.choose_validator(value, raw)?.is_valid(value))
    }

    /// Lists the faults of `value` in the order of the validator. A value with too many parts has one fault as a whole.
    // Most values are valid, and a plain answer is faster than a list of errors.
    pub(super) fn list_faults(
        &self,
        value: &Json,
        raw: &Raw,
        noun: &str,
        budget: &FaultBudget,
    ) -> Result<Faults, CannotDecide> {
        require_steps(value, raw)?;
        let validator = self.choose_validator(value, raw)?;
        if validator.is_valid(value) {
            return Ok(Faults::default());
        }
        if !steps::fits_steps(&raw.json, value, MAX_LISTED_STEPS) {
            return self.describe_whole(value, raw, noun, budget);
        }
        let mut faults = Faults::default();
        let errors = ErrorDescriber { raw, whole: value, noun, budget };
        for error in validator.iter_errors(value) {
            if let Some(unfinished) = describe_unfinished(&error) {
                return Err(CannotDecide::budget_exceeded(unfinished));
            }
            errors.describe_error(&error, &mut faults);
        }
        Ok(faults)
    }

    /// Returns the one fault of a value that does not fit, and has too many parts to list its errors.
    fn describe_whole(
        &self,
        value: &Json,
        raw: &Raw,
        noun: &str,
        budget: &FaultBudget,
    ) -> Result<Faults, CannotDecide> {
        // Only the list of errors tells a value that does not fit from one that could not be compared.
        if self.has_wide_number || exact::has_wide_number(value) || may_stay_open(&raw.json) {
            return Err(report_steps(MAX_LISTED_STEPS));
        }
        let broken =
            BrokenKeyword { raw, keyword: String::new(), pointer: String::new(), value, noun, budget };
        let mut faults = Faults::default();
        faults.add(|| {
            broken.describe_value(Explanation::new(
                "value does not fit the schema, and has too many parts to list those that break it",
                "check a smaller part of the value, or use a schema with fewer options",
            ))
        });
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

/// Describes the errors of one value.
struct ErrorDescriber<'e> {
    raw: &'e Raw,
    whole: &'e Json,
    noun: &'e str,
    budget: &'e FaultBudget,
}

impl ErrorDescriber<'_> {
    /// Adds the faults of `error`: one for each part that it concerns.
    fn describe_error(&self, error: &ValidationError<'_>, faults: &mut Faults) {
        let pointer = error.instance_path().as_str().to_owned();
        // The part of the whole has the digits that were written.
        let value = self.whole.pointer(&pointer).unwrap_or(self.whole);
        let Self { raw, noun, budget, .. } = *self;
        let keyword = keyword::keyword(error, &raw.json);
        let broken = BrokenKeyword { raw, keyword, pointer, value, noun, budget };
        match error.kind() {
            Kind::Required { property } => {
                faults.add(|| broken.describe_missing(property.as_str().unwrap_or_default()));
            }
            Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
                for name in unexpected {
                    faults.add(|| broken.describe_unexpected(name));
                }
            }
            // Without `properties` beside it, the validator reports the keyword as a schema that forbids the object as a whole.
            Kind::FalseSchema if is_additional(&broken) => {
                let names = value.as_object().into_iter().flat_map(JsonMap::keys);
                names.for_each(|name| faults.add(|| broken.describe_unexpected(name)));
            }
            _ => {
                faults.add(|| broken.describe_value(explain::explain(error, &broken.pointer, &raw.json)));
            }
        }
    }
}

/// Returns an error if the validator would take too long for `value`.
fn require_steps(value: &Json, raw: &Raw) -> Result<(), CannotDecide> {
    if steps::fits_steps(&raw.json, value, MAX_STEPS) { Ok(()) } else { Err(report_steps(MAX_STEPS)) }
}

/// Whether the validator may give up on a value of this schema: a pattern can run out of steps.
fn may_stay_open(schema: &Json) -> bool {
    any_object(schema, &|object| {
        ["pattern", "patternProperties"].iter().any(|word| object.contains_key(word))
    })
}

/// Whether the keyword is `additionalProperties`, and no property of this name.
fn is_additional(broken: &BrokenKeyword<'_>) -> bool {
    const NAME: &str = "/additionalProperties";
    broken.keyword.ends_with(NAME) && !broken.pointer.ends_with(NAME) && broken.value.is_object()
}

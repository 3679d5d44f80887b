//! JSON Schema for checks: compiled once, and each failing constraint is found again in the user's file.
//!
//! Draft 2020-12 unless a schema says `$schema`. Nothing is fetched: a remote `$ref` is a mistake in the file.
//! [`Home`] is where schemas are read from, [`Schema`] a compiled one, [`Fault`] one constraint that failed.

mod compile;
mod constrains;
mod exact;
mod expansion;
mod explain;
mod fault;
mod home;
mod instance;
mod keyword;
mod lint;
mod origin;
mod refused;
mod slip;
mod table;
mod words;

pub(crate) use explain::shown;
pub(crate) use fault::{Fault, Subject};
pub(crate) use home::Home;
use instance::Instance;
pub(crate) use lint::{check_types, find_crossed_bounds};
pub(crate) use origin::{Origin, join};
pub(crate) use table::{FoundSchema, Table};
pub(crate) use words::{is_json_word, json_word, own_word, own_words};

use crate::json::{Json, JsonMap};
use jsonschema::Validator;
use std::sync::{Arc, OnceLock};

use crate::check::{About, Clause};
use crate::outcome::{Unfit, Violation};
use crate::pattern::ToolPattern;
use crate::place::{LoadError, LoadErrors};

/// Backtracking steps of one pattern on one value: some milliseconds, and the same on every machine.
const BACKTRACK_LIMIT: usize = 100_000;

/// A schema as JSON, and where its words stand.
#[derive(Debug)]
pub(crate) struct Raw {
    /// The schema.
    pub(crate) json: Json,
    /// Where each part of it was written.
    pub(crate) origin: Origin,
}

/// A compiled schema.
pub(crate) struct Schema {
    validator: Validator<Instance>,
    /// Compares numbers by their digits, which a schema or a value needs with numbers that 64 bits do not hold.
    exact: OnceLock<Result<Validator<Instance>, Unfit>>,
    has_wide_number: bool,
    formats: bool,
    raw: Raw,
}

impl std::fmt::Debug for Schema {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.raw.fmt(f)
    }
}

impl Schema {
    /// Compiles `raw`; each mistake is placed in the file that `home` reads. What is wrong at `said`, pointers in
    /// that file, has been said: a schema with nothing else wrong gives no further mistake, and no schema.
    pub(crate) fn compile(raw: Raw, home: &Home<'_>, said: &[String]) -> Result<Self, LoadErrors> {
        let flaws = match compile::validator(&raw.json, home.formats) {
            Ok(validator) => {
                let has_wide_number = exact::has_wide_number(&raw.json);
                return Ok(Self {
                    validator,
                    exact: OnceLock::new(),
                    has_wide_number,
                    formats: home.formats,
                    raw,
                });
            }
            Err(flaws) => flaws,
        };
        let mut errors = LoadErrors::new();
        for flaw in flaws {
            let at = raw.origin.locate(&flaw.pointer);
            // A misspelt keyword was reported when the schema was read, and would be reported again in the compiler's
            // words.
            if !said.iter().any(|said| is_at_or_below(&at, said)) {
                let error = LoadError::new(home.place(&at), flaw.problem);
                errors.push(flaw.help.into_iter().fold(error, LoadError::help));
            }
        }
        Err(errors)
    }

    /// Every constraint that `value` breaks, in a stable order. `noun` is what a part of the value is called.
    // Most values are valid, and a plain answer is faster than a list of errors.
    pub(crate) fn faults(&self, value: &Json, noun: &str) -> Result<Vec<Fault>, Unfit> {
        let validator = self.choose_validator(value)?;
        if validator.is_valid(value) {
            return Ok(Vec::new());
        }
        let mut faults = Vec::new();
        for error in validator.iter_errors(value) {
            if let Some(unfinished) = fault::unfinished(&error) {
                return Err(Unfit::budget_exceeded(unfinished));
            }
            faults.extend(fault::faults(&error, &self.raw, value, noun));
        }
        // The order of the engine is its own. Here it is that of the value and of the file.
        faults.sort_by(|a, b| (&a.rank, &a.written).cmp(&(&b.rank, &b.written)));
        Ok(faults)
    }

    /// Returns the validator that compares the numbers of this schema and of `value` by all their digits.
    fn choose_validator(&self, value: &Json) -> Result<&Validator<Instance>, Unfit> {
        if !(self.has_wide_number || exact::has_wide_number(value)) {
            return Ok(&self.validator);
        }
        let exact = self.exact.get_or_init(|| {
            compile::exact_validator(&Arc::new(self.raw.json.clone()), self.formats)
                .map_err(Unfit::budget_exceeded)
        });
        exact.as_ref().map_err(Clone::clone)
    }

    /// That calls of `tool` have these arguments, or this result.
    fn clause(&self, tool: ToolPattern) -> Clause {
        let properties = self.raw.json.get("properties").and_then(Json::as_object);
        let arguments = properties.into_iter().flat_map(JsonMap::keys).map(ToString::to_string).collect();
        let at = self.raw.origin.locate("");
        let policy = self.raw.origin.in_policy(&at);
        Clause { about: About::Calls { tool, arguments }, at, policy }
    }

    /// `violation` with the place of what `fault` broke.
    pub(crate) fn cite(&self, violation: Violation, fault: &Fault) -> Violation {
        self.raw.origin.cite(violation, &fault.written)
    }

    /// `violation` with the place of what says that a value is an object: the schema's `type`, or the schema.
    pub(crate) fn cite_type(&self, violation: Violation) -> Violation {
        let pointer = if self.raw.json.get("type").is_some() { "/type" } else { "" };
        self.raw.origin.cite(violation, &self.raw.origin.locate(pointer))
    }
}

fn is_at_or_below(pointer: &str, around: &str) -> bool {
    pointer.strip_prefix(around).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

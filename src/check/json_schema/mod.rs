//! JSON Schema for checks: compiled once, and each failing constraint is found again in the user's file.
//!
//! Draft 2020-12 unless a schema says `$schema`. Nothing is fetched: a remote `$ref` is a mistake in the file.
//! [`Home`] is where schemas are read from, [`Schema`] a compiled one, [`Fault`] one constraint that failed.
//!
//! Two engines judge values. A schema of plain words alone is judged by `plain`, in every build. Any other schema is judged by the
//! validator, which the feature `json-schema` brings.

#[cfg(all(test, feature = "json-schema"))]
mod agreement;
mod constrains;
mod explain;
mod fault;
mod home;
mod lint;
mod origin;
mod pattern;
mod plain;
mod refused;
mod slip;
mod table;
#[cfg(feature = "json-schema")]
mod validator;
mod words;

pub(crate) use explain::shown;
pub(crate) use fault::{Fault, Faults, Subject};
pub(crate) use home::Home;
pub(crate) use lint::{check_types, find_crossed_bounds};
pub(crate) use origin::{Origin, join};
pub(crate) use table::{FoundSchema, Table};
pub(crate) use words::{is_json_word, json_word, own_word, own_words};

use crate::json::{Json, JsonMap};
use explain::{explain_forbidden, explain_word};
use fault::{BrokenKeyword, FaultBudget};
use plain::{Breach, BreachKind, Breaches, PlainSchema, Refused};

#[cfg(not(feature = "json-schema"))]
use crate::check::support::missing_feature::report_missing_feature;
use crate::check::{About, Clause};
use crate::outcome::{CannotDecide, Violation};
use crate::pattern::ToolPattern;
use crate::place::{LoadError, LoadErrors};

/// The largest number of keywords that are compared with the parts of one value, options and names counted each: some
/// seconds at most. A large response of an API, 10,000 objects of 50 properties, takes a million.
const MAX_STEPS: usize = 20_000_000;

/// The largest number of faults that are listed of one value. A finding has at most 1,000 violations, and one says how many
/// faults are not listed.
const MAX_FAULTS: usize = 999;

/// Reports a value that has too many parts for its schema.
fn report_steps(limit: usize) -> CannotDecide {
    CannotDecide::budget_exceeded(format!(
        "the schema has too many keywords for a value of this size: more than {limit} comparisons"
    ))
    .help("check a smaller part of the value, or use a schema with fewer options and names")
}

/// A schema as JSON, and where its words stand.
#[derive(Debug)]
pub(crate) struct Raw {
    /// The schema.
    pub(crate) json: Json,
    /// Where each part of it was written.
    pub(crate) origin: Origin,
}

/// One error in a schema.
#[derive(Debug)]
struct Flaw {
    /// The pointer in the schema.
    pointer: String,
    /// The message.
    problem: String,
    /// The help.
    help: Option<String>,
}

impl Flaw {
    /// Describes a `pattern` that is no regular expression.
    fn of_pattern(pointer: &str, pattern: &Json) -> Self {
        Self {
            pointer: pointer.to_owned(),
            problem: format!("`{}` is not a pattern", pattern.as_str().unwrap_or_default()),
            help: Some("patterns are regular expressions of JavaScript".to_owned()),
        }
    }
}

/// A compiled schema.
pub(crate) struct Schema {
    engine: SchemaEngine,
    raw: Raw,
}

enum SchemaEngine {
    Plain(PlainSchema),
    #[cfg(feature = "json-schema")]
    Full(validator::FullSchema),
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
        match PlainSchema::compile(&raw.json, home.formats) {
            Ok(plain) => Ok(Self { engine: SchemaEngine::Plain(plain), raw }),
            Err(Refused { flaws, beyond }) if beyond.is_empty() => Err(place_flaws(flaws, &raw, home, said)),
            Err(refused) => Self::compile_beyond(raw, refused, home, said),
        }
    }

    /// Compiles a schema with more than the plain words.
    #[cfg(feature = "json-schema")]
    fn compile_beyond(raw: Raw, _: Refused, home: &Home<'_>, said: &[String]) -> Result<Self, LoadErrors> {
        match validator::FullSchema::compile(&raw.json, home.formats) {
            Ok(full) => Ok(Self { engine: SchemaEngine::Full(full), raw }),
            Err(flaws) => Err(place_flaws(flaws, &raw, home, said)),
        }
    }

    /// Refuses a schema with more than the plain words: the error stands at the first such word.
    #[cfg(not(feature = "json-schema"))]
    #[expect(clippy::needless_pass_by_value, reason = "the signature of the function that it replaces")]
    fn compile_beyond(
        raw: Raw,
        refused: Refused,
        home: &Home<'_>,
        said: &[String],
    ) -> Result<Self, LoadErrors> {
        let mut errors = place_flaws(refused.flaws, &raw, home, said);
        let first = refused.beyond.first().map_or_else(String::new, |pointer| raw.origin.locate(pointer));
        let word = crate::yaml::pointer_tokens(&first).last().unwrap_or_default();
        let subject = if word == "pattern" { "this `pattern`".to_owned() } else { format!("`{word}`") };
        errors.push(report_missing_feature(&subject, home.place(&first), "json-schema"));
        Err(errors)
    }

    /// The constraints that `value` breaks, in a stable order. `noun` is what a part of the value is called.
    pub(crate) fn faults(&self, value: &Json, noun: &str) -> Result<Faults, CannotDecide> {
        let budget = FaultBudget::new();
        let mut faults = match &self.engine {
            SchemaEngine::Plain(plain) => {
                let Breaches { listed, more, .. } = plain.find_breaches(value)?;
                let described = listed.into_iter().map(|breach| self.describe_breach(breach, noun, &budget));
                Faults { listed: described.collect(), more }
            }
            #[cfg(feature = "json-schema")]
            SchemaEngine::Full(full) => full.list_faults(value, &self.raw, noun, &budget)?,
        };
        // The order of an engine is its own. Here it is that of the value and of the file.
        faults.listed.sort_by(|a, b| (&a.rank, &a.written).cmp(&(&b.rank, &b.written)));
        Ok(faults)
    }

    fn describe_breach(&self, breach: Breach<'_>, noun: &str, budget: &FaultBudget) -> Fault {
        let Breach { keyword, pointer, value, kind } = breach;
        let broken = BrokenKeyword { raw: &self.raw, keyword, pointer, value, noun, budget };
        match kind {
            BreachKind::Missing(name) => broken.describe_missing(&name),
            BreachKind::Unexpected(name) => broken.describe_unexpected(&name),
            BreachKind::Forbidden => broken.describe_value(explain_forbidden(&broken.pointer)),
            BreachKind::Value(word) => {
                let wanted = self.raw.json.pointer(&broken.keyword).unwrap_or(&Json::Null);
                broken.describe_value(explain_word(word, wanted, value, &broken.pointer))
            }
        }
    }

    /// Whether `value` is known to satisfy the schema.
    fn accepts(&self, value: &Json) -> bool {
        match &self.engine {
            SchemaEngine::Plain(plain) => {
                plain.find_breaches(value).is_ok_and(|breaches| breaches.listed.is_empty())
            }
            #[cfg(feature = "json-schema")]
            SchemaEngine::Full(full) => full.accepts(value, &self.raw).unwrap_or_default(),
        }
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

/// Places the flaws of a schema in the user's file, without those at or below the pointers `said`.
fn place_flaws(flaws: Vec<Flaw>, raw: &Raw, home: &Home<'_>, said: &[String]) -> LoadErrors {
    let mut errors = LoadErrors::new();
    for flaw in flaws {
        let at = raw.origin.locate(&flaw.pointer);
        // A misspelt keyword was reported when the schema was read, and would be reported again in other words.
        if !said.iter().any(|said| is_at_or_below(&at, said)) {
            let error = LoadError::new(home.place(&at), flaw.problem);
            errors.push(flaw.help.into_iter().fold(error, LoadError::help));
        }
    }
    errors
}

fn is_at_or_below(pointer: &str, around: &str) -> bool {
    pointer.strip_prefix(around).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

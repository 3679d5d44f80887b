//! Judges values by the plain words of JSON Schema, which need no validator and no feature.
//!
//! The plain words are `type`, `enum`, `const`, the bounds of numbers, the sizes of texts, lists and objects, `uniqueItems`, `pattern`,
//! `required`, `properties`, `additionalProperties` and `items`. They mean the same in each draft from the seventh on. A schema of
//! these words alone is always judged here, so that its verdicts do not depend on the features of the crate. Numbers are
//! compared by their digits.
//!
//! A schema with another keyword of JSON Schema anywhere is judged by the validator as a whole.

use std::collections::HashSet;

use arraign_trace::json::JsonText;

use super::pattern::{NotPlain, PlainPattern};
use super::words::is_json_word;
use super::{Flaw, MAX_FAULTS, MAX_STEPS, join, report_steps};
use crate::json::{Json, JsonMap, JsonNumber};
use crate::outcome::CannotDecide;

/// The bytes of a text that are read at the cost of one step.
const BYTES_PER_STEP: usize = 64;

/// The drafts in which the plain words mean the same, as `$schema` names them.
const DRAFTS: &[&str] = &[
    "http://json-schema.org/draft-07/schema",
    "https://json-schema.org/draft-07/schema",
    "https://json-schema.org/draft/2019-09/schema",
    "https://json-schema.org/draft/2020-12/schema",
];

/// A keyword that compares a value, and does not look at its parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueWord {
    Type,
    Enum,
    Const,
    Maximum,
    Minimum,
    ExclusiveMaximum,
    ExclusiveMinimum,
    MaxLength,
    MinLength,
    MaxItems,
    MinItems,
    MaxProperties,
    MinProperties,
    UniqueItems,
    Pattern,
}

impl ValueWord {
    const ALL: [(&str, Self); 15] = [
        ("type", Self::Type),
        ("enum", Self::Enum),
        ("const", Self::Const),
        ("maximum", Self::Maximum),
        ("minimum", Self::Minimum),
        ("exclusiveMaximum", Self::ExclusiveMaximum),
        ("exclusiveMinimum", Self::ExclusiveMinimum),
        ("maxLength", Self::MaxLength),
        ("minLength", Self::MinLength),
        ("maxItems", Self::MaxItems),
        ("minItems", Self::MinItems),
        ("maxProperties", Self::MaxProperties),
        ("minProperties", Self::MinProperties),
        ("uniqueItems", Self::UniqueItems),
        ("pattern", Self::Pattern),
    ];
}

/// A schema of plain words.
#[derive(Debug)]
pub(super) struct PlainSchema {
    /// The pointer of the schema.
    pointer: String,
    rules: Vec<PlainRule>,
}

/// A keyword and what it demands.
#[derive(Debug)]
struct PlainRule {
    keyword: &'static str,
    demand: Demand,
}

#[derive(Debug)]
enum Demand {
    /// The schema `false`, which has no keyword.
    Nothing,
    Value(ValueWord, ValueDemand),
    Required(Vec<String>),
    Properties(Vec<(String, PlainSchema)>),
    Additional {
        known: HashSet<String>,
        schema: AdditionalProperties,
    },
    Items(Box<PlainSchema>),
}

#[derive(Debug)]
enum AdditionalProperties {
    Forbidden,
    Schema(Box<PlainSchema>),
}

/// What a [`ValueWord`] demands of a value.
#[derive(Debug)]
pub(super) enum ValueDemand {
    Types(Vec<ValueType>),
    Enum(HashSet<Json>),
    Const(Json),
    Bound(ValueWord, JsonNumber<'static>),
    Size(ValueWord, u64),
    /// Each item of a list differs from the others, or may be equal.
    Unique(bool),
    Pattern(PlainPattern),
}

/// A constraint that a value violates.
#[derive(Debug)]
pub(super) struct Breach<'v> {
    /// The pointer of the keyword in the schema.
    pub(super) keyword: String,
    /// The pointer of the value in the whole.
    pub(super) pointer: String,
    pub(super) value: &'v Json,
    pub(super) kind: BreachKind,
}

/// What is wrong with the value of a [`Breach`].
#[derive(Debug)]
pub(super) enum BreachKind {
    Value(ValueWord),
    /// The schema is `false`.
    Forbidden,
    /// The object has no property of this name.
    Missing(String),
    /// The object has a property that the schema does not know.
    Unexpected(String),
}

/// Why a schema is not judged here.
#[derive(Debug, Default)]
pub(super) struct Refused {
    /// The errors in the values of plain words.
    pub(super) flaws: Vec<Flaw>,
    /// The pointers of the keywords that are no plain words.
    pub(super) beyond: Vec<String>,
}

impl PlainSchema {
    /// Reads a schema in which only `formats` decides whether `format` is an annotation.
    pub(super) fn compile(schema: &Json, formats: bool) -> Result<Self, Refused> {
        let mut compiler = Compiler { formats, refused: Refused::default() };
        let plain = compiler.compile_schema(schema, String::new());
        let Compiler { refused, .. } = compiler;
        if refused.flaws.is_empty() && refused.beyond.is_empty() { Ok(plain) } else { Err(refused) }
    }

    /// Lists the constraints that `value` violates, up to [`MAX_FAULTS`]. Returns an error if the steps end before one was found.
    pub(super) fn find_breaches<'v>(&self, value: &'v Json) -> Result<Breaches<'v>, CannotDecide> {
        let mut breaches = Breaches { listed: Vec::new(), more: 0, steps_left: MAX_STEPS };
        self.judge(value, ValuePath::Whole, &mut breaches);
        // A constraint that is violated stays so, whatever the others are.
        if breaches.steps_left == 0 && breaches.listed.is_empty() {
            Err(report_steps(MAX_STEPS))
        } else {
            Ok(breaches)
        }
    }

    fn judge<'v>(&self, value: &'v Json, path: ValuePath<'_>, breaches: &mut Breaches<'v>) {
        for rule in &self.rules {
            let add = |kind: BreachKind, breaches: &mut Breaches<'v>| {
                breaches.add(|| {
                    let keyword = match rule.demand {
                        Demand::Nothing => self.pointer.clone(),
                        _ => join(&self.pointer, rule.keyword),
                    };
                    Breach { keyword, pointer: path.to_pointer(), value, kind }
                });
            };
            if !breaches.count_steps(rule.demand.count_steps(value)) {
                return;
            }
            match (&rule.demand, value) {
                (Demand::Nothing, _) => add(BreachKind::Forbidden, breaches),
                (Demand::Value(word, demand), value) if !demand.admits(value) => {
                    add(BreachKind::Value(*word), breaches);
                }
                (Demand::Required(names), Json::Object(object)) => {
                    for name in names.iter().filter(|name| !object.contains_key(name)) {
                        add(BreachKind::Missing(name.clone()), breaches);
                    }
                }
                (Demand::Properties(properties), Json::Object(object)) => {
                    for (name, schema) in properties {
                        let Some(property) = object.get(name) else { continue };
                        schema.judge(property, ValuePath::Property(&path, name), breaches);
                    }
                }
                (Demand::Additional { known, schema }, Json::Object(object)) => {
                    let strangers = object.iter().map(|(name, value)| (JsonText::as_str(name), value));
                    for (name, property) in strangers.filter(|(name, _)| !known.contains(*name)) {
                        match schema {
                            AdditionalProperties::Forbidden => {
                                add(BreachKind::Unexpected(name.to_owned()), breaches);
                            }
                            AdditionalProperties::Schema(schema) => {
                                schema.judge(property, ValuePath::Property(&path, name), breaches);
                            }
                        }
                    }
                }
                (Demand::Items(schema), Json::Array(items)) => {
                    for (index, item) in items.iter().enumerate() {
                        schema.judge(item, ValuePath::Item(&path, index), breaches);
                    }
                }
                // The value is as demanded, or the keyword is about objects or lists.
                _ => {}
            }
        }
    }
}

/// The constraints that a value violates.
pub(super) struct Breaches<'v> {
    pub(super) listed: Vec<Breach<'v>>,
    /// The number of further ones.
    pub(super) more: usize,
    steps_left: usize,
}

impl<'v> Breaches<'v> {
    /// Adds a breach, which is built only if it is listed: `items` of 10,000 objects may each lack 1,000 properties.
    fn add(&mut self, build: impl FnOnce() -> Breach<'v>) {
        if self.listed.len() < MAX_FAULTS { self.listed.push(build()) } else { self.more += 1 }
    }

    /// Returns false if the steps have ended.
    fn count_steps(&mut self, steps: usize) -> bool {
        self.steps_left = self.steps_left.saturating_sub(steps);
        self.steps_left > 0
    }
}

impl Demand {
    /// The steps that the keyword takes on `value`, without those of the schemas below.
    fn count_steps(&self, value: &Json) -> usize {
        1 + match (self, value) {
            (Self::Required(names), Json::Object(_)) => names.len(),
            (Self::Properties(properties), Json::Object(_)) => properties.len(),
            (Self::Additional { .. }, Json::Object(object)) => object.len(),
            // A pattern and a length read the text.
            (Self::Value(..), Json::String(text)) => text.as_str().len() / BYTES_PER_STEP,
            _ => 0,
        }
    }
}

impl ValueDemand {
    /// Returns the demand of a keyword that compares with the value `wanted`; `None` if it cannot.
    pub(super) fn of_comparison(word: ValueWord, wanted: &Json) -> Option<Self> {
        match word {
            ValueWord::Const => Some(Self::Const(wanted.clone())),
            ValueWord::Enum => wanted.as_array().map(|options| Self::Enum(options.iter().cloned().collect())),
            ValueWord::Maximum
            | ValueWord::Minimum
            | ValueWord::ExclusiveMaximum
            | ValueWord::ExclusiveMinimum => wanted.as_number().map(|limit| Self::Bound(word, limit.clone())),
            _ => None,
        }
    }

    /// Whether `value` is as demanded. A keyword about one type says nothing about the others.
    pub(super) fn admits(&self, value: &Json) -> bool {
        match (self, value) {
            (Self::Types(types), value) => types.iter().any(|wanted| wanted.includes(value)),
            (Self::Enum(options), value) => options.contains(value),
            (Self::Const(wanted), value) => wanted == value,
            (Self::Bound(word, limit), Json::Number(number)) => match word {
                ValueWord::Maximum => number <= limit,
                ValueWord::Minimum => number >= limit,
                ValueWord::ExclusiveMaximum => number < limit,
                _ => number > limit,
            },
            (Self::Size(ValueWord::MaxLength, limit), Json::String(text)) => count_characters(text) <= *limit,
            (Self::Size(ValueWord::MinLength, limit), Json::String(text)) => count_characters(text) >= *limit,
            (Self::Size(ValueWord::MaxItems, limit), Json::Array(items)) => items.len() as u64 <= *limit,
            (Self::Size(ValueWord::MinItems, limit), Json::Array(items)) => items.len() as u64 >= *limit,
            (Self::Size(ValueWord::MaxProperties, limit), Json::Object(object)) => {
                object.len() as u64 <= *limit
            }
            (Self::Size(ValueWord::MinProperties, limit), Json::Object(object)) => {
                object.len() as u64 >= *limit
            }
            (Self::Unique(true), Json::Array(items)) => {
                let mut seen = HashSet::with_capacity(items.len());
                items.iter().all(|item| seen.insert(item))
            }
            (Self::Pattern(pattern), Json::String(text)) => pattern.is_match(text),
            _ => true,
        }
    }
}

fn count_characters(text: &JsonText<'_>) -> u64 {
    text.as_str().chars().count() as u64
}

/// A type of JSON Schema.
#[derive(Debug, Clone, Copy)]
pub(super) enum ValueType {
    Array,
    Boolean,
    Integer,
    Null,
    Number,
    Object,
    String,
}

impl ValueType {
    fn find(name: &str) -> Option<Self> {
        Some(match name {
            "array" => Self::Array,
            "boolean" => Self::Boolean,
            "integer" => Self::Integer,
            "null" => Self::Null,
            "number" => Self::Number,
            "object" => Self::Object,
            "string" => Self::String,
            _ => return None,
        })
    }

    fn includes(self, value: &Json) -> bool {
        match self {
            Self::Array => value.is_array(),
            Self::Boolean => value.is_boolean(),
            // `1.0` is an integer: its value is whole.
            Self::Integer => value.as_number().is_some_and(JsonNumber::is_whole),
            Self::Null => value.is_null(),
            Self::Number => value.is_number(),
            Self::Object => value.is_object(),
            Self::String => value.is_string(),
        }
    }
}

/// The way from the whole value to a part. Its pointer is written only for a part that violates a constraint.
#[derive(Clone, Copy)]
enum ValuePath<'p> {
    Whole,
    Property(&'p ValuePath<'p>, &'p str),
    Item(&'p ValuePath<'p>, usize),
}

impl ValuePath<'_> {
    fn to_pointer(self) -> String {
        match self {
            Self::Whole => String::new(),
            Self::Property(around, name) => join(&around.to_pointer(), name),
            Self::Item(around, index) => format!("{}/{index}", around.to_pointer()),
        }
    }
}

struct Compiler {
    formats: bool,
    refused: Refused,
}

impl Compiler {
    fn compile_schema(&mut self, schema: &Json, pointer: String) -> PlainSchema {
        let rules = match schema {
            Json::Bool(true) => Vec::new(),
            Json::Bool(false) => vec![PlainRule { keyword: "", demand: Demand::Nothing }],
            Json::Object(entries) => {
                let words = entries.iter().map(|(key, value)| (JsonText::as_str(key), value));
                words
                    .filter_map(|(key, value)| self.compile_word(key, value, &join(&pointer, key), entries))
                    .collect()
            }
            other => {
                self.add_flaw(&pointer, &format!("{other} is not of types \"boolean\", \"object\""));
                Vec::new()
            }
        };
        PlainSchema { pointer, rules }
    }

    /// Compiles one keyword, whose pointer is `at`; `None` for an annotation, and for a keyword that was refused.
    fn compile_word(&mut self, key: &str, value: &Json, at: &str, around: &JsonMap) -> Option<PlainRule> {
        let rule = |keyword, demand| Some(PlainRule { keyword, demand });
        match key {
            "required" => rule("required", Demand::Required(self.read_names(value, at)?)),
            "properties" => rule("properties", Demand::Properties(self.compile_each(value, at)?)),
            "additionalProperties" => {
                let schema = match value {
                    Json::Bool(true) => return None,
                    Json::Bool(false) => AdditionalProperties::Forbidden,
                    schema => {
                        AdditionalProperties::Schema(Box::new(self.compile_schema(schema, at.to_owned())))
                    }
                };
                let properties = around.get("properties").and_then(Json::as_object);
                let known = properties.into_iter().flat_map(JsonMap::keys).map(ToString::to_string).collect();
                rule("additionalProperties", Demand::Additional { known, schema })
            }
            // A list of schemas under `items` is a word of older drafts.
            "items" if !value.is_array() => {
                rule("items", Demand::Items(Box::new(self.compile_schema(value, at.to_owned()))))
            }
            // Without a reference, definitions constrain nothing, but mistakes in them are mistakes.
            "$defs" => {
                self.compile_each(value, at);
                None
            }
            "$schema"
                if value.as_str().is_some_and(|draft| DRAFTS.contains(&draft.trim_end_matches('#'))) =>
            {
                None
            }
            "format" if !self.formats => self.require_type(value, at, "string"),
            "title" | "description" | "$comment" => self.require_type(value, at, "string"),
            "deprecated" | "readOnly" | "writeOnly" => self.require_type(value, at, "boolean"),
            "examples" => self.require_type(value, at, "array"),
            "default" => None,
            key => {
                let Some((keyword, word)) = ValueWord::ALL.iter().find(|(name, _)| *name == key) else {
                    // A word that JSON Schema does not know is an annotation.
                    self.refused.beyond.extend(is_json_word(key).then(|| at.to_owned()));
                    return None;
                };
                rule(keyword, Demand::Value(*word, self.compile_value(*word, value, at)?))
            }
        }
    }

    fn compile_value(&mut self, word: ValueWord, value: &Json, at: &str) -> Option<ValueDemand> {
        match word {
            ValueWord::Type => {
                let names = match value {
                    Json::Array(names) => names.as_slice(),
                    name => std::slice::from_ref(name),
                };
                let types: Option<Vec<ValueType>> =
                    names.iter().map(|name| name.as_str().and_then(ValueType::find)).collect();
                let Some(types) = types.filter(|types| !types.is_empty()) else {
                    self.add_flaw(at, &format!("{value} is no type"));
                    return None;
                };
                Some(ValueDemand::Types(types))
            }
            ValueWord::Enum => {
                self.require_type(value, at, "array");
                ValueDemand::of_comparison(word, value)
            }
            ValueWord::Const => ValueDemand::of_comparison(word, value),
            ValueWord::Maximum
            | ValueWord::Minimum
            | ValueWord::ExclusiveMaximum
            | ValueWord::ExclusiveMinimum => {
                self.require_type(value, at, "number");
                ValueDemand::of_comparison(word, value)
            }
            ValueWord::MaxLength
            | ValueWord::MinLength
            | ValueWord::MaxItems
            | ValueWord::MinItems
            | ValueWord::MaxProperties
            | ValueWord::MinProperties => {
                let limit = value.as_number().filter(|number| number.is_whole());
                if limit.is_none() {
                    self.require_type(value, at, "integer");
                } else if limit.is_some_and(JsonNumber::is_negative) {
                    self.add_flaw(at, &format!("{value} is less than the minimum of 0"));
                }
                read_size(value).map(|limit| ValueDemand::Size(word, limit))
            }
            ValueWord::UniqueItems => {
                self.require_type(value, at, "boolean");
                value.as_bool().map(ValueDemand::Unique)
            }
            ValueWord::Pattern => {
                self.require_type(value, at, "string");
                match PlainPattern::compile(value.as_str()?) {
                    Ok(pattern) => return Some(ValueDemand::Pattern(pattern)),
                    Err(NotPlain::Invalid) => self.refused.flaws.push(Flaw::of_pattern(at, value)),
                    Err(NotPlain::Beyond) => self.refused.beyond.push(at.to_owned()),
                }
                None
            }
        }
    }

    fn compile_each(&mut self, schemas: &Json, at: &str) -> Option<Vec<(String, PlainSchema)>> {
        self.require_type(schemas, at, "object");
        let schemas = schemas.as_object()?.iter();
        let compiled =
            schemas.map(|(name, schema)| (name.to_string(), self.compile_schema(schema, join(at, name))));
        Some(compiled.collect())
    }

    fn read_names(&mut self, names: &Json, at: &str) -> Option<Vec<String>> {
        self.require_type(names, at, "array");
        let list = names.as_array()?;
        for (index, name) in list.iter().enumerate() {
            self.require_type(name, &format!("{at}/{index}"), "string");
        }
        let mut seen = HashSet::with_capacity(list.len());
        if !list.iter().all(|name| seen.insert(name)) {
            self.add_flaw(at, &format!("{names} has non-unique elements"));
        }
        list.iter().map(|name| name.as_str().map(str::to_owned)).collect()
    }

    /// Adds a flaw if `value` is not of the type `wanted`. Returns `None`: an annotation has no rule.
    fn require_type(&mut self, value: &Json, at: &str, wanted: &str) -> Option<PlainRule> {
        if !ValueType::find(wanted).is_some_and(|wanted| wanted.includes(value)) {
            self.add_flaw(at, &format!("{value} is not of type \"{wanted}\""));
        }
        None
    }

    fn add_flaw(&mut self, at: &str, problem: &str) {
        let problem = format!("not a valid schema: {problem}");
        self.refused.flaws.push(Flaw { pointer: at.to_owned(), problem, help: None });
    }
}

/// Reads a limit of sizes. No size is above the largest one that 64 bits hold.
pub(super) fn read_size(limit: &Json) -> Option<u64> {
    let number = limit.as_number().filter(|number| number.is_whole() && !number.is_negative())?;
    let float = number.as_f64().unwrap_or(f64::MAX);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole, and not negative")]
    Some(number.as_u64().unwrap_or(float as u64))
}

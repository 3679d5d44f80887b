//! The forms of arguments that users write, for the schema.
#![expect(dead_code, reason = "the types describe forms, and hold no value")]

use std::collections::BTreeMap;

use super::test::JsonType;
use crate::check::support::forms::InlineSchema;
use crate::json::Json;
use crate::yaml::OneOrMany;

/// The arguments of a call, by name.
pub(crate) type WrittenArguments = BTreeMap<String, WrittenArgument>;

/// A value, or a matcher: a mapping with only these words.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(untagged, rename = "argument"))]
pub(crate) enum WrittenArgument {
    Matcher(Box<MatcherWords>),
    Literal(Json),
}

/// The words of a matcher. All of them must hold.
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(deny_unknown_fields, rename = "matcher")
)]
pub(crate) struct MatcherWords {
    /// One of these values.
    any: Option<Vec<WrittenArgument>>,
    /// This value, even if it looks like a matcher. With `jsonpath`: the value that the path selects.
    equals: Option<Json>,
    /// A number of at least this.
    at_least: Option<f64>,
    /// A number of at most this.
    at_most: Option<f64>,
    /// A number above this.
    above: Option<f64>,
    /// A number below this.
    below: Option<f64>,
    /// A number from the first to the second, both included.
    between: Option<[f64; 2]>,
    /// A text that this JavaScript regular expression matches: `^DE\d+`, `/headphones?/i`.
    matches: Option<String>,
    /// A text that contains this text, or a list that contains this element.
    contains: Option<WrittenArgumentBox>,
    /// A text that starts with this text.
    starts_with: Option<String>,
    /// A value of this type, or of one of these types.
    one_of_type: Option<OneOrMany<JsonType>>,
    /// A value that satisfies this JSON Schema.
    schema: Option<InlineSchema>,
    /// A text, list or mapping of this length.
    length: Option<WrittenLength>,
    /// `true`: the argument must be absent.
    absent: Option<bool>,
    /// `true`: the argument may be left out.
    optional: Option<bool>,
    /// An RFC 9535 path, which must select something in the value. The other words apply to the selected values.
    jsonpath: Option<String>,
    /// A text that is similar to another: 1 minus the share of edits.
    similar: Option<WrittenSimilarity>,
}

type WrittenArgumentBox = Box<WrittenArgument>;

#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(untagged, inline))]
enum WrittenLength {
    Exactly(u64),
    Bounds(LengthBounds),
}

#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(deny_unknown_fields, inline))]
struct LengthBounds {
    /// The minimum length.
    at_least: Option<u64>,
    /// The maximum length.
    at_most: Option<u64>,
    /// A length above this.
    above: Option<u64>,
    /// A length below this.
    below: Option<u64>,
    /// The minimum and the maximum length.
    between: Option<[u64; 2]>,
}

#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(deny_unknown_fields, inline))]
struct WrittenSimilarity {
    /// The other text.
    to: String,
    /// The minimum similarity, above 0 and up to 1.
    at_least: f64,
}

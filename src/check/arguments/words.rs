//! The words of matchers.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::ValueMatcher;
use super::relation::{Relation, RelationSource};
use super::test::{Bound, JsonType, ValueTest};
use crate::JsonSchema;
use crate::check::json_schema::Home;
use crate::check::support::forms::InlineSchema;
use crate::json::{Json, JsonNumber};
use crate::pattern::{Flags, JsRegex, JsonPath, ToolPattern};
use crate::place::{LoadError, LoadErrors, Place};
use crate::yaml::{MappingOr, Node, OneOrMany, Placed, Unparsed, even_null, read_all};

/// The arguments of a call, by name.
pub(crate) type WrittenArguments = BTreeMap<String, WrittenArgument>;

/// A value, or a matcher: a mapping with only these words.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "argument")]
pub(crate) struct WrittenArgument(Unparsed<MappingOr<MatcherWords, Json>>);

/// The words of a matcher. All of them must hold.
#[derive(Default, Deserialize, JsonSchema)]
#[schemars(rename = "matcher")]
#[serde(deny_unknown_fields)]
pub(crate) struct MatcherWords {
    /// One of these values.
    #[serde(default, deserialize_with = "even_null")]
    any: Option<Placed<Vec<WrittenArgument>>>,
    /// This value, even if it looks like a matcher. With `jsonpath`: the value that the path selects.
    #[serde(default, deserialize_with = "even_null")]
    equals: Option<Json>,
    /// A number of at least this.
    #[serde(default, deserialize_with = "even_null")]
    at_least: Option<Placed<WrittenLimit>>,
    /// A number of at most this.
    #[serde(default, deserialize_with = "even_null")]
    at_most: Option<Placed<WrittenLimit>>,
    /// A number above this.
    #[serde(default, deserialize_with = "even_null")]
    above: Option<Placed<WrittenLimit>>,
    /// A number below this.
    #[serde(default, deserialize_with = "even_null")]
    below: Option<Placed<WrittenLimit>>,
    /// A number from the first to the second, both included.
    #[serde(default, deserialize_with = "even_null")]
    between: Option<Placed<WrittenRange>>,
    /// A text that this JavaScript regular expression matches: `^DE\d+`, `/headphones?/i`.
    #[serde(default, deserialize_with = "even_null")]
    matches: Option<WrittenPattern>,
    /// A text that contains this text, or a list that contains this element.
    #[serde(default, deserialize_with = "even_null")]
    contains: Option<Box<WrittenArgument>>,
    /// A text that starts with this text.
    #[serde(default, deserialize_with = "even_null")]
    starts_with: Option<WrittenStart>,
    /// A value of this type, or of one of these types.
    #[serde(default, deserialize_with = "even_null")]
    one_of_type: Option<Placed<OneOrMany<JsonType>>>,
    /// A value that satisfies this JSON Schema.
    #[serde(default, deserialize_with = "even_null")]
    schema: Option<Unparsed<InlineSchema>>,
    /// A text, list or mapping of this length.
    #[serde(default, deserialize_with = "even_null")]
    length: Option<Placed<MappingOr<LengthBounds, usize>>>,
    /// `true`: the argument must be absent.
    pub(super) absent: Option<Placed<bool>>,
    /// `true`: the argument may be left out.
    pub(super) optional: Option<Placed<bool>>,
    /// An RFC 9535 path, which must select something in the value. The other words apply to the selected values.
    jsonpath: Option<JsonPath>,
    /// A text that is similar to another: 1 minus the share of edits.
    #[serde(default, deserialize_with = "even_null")]
    similar: Option<WrittenSimilarity>,
    /// A value that comes from elsewhere in the run: `prompt`, a figure or whole words of the user's text; `result`, a value in
    /// an earlier result.
    from: Option<Placed<RelationSource>>,
    /// With `from: result`: the tool of the earlier call.
    of: Option<Placed<ToolPattern>>,
    /// With `from: result`: the RFC 9535 path to the value in the result.
    path: Option<Placed<JsonPath>>,
}

/// A length with a minimum or a maximum.
#[derive(Default, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(deny_unknown_fields)]
struct LengthBounds {
    /// The minimum length.
    #[serde(default, deserialize_with = "even_null")]
    at_least: Option<Placed<WrittenLimit>>,
    /// The maximum length.
    #[serde(default, deserialize_with = "even_null")]
    at_most: Option<Placed<WrittenLimit>>,
    /// A length above this.
    #[serde(default, deserialize_with = "even_null")]
    above: Option<Placed<WrittenLimit>>,
    /// A length below this.
    #[serde(default, deserialize_with = "even_null")]
    below: Option<Placed<WrittenLimit>>,
    /// The minimum and the maximum length.
    #[serde(default, deserialize_with = "even_null")]
    between: Option<Placed<WrittenRange>>,
}

/// A text, and how similar a value must be to it.
#[derive(Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(deny_unknown_fields)]
struct WrittenSimilarity {
    /// The other text.
    to: String,
    /// The minimum similarity, above 0 and up to 1.
    at_least: SimilarityShare,
}

/// A number with its digits.
#[derive(Deserialize, JsonSchema)]
#[schemars(with = "f64", inline)]
#[serde(try_from = "Json")]
struct WrittenLimit(JsonNumber<'static>);

impl TryFrom<Json> for WrittenLimit {
    type Error = String;

    fn try_from(value: Json) -> Result<Self, String> {
        match value {
            Json::Number(number) => Ok(Self(number)),
            Json::String(text) => Err(format!("expected a number, found the text `{text}`")),
            other => Err(format!("expected a number, found {}", other.describe())),
        }
    }
}

/// The least and the greatest number.
#[derive(Deserialize, JsonSchema)]
#[schemars(with = "[f64; 2]", inline)]
#[serde(try_from = "Vec<WrittenLimit>")]
struct WrittenRange([WrittenLimit; 2]);

impl TryFrom<Vec<WrittenLimit>> for WrittenRange {
    type Error = &'static str;

    fn try_from(limits: Vec<WrittenLimit>) -> Result<Self, Self::Error> {
        limits.try_into().map(Self).map_err(|_| "`between` is a list of two numbers: `[1, 5]`")
    }
}

/// A pattern that is not empty.
#[derive(Deserialize, JsonSchema)]
#[schemars(with = "String", inline)]
#[serde(try_from = "String")]
struct WrittenPattern(JsRegex);

impl TryFrom<String> for WrittenPattern {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if text.is_empty() {
            return Err("an empty pattern matches everything".to_owned());
        }
        let pattern = JsRegex::parse_user(&text, Flags::default());
        pattern.map(Self).map_err(|error| format!("`{text}` is not a pattern: {error}"))
    }
}

/// The beginning of a text, which is not empty.
#[derive(Deserialize, JsonSchema)]
#[schemars(with = "String", inline)]
#[serde(try_from = "String")]
struct WrittenStart(String);

impl TryFrom<String> for WrittenStart {
    type Error = &'static str;

    fn try_from(start: String) -> Result<Self, Self::Error> {
        if start.is_empty() { Err("every text starts with an empty one") } else { Ok(Self(start)) }
    }
}

/// A number above 0, up to 1.
#[derive(Deserialize, JsonSchema)]
#[schemars(with = "f64", inline)]
#[serde(try_from = "f64")]
struct SimilarityShare(f64);

impl TryFrom<f64> for SimilarityShare {
    type Error = String;

    fn try_from(share: f64) -> Result<Self, String> {
        if share > 0.0 && share <= 1.0 {
            Ok(Self(share))
        } else {
            Err(format!("expected a share above 0, up to 1, found `{share}`"))
        }
    }
}

impl WrittenArgument {
    fn node(&self) -> Node<'_> {
        self.0.node()
    }
}

impl MatcherWords {
    /// Refuses the words about the presence of an argument where only its value is read.
    pub(super) fn refuse_presence(&self, errors: &mut LoadErrors) {
        for (word, flag) in [("absent", &self.absent), ("optional", &self.optional)] {
            // `false` asks for nothing.
            let Some(flag) = flag.as_ref().filter(|flag| ***flag) else { continue };
            let error = flag.error(format!("`{word}` is about the argument, not about one of its values"));
            errors.push(error.help("write `optional: true` beside the other words of the argument"));
        }
    }

    /// Builds the tests of a value. With `jsonpath`, the other words are about what the path selects.
    pub(super) fn build_tests(self, errors: &mut LoadErrors) -> Vec<ValueTest> {
        let mut bounds = PlacedBounds::default();
        bounds.add(Bound::AtLeast, self.at_least);
        bounds.add(Bound::AtMost, self.at_most);
        bounds.add(Bound::Above, self.above);
        bounds.add(Bound::Below, self.below);
        bounds.add_range(self.between);
        let mut tests = errors.take(bounds.build()).unwrap_or_default();
        tests.extend(self.equals.map(ValueTest::Equals));
        tests.extend(self.any.and_then(|values| errors.take(build_any(&values))));
        tests.extend(self.matches.map(|pattern| ValueTest::Matches(pattern.0)));
        tests.extend(self.contains.and_then(|part| errors.take(build_contains(part.node()))));
        tests.extend(self.starts_with.map(|start| ValueTest::StartsWith(start.0)));
        tests.extend(self.one_of_type.and_then(|types| errors.take(build_types(types))));
        tests.extend(self.schema.and_then(|schema| errors.take(build_schema(schema.node()))));
        tests.extend(self.length.and_then(|length| errors.take(build_length(length))));
        tests.extend(
            self.similar.map(|similar| ValueTest::Similar { to: similar.to, at_least: similar.at_least.0 }),
        );
        let relation = build_relation(self.from, self.of, self.path);
        // A word that has a mistake of its own is not missing.
        if relation.is_ok() || errors.is_empty() {
            tests.extend(errors.take(relation).flatten().map(ValueTest::From));
        }
        match self.jsonpath {
            Some(path) => vec![ValueTest::Path(path, tests)],
            None => tests,
        }
    }
}

/// Builds the relation of the words `from`, `of` and `path`.
fn build_relation(
    from: Option<Placed<RelationSource>>,
    of: Option<Placed<ToolPattern>>,
    path: Option<Placed<JsonPath>>,
) -> Result<Option<Relation>, LoadError> {
    let Some(from) = from else { return Ok(None) };
    match (*from, of, path) {
        (RelationSource::Prompt, None, None) => Ok(Some(Relation::Prompt)),
        (RelationSource::Prompt, Some(of), _) => Err(of.error("`of` has no meaning with `from: prompt`")),
        (RelationSource::Prompt, _, Some(path)) => {
            Err(path.error("`path` has no meaning with `from: prompt`"))
        }
        (RelationSource::Result, Some(of), Some(path)) => {
            Ok(Some(Relation::Result { of: of.into_value(), path: path.into_value() }))
        }
        (RelationSource::Result, None, _) => Err(from
            .error("`of` is missing")
            .help("name the tool: `{from: result, of: get_order, path: $.total}`")),
        (RelationSource::Result, _, None) => Err(from
            .error("`path` is missing")
            .help("say where the value is in the result: `path: $.total`, or `path: $` for all of it")),
    }
}

fn build_any(values: &Placed<Vec<WrittenArgument>>) -> Result<ValueTest, LoadErrors> {
    if values.is_empty() {
        return Err(values.error("`any` must list at least one value").into());
    }
    read_all(values.iter().map(|value| ValueMatcher::read(value.node()))).map(ValueTest::Any)
}

fn build_contains(part: Node<'_>) -> Result<ValueTest, LoadErrors> {
    if part.as_str() == Some("") {
        return Err(part.error("an empty text is in every text").into());
    }
    ValueMatcher::read(part).map(ValueTest::Contains)
}

fn build_types(types: Placed<OneOrMany<JsonType>>) -> Result<ValueTest, LoadError> {
    if types.0.is_empty() {
        return Err(types.error("`one_of_type` names at least one type"));
    }
    Ok(ValueTest::Type(types.into_value().0))
}

fn build_schema(node: Node<'_>) -> Result<ValueTest, LoadErrors> {
    let schema = Home::settings(node, false).schema(node, "", &[], &[])?;
    Ok(ValueTest::Schema(Box::new(schema)))
}

fn build_length(length: Placed<MappingOr<LengthBounds, usize>>) -> Result<ValueTest, LoadError> {
    let place = length.place().clone();
    let written = match length.into_value() {
        MappingOr::Short(length) => return Ok(ValueTest::Length(vec![ValueTest::Equals(length.into())])),
        MappingOr::Mapping(written) => written,
    };
    let mut bounds = PlacedBounds::default();
    bounds.add(Bound::AtLeast, written.at_least);
    bounds.add(Bound::AtMost, written.at_most);
    bounds.add(Bound::Above, written.above);
    bounds.add(Bound::Below, written.below);
    bounds.add_range(written.between);
    if bounds.0.is_empty() {
        return Err(LoadError::new(place, "a length is a number or has bounds: `{at_least: 1}`"));
    }
    bounds.build().map(ValueTest::Length)
}

/// The bounds of one number.
#[derive(Default)]
struct PlacedBounds(Vec<PlacedBound>);

/// A bound, and where it is written.
struct PlacedBound {
    bound: Bound,
    limit: JsonNumber<'static>,
    place: Place,
}

impl PlacedBound {
    fn is_lower(&self) -> bool {
        matches!(self.bound, Bound::AtLeast | Bound::Above)
    }

    /// Whether a number can be above this bound and below `upper`.
    fn leaves_room_below(&self, upper: &Self) -> bool {
        // Equal limits leave one number, unless one of the two is open.
        let is_open = self.bound == Bound::Above || upper.bound == Bound::Below;
        self.limit < upper.limit || self.limit == upper.limit && !is_open
    }
}

impl PlacedBounds {
    fn add(&mut self, bound: Bound, limit: Option<Placed<WrittenLimit>>) {
        self.0.extend(limit.map(|limit| {
            let place = limit.place().clone();
            PlacedBound { bound, limit: limit.into_value().0, place }
        }));
    }

    fn add_range(&mut self, range: Option<Placed<WrittenRange>>) {
        let Some(range) = range else { return };
        let place = range.place().clone();
        let WrittenRange([low, high]) = range.into_value();
        self.0.push(PlacedBound { bound: Bound::AtLeast, limit: low.0, place: place.clone() });
        self.0.push(PlacedBound { bound: Bound::AtMost, limit: high.0, place });
    }

    /// Builds a test of each bound. Bounds between which there is nothing are a mistake.
    fn build(self) -> Result<Vec<ValueTest>, LoadError> {
        // Every lower bound is held against every upper bound, since any two of them may exclude each other.
        for low in self.0.iter().filter(|bound| bound.is_lower()) {
            let mut upper = self.0.iter().filter(|bound| !bound.is_lower());
            if let Some(high) = upper.find(|high| !low.leaves_room_below(high)) {
                let problem =
                    format!("no number is within these bounds: from {} to {}", low.limit, high.limit);
                return Err(LoadError::new(high.place.clone(), problem));
            }
        }
        Ok(self.0.into_iter().map(|bound| ValueTest::Bound(bound.bound, bound.limit)).collect())
    }
}

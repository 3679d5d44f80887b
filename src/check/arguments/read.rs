//! Reading arguments and their matchers from a case.

use std::sync::LazyLock;

use super::test::{Bound, JsonType, ValueTest};
use super::{
    ArgumentMatcher, ArgumentsMatcher, ArgumentsMode, IgnoredPaths, Presence, ResultMatcher, ValueMatcher,
};
use crate::check::support::reading::require_entries;
use crate::json::{Json, JsonMap, JsonNumber};
use crate::pattern::{Flags, JsRegex, JsonPath, WordList, list_words};
use crate::place::{LoadError, LoadErrors};
use crate::yaml::{Fields, Node, Value as Yaml, did_you_mean, read_all};

/// The words of matchers.
pub(crate) static WORDS: WordList = LazyLock::new(|| {
    list_words(
        "absent above any at_least at_most below between contains equals jsonpath length matches one_of_type \
     optional schema similar starts_with",
    )
});

/// The bounds, by their words.
const BOUNDS: [(&str, Bound); 4] = [
    ("at_least", Bound::AtLeast),
    ("at_most", Bound::AtMost),
    ("above", Bound::Above),
    ("below", Bound::Below),
];

/// The settings that all written arguments of one tool share.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ToolArguments<'t> {
    /// The name of the tool.
    pub(crate) tool: &'t str,
    pub(crate) ignored: &'t IgnoredPaths,
    /// The value of an argument that a call leaves out.
    pub(crate) defaults: &'t JsonMap,
}

/// Reads the mapping of argument names to values and matchers at `node`.
pub(crate) fn read_arguments(
    node: Node<'_>,
    mode: ArgumentsMode,
    of_tool: ToolArguments<'_>,
) -> Result<ArgumentsMatcher, LoadErrors> {
    let entries = require_entries(node, "arguments are a mapping of names to values")?;
    let mut errors = LoadErrors::new();
    let mut written = Vec::new();
    // An ignored argument is compared with nothing, so its matcher would never be used.
    for (key, value) in entries.filter(|(key, _)| !of_tool.ignores(&key.name)) {
        if errors.take(refuse_slips(value)).is_none() {
            continue;
        }
        let read = errors.take(ArgumentMatcher::read(value));
        written.extend(read.map(|matcher| (key.name.to_string(), matcher.without(of_tool, &key.name))));
    }
    errors.or(ArgumentsMatcher { written, mode, defaults: of_tool.defaults.clone() })
}

impl ToolArguments<'_> {
    fn ignores(self, path: &str) -> bool {
        self.ignored.include(self.tool, path)
    }
}

/// Whether the value is a mapping of matcher words alone.
fn is_matcher(node: Node<'_>) -> bool {
    let mut entries = node.entries().into_iter().flatten().peekable();
    entries.peek().is_some() && entries.all(|(key, _)| WORDS.contains(&key.name.as_str()))
}

/// The words of matchers that are ordinary keys of values, too. `cargo arraign lint` reports them beside other keys.
pub(crate) const ORDINARY_WORDS: [&str; 5] = ["any", "contains", "length", "optional", "schema"];

/// Refuses a mapping that is compared as a value, and looks like a matcher with a slip: a misspelt word, or a word beside
/// keys that are none.
fn refuse_slips(node: Node<'_>) -> Result<(), LoadErrors> {
    let mut errors = LoadErrors::new();
    let is_matcher = is_matcher(node);
    for (key, value) in node.entries().into_iter().flatten() {
        let name = key.name.as_str();
        if is_matcher {
            // Of the words of a matcher, these two hold values that may be matchers again.
            if ["any", "contains"].contains(&name) {
                errors.take(refuse_slips(value));
            }
        } else if let Some(word) = find_near_word(name) {
            let error = LoadError::new(node.key_place(name), format!("`{name}` is no word of a matcher"));
            errors.push(
                error.help(format!("did you mean `{word}`? `equals: {{...}}` compares with a mapping")),
            );
        } else if WORDS.contains(&name) && !ORDINARY_WORDS.contains(&name) {
            let problem = format!("`{name}` is a word of a matcher, and stands beside keys that are none");
            let error = LoadError::new(node.key_place(name), problem);
            errors.push(error.help("take them apart; `equals: {...}` compares with a mapping"));
        } else {
            errors.take(refuse_slips(value));
        }
    }
    for element in node.list().into_iter().flatten() {
        errors.take(refuse_slips(element));
    }
    errors.or(())
}

/// Finds the word that a key is a slip of: up to two edits from a word of seven letters or more, one from a shorter one.
fn find_near_word(key: &str) -> Option<&'static str> {
    if WORDS.contains(&key) {
        return None;
    }
    let lower = key.to_lowercase().replace('-', "_");
    let near = WORDS.iter().copied().filter_map(|word| {
        let most = match word.len() {
            ..4 => 0,
            4..7 => 1,
            _ => 2,
        };
        let edits = strsim::damerau_levenshtein(&lower, word);
        (edits <= most && most > 0).then_some((edits, word))
    });
    near.min().map(|(_, word)| word)
}

impl ArgumentMatcher {
    /// Reads one argument.
    pub(crate) fn read(node: Node<'_>) -> Result<Self, LoadErrors> {
        if !is_matcher(node) {
            return Ok(Self { value: ValueMatcher::read(node)?, presence: Presence::Required });
        }
        let mut fields = Fields::of(node, "a matcher")?;
        let presence = read_presence(&mut fields, node);
        let tests = read_tests(&mut fields);
        fields.finish(Self { value: ValueMatcher::Tests(tests), presence })
    }

    /// The argument without its ignored parts.
    fn without(self, of_tool: ToolArguments<'_>, path: &str) -> Self {
        Self { value: self.value.without(of_tool, path), ..self }
    }
}

/// Refuses the words about the presence of an argument where only its value is read.
fn refuse_presence(fields: &mut Fields<'_>) {
    for word in ["absent", "optional"] {
        // `false` asks for nothing.
        let Some(node) = fields.node(word).filter(|node| *node.value() != Yaml::Bool(false)) else {
            continue;
        };
        let error = node.error(format!("`{word}` is about the argument, not about one of its values"));
        let _: Option<()> =
            fields.take(Err(error.help("write `optional: true` beside the other words of the argument")));
    }
}

impl ValueMatcher {
    /// Reads a value: a matcher, a list or mapping with matchers inside, or a literal.
    pub(crate) fn read(node: Node<'_>) -> Result<Self, LoadErrors> {
        if is_matcher(node) {
            let mut fields = Fields::of(node, "a matcher")?;
            refuse_presence(&mut fields);
            let tests = read_tests(&mut fields);
            return fields.finish(Self::Tests(tests));
        }
        // Without a matcher inside, the whole value is compared at once.
        if !has_matcher(node) {
            return Ok(Self::Literal(node.to_json()));
        }
        match node.list() {
            Some(elements) => read_all(elements.map(Self::read)).map(Self::List),
            None => Self::read_object(node),
        }
    }

    fn read_object(node: Node<'_>) -> Result<Self, LoadErrors> {
        let entries = node.entries().into_iter().flatten();
        let fields = entries.map(|(key, value)| Ok((key.name.to_string(), ArgumentMatcher::read(value)?)));
        read_all::<_, LoadErrors>(fields).map(Self::Object)
    }

    fn without(self, of_tool: ToolArguments<'_>, path: &str) -> Self {
        match self {
            Self::Literal(mut value) => {
                of_tool.ignored.strip_value(&mut value, of_tool.tool, path);
                Self::Literal(value)
            }
            Self::Object(fields) => {
                let named = fields.into_iter().map(|(name, field)| (format!("{path}.{name}"), name, field));
                let kept = named.filter(|(path, ..)| !of_tool.ignores(path));
                Self::Object(kept.map(|(path, name, field)| (name, field.without(of_tool, &path))).collect())
            }
            other => other,
        }
    }
}

/// Whether a matcher is anywhere inside.
fn has_matcher(node: Node<'_>) -> bool {
    let inside = node.entries().into_iter().flatten().map(|(_, value)| value);
    let elements = node.list().into_iter().flatten();
    inside.chain(elements).any(|value| is_matcher(value) || has_matcher(value))
}

fn read_presence(fields: &mut Fields<'_>, node: Node<'_>) -> Presence {
    let absent = fields.optional::<bool>("absent").unwrap_or_default();
    let optional = fields.optional::<bool>("optional").unwrap_or_default();
    // The key itself is among the entries.
    let others = node.entries().into_iter().flatten().count() - 1;
    if absent && others > 0 {
        fields.errors.push(node.error("`absent: true` stands alone: an absent argument has no value"));
    }
    match (absent, optional) {
        (true, _) => Presence::Absent,
        (_, true) => Presence::Optional,
        _ => Presence::Required,
    }
}

/// Reads the words of a matcher. With `jsonpath`, the other words are about what the path selects.
fn read_tests(fields: &mut Fields<'_>) -> Vec<ValueTest> {
    let mut tests = read_plain_tests(fields);
    let Some(path) = fields.optional::<JsonPath>("jsonpath") else { return tests };
    vec![ValueTest::Path(path, std::mem::take(&mut tests))]
}

fn read_plain_tests(fields: &mut Fields<'_>) -> Vec<ValueTest> {
    let mut tests = read_bounds(fields);
    tests.extend(fields.node("equals").map(|node| ValueTest::Equals(node.to_json())));
    let any = fields.node("any").map(read_any);
    let matches = fields.node("matches").map(read_pattern);
    let contains = fields.node("contains").map(read_part);
    let starts = fields.node("starts_with").map(read_start);
    let types = fields.node("one_of_type").map(read_types);
    let schema = fields.node("schema").map(read_schema);
    let length = fields.node("length").map(read_length);
    let similar = fields.node("similar").map(read_similar);
    for read in [any, matches, contains, starts, types, schema, length, similar].into_iter().flatten() {
        tests.extend(fields.take(read));
    }
    tests
}

fn read_any(node: Node<'_>) -> Result<ValueTest, LoadErrors> {
    let Some(values) = node.list().filter(|values| values.len() > 0) else {
        return Err(node.error("`any` must list at least one value").into());
    };
    read_all(values.map(ValueMatcher::read)).map(ValueTest::Any)
}

fn read_pattern(node: Node<'_>) -> Result<ValueTest, LoadErrors> {
    let text: String = node.decode()?;
    if text.is_empty() {
        return Err(node.error("an empty pattern matches everything").into());
    }
    let pattern = JsRegex::parse_user(&text, Flags::default());
    Ok(pattern
        .map(ValueTest::Matches)
        .map_err(|error| node.error(format!("`{text}` is not a pattern: {error}")))?)
}

fn read_part(node: Node<'_>) -> Result<ValueTest, LoadErrors> {
    if node.as_str() == Some("") {
        return Err(node.error("an empty text is in every text").into());
    }
    ValueMatcher::read(node).map(ValueTest::Contains)
}

fn read_start(node: Node<'_>) -> Result<ValueTest, LoadErrors> {
    match node.decode::<String>()? {
        start if start.is_empty() => Err(node.error("every text starts with an empty one").into()),
        start => Ok(ValueTest::StartsWith(start)),
    }
}

fn read_types(node: Node<'_>) -> Result<ValueTest, LoadErrors> {
    let types: Vec<JsonType> = read_all(node.one_or_many().into_iter().map(Node::decode))?;
    if types.is_empty() {
        return Err(node.error("`one_of_type` names at least one type").into());
    }
    Ok(ValueTest::Type(types))
}

fn read_schema(node: Node<'_>) -> Result<ValueTest, LoadErrors> {
    let schema = crate::check::json_schema::Home::settings(node, false).schema(node, "", &[], &[])?;
    Ok(ValueTest::Schema(Box::new(schema)))
}

fn read_length(node: Node<'_>) -> Result<ValueTest, LoadErrors> {
    if node.entries().is_none() {
        let length: usize = node.decode()?;
        return Ok(ValueTest::Length(vec![ValueTest::Equals(length.into())]));
    }
    let mut fields = Fields::of(node, "a length")?;
    let bounds = read_bounds(&mut fields);
    if bounds.is_empty() && fields.errors.is_empty() {
        fields.errors.push(node.error("a length is a number or has bounds: `{at_least: 1}`"));
    }
    fields.finish(ValueTest::Length(bounds))
}

fn read_similar(node: Node<'_>) -> Result<ValueTest, LoadErrors> {
    let mut fields = Fields::of(node, "`similar`")?;
    let to = fields.required::<String>("to");
    let at_least = fields.required::<f64>("at_least");
    if let (Some(share), Some(at)) = (at_least, node.get("at_least"))
        && !(share > 0.0 && share <= 1.0)
    {
        fields.errors.push(at.error(format!("expected a share above 0, up to 1, found `{share}`")));
    }
    fields.finish_some(to.zip(at_least).map(|(to, at_least)| ValueTest::Similar { to, at_least }))
}

/// Reads `at_least`, `at_most`, `above`, `below` and `between`. Bounds between which there is nothing are a mistake.
fn read_bounds(fields: &mut Fields<'_>) -> Vec<ValueTest> {
    let mut bounds = Vec::new();
    for (word, bound) in BOUNDS {
        let Some(node) = fields.node(word) else { continue };
        bounds.extend(fields.take(read_number(node)).map(|limit| (bound, limit, node)));
    }
    if let Some(node) = fields.node("between") {
        let limits = fields.take(read_between(node)).into_iter().flatten();
        bounds.extend(limits.zip([Bound::AtLeast, Bound::AtMost]).map(|(limit, bound)| (bound, limit, node)));
    }
    // Bounds are compared together at the end, since any two of them may exclude each other.
    if let Some(error) = find_empty_range(&bounds) {
        fields.errors.push(error);
    }
    bounds.into_iter().map(|(bound, limit, _)| ValueTest::Bound(bound, limit)).collect()
}

fn read_number(node: Node<'_>) -> Result<JsonNumber<'static>, LoadError> {
    match node.to_json() {
        Json::Number(number) => Ok(number),
        _ => Err(node.error(format!("expected a number, found {}", describe_found(node)))),
    }
}

fn describe_found(node: Node<'_>) -> String {
    match node.value() {
        Yaml::String(text) => format!("the text `{text}`"),
        _ => node.describe().to_owned(),
    }
}

fn read_between(node: Node<'_>) -> Result<[JsonNumber<'static>; 2], LoadError> {
    let limits: Vec<Node<'_>> = node.list().into_iter().flatten().collect();
    let [low, high] = limits.as_slice() else {
        return Err(node.error("`between` is a list of two numbers: `[1, 5]`"));
    };
    Ok([read_number(*low)?, read_number(*high)?])
}

fn is_lower(bound: Bound) -> bool {
    matches!(bound, Bound::AtLeast | Bound::Above)
}

fn find_empty_range(bounds: &[(Bound, JsonNumber, Node<'_>)]) -> Option<LoadError> {
    let lower = bounds.iter().filter(|(bound, ..)| is_lower(*bound));
    // Every lower bound is held against every upper bound. Equal limits leave one number, unless one of the two is
    // open.
    let pairs = lower
        .flat_map(|low| bounds.iter().filter(|(bound, ..)| !is_lower(*bound)).map(move |high| (low, high)));
    let empty = pairs.into_iter().find(|((below, low, _), (above, high, _))| {
        let is_open = *below == Bound::Above || *above == Bound::Below;
        low > high || low == high && is_open
    });
    empty.map(|((_, low, _), (_, high, node))| {
        node.error(format!("no number is within these bounds: from {low} to {high}"))
    })
}

impl ResultMatcher {
    /// Reads a matcher of the result of a call.
    pub(crate) fn read(node: Node<'_>) -> Result<Self, LoadErrors> {
        let mut keys = node.entries().into_iter().flatten().map(|(key, _)| key.name.as_str());
        if !keys.any(|key| WORDS.contains(&key)) {
            let error = node.error("expected a matcher of the result");
            return Err(error.help_if(suggest_word(node)).into());
        }
        // An unknown word is a mistake: no result of a tool is compared as a whole.
        let mut fields = Fields::of(node, "a matcher")?;
        refuse_presence(&mut fields);
        let tests = read_tests(&mut fields);
        fields.finish(Self { tests })
    }
}

/// Suggests the matcher word that is nearest to a key of the mapping that is none.
fn suggest_word(node: Node<'_>) -> Option<String> {
    let mut keys = node.entries().into_iter().flatten().map(|(key, _)| key.name.as_str());
    let wrong = keys.find(|key| !WORDS.contains(key))?;
    did_you_mean(wrong, &WORDS)
}

//! A query over JSON: JSONPath as RFC 9535 has it.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, de};
use serde_json::Value;
use serde_json_path::{JsonPath as Query, ParseError};

use crate::compiled::Compiled;
use crate::json_tree::JsonTree;
use crate::plain_path::PlainPath;

/// The longest path that is read.
const MAX_BYTES: usize = 1024;
/// Brackets and parentheses in one another: the parser calls itself for each, and a stack that overflows aborts.
const MAX_NESTING: usize = 32;
/// Filters in one another: each doubles the time to parse.
const MAX_FILTERS: usize = 6;
/// Descents (`..`): each looks below every value that the one before it found.
const MAX_DESCENTS: usize = 4;

/// The most memory that a byte of a path takes when it is parsed: each selector of a list is a value.
const BYTES_A_CHARACTER: usize = 128;

static QUERIES: Compiled<Query> = Compiled::empty();

/// A compiled path.
///
/// ```
/// # use arraign_trace::jsonpath::JsonPath;
/// let open = JsonPath::new("$.orders[?@.state == 'open'].id")?;
/// let answer = serde_json::json!({"orders": [{"id": 7, "state": "open"}, {"id": 8, "state": "sent"}]});
/// assert_eq!(open.select(&answer), [7]);
/// # Ok::<(), String>(())
/// ```
#[derive(Clone)]
pub struct JsonPath {
    text: String,
    query: Arc<Query>,
    /// The same path, if it is plain.
    plain: Option<Arc<PlainPath>>,
}

impl JsonPath {
    /// Compiles `text`. The error is a sentence for the user.
    pub fn new(text: &str) -> Result<Self, String> {
        refuse(text)?;
        let compiled = QUERIES.get(text, || Ok((Query::parse(text)?, BYTES_A_CHARACTER * text.len())));
        let query = compiled.map_err(|error| not_a_path(text, &error))?;
        Ok(Self { text: text.to_owned(), query, plain: PlainPath::parse(text).map(Arc::new) })
    }

    /// The values that it selects, in the order of the document. One that two selectors select is there twice.
    pub fn select<'v>(&self, value: &'v Value) -> Vec<&'v Value> {
        self.select_in(value)
    }

    /// The values that it selects in a tree of any kind, as [`JsonPath::select`] does.
    pub(crate) fn select_in<'v, T: JsonTree>(&self, tree: &'v T) -> Vec<&'v T> {
        match &self.plain {
            Some(plain) => plain.select(tree),
            None => tree.select_by_engine(&self.query),
        }
    }

    /// Whether it selects anything in a tree.
    pub(crate) fn selects_any(&self, tree: &impl JsonTree) -> bool {
        match &self.plain {
            Some(plain) => plain.selects_any(tree),
            None => !tree.select_by_engine(&self.query).is_empty(),
        }
    }

    /// The values that it selects, each with the path that selects it alone: `$['items'][0]`.
    pub fn locate<'v>(&self, value: &'v Value) -> Vec<(String, &'v Value)> {
        let found = self.query.query_located(value);
        found.iter().map(|node| (node.location().to_string(), node.node())).collect()
    }

    /// The paths above this one, the longest first: `$.a.b`, `$.a` and `$` for `$.a.b[0]`.
    pub fn above(&self) -> impl Iterator<Item = Self> + '_ {
        let ends = outside_strings(&self.text).filter(|(_, c)| matches!(c, '.' | '[')).map(|(at, _)| at);
        let ends: Vec<usize> = ends.collect();
        ends.into_iter().rev().filter_map(|end| Self::new(self.text[..end].trim_end()).ok())
    }

    /// Splits a path that begins with a filter, `$[?F]REST`, in a path that selects something in a node if and only if
    /// the node itself passes the filter, and the path of the rest: `$[?F']` and `$REST`. `None` for other paths.
    ///
    /// `@` of the filter becomes `$`, so that each child of the node is asked the same question about the node.
    pub(crate) fn split_test(&self) -> Option<(String, String)> {
        let start = self.text.find(|c: char| c != '$' && !c.is_whitespace())?;
        let rest = &self.text[start..];
        rest.strip_prefix('[')?.trim_start().strip_prefix('?')?;
        let (mut test, mut depth, mut filters) = (String::from("$"), 0_usize, Vec::new());
        let mut copied = 0;
        for (at, c) in outside_strings(rest) {
            match c {
                '[' => {
                    depth += 1;
                    if rest[at + 1..].trim_start().starts_with('?') {
                        filters.push(depth);
                    }
                }
                ']' => {
                    filters.retain(|filter| *filter != depth);
                    depth -= 1;
                }
                // A second selector beside the filter: the path does not only test.
                ',' if depth == 1 && !in_parentheses(&rest[..at]) => return None,
                // Within a filter of this filter, `@` is another node.
                '@' if filters.len() == 1 => {
                    test.push_str(&rest[copied..at]);
                    test.push('$');
                    copied = at + 1;
                }
                _ => {}
            }
            if depth == 0 {
                test.push_str(&rest[copied..=at]);
                return Some((test, format!("${}", &rest[at + 1..])));
            }
        }
        None
    }

    /// Returns the path as the user wrote it.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

/// Refuses what the parser cannot take in a bounded time and stack, and what the engine answers wrongly.
fn refuse(text: &str) -> Result<(), String> {
    if text.len() > MAX_BYTES {
        return Err(format!("the path is longer than {MAX_BYTES} bytes"));
    }
    if outside_strings(text).filter(|(at, _)| text[*at..].starts_with("..")).count() > MAX_DESCENTS {
        return Err(format!("the path has more than {MAX_DESCENTS} descents (`..`)"));
    }
    refuse_nesting(text)
}

fn refuse_nesting(text: &str) -> Result<(), String> {
    // The brackets that are open: whether each holds a filter.
    let mut open: Vec<bool> = Vec::new();
    for (at, c) in outside_strings(text) {
        match (c, open.last_mut()) {
            ('[' | '(', _) => open.push(false),
            (']' | ')', Some(_)) => open.truncate(open.len() - 1),
            ('?', Some(is_filter)) => *is_filter = true,
            _ => {}
        }
        let filters = open.iter().filter(|is_filter| **is_filter).count();
        if open.len() > MAX_NESTING || filters > MAX_FILTERS {
            let limits = format!("{MAX_NESTING} brackets or {MAX_FILTERS} filters");
            return Err(format!("the path has more than {limits} in one another"));
        }
        // The library has no negative index in a filter, and would select nothing without a word.
        if filters > 0 && c == '[' && is_negative_index(&text[at + 1..]) {
            let instead = "for `@.a[-1] == 1` write `value(@.a[-1:]) == 1`";
            return Err(format!("an index from the end is not supported in a filter: {instead}"));
        }
    }
    Ok(())
}

/// Whether a parenthesis is open at the end of `text`.
fn in_parentheses(text: &str) -> bool {
    let parentheses = outside_strings(text).map(|(_, c)| c);
    let depth = parentheses.fold(0_i32, |depth, c| depth + i32::from(c == '(') - i32::from(c == ')'));
    depth > 0
}

/// `-1]`: in a comparison the engine takes the element for absent.
fn is_negative_index(text: &str) -> bool {
    let digits = text.trim_start().strip_prefix('-');
    digits.is_some_and(|text| {
        text.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start().starts_with(']')
    })
}

/// The characters that are not in a quoted text, and where they stand.
fn outside_strings(text: &str) -> impl Iterator<Item = (usize, char)> + '_ {
    let (mut quote, mut escaped) = (None, false);
    text.char_indices().filter(move |(_, c)| match quote {
        // A backslash takes the next character with it. The second of two is that character.
        Some(_) if escaped || *c == '\\' => {
            escaped = !escaped;
            false
        }
        Some(open) => {
            if *c == open {
                quote = None;
            }
            false
        }
        None => {
            quote = matches!(c, '\'' | '"').then_some(*c);
            quote.is_none()
        }
    })
}

fn not_a_path(text: &str, error: &ParseError) -> String {
    if !text.starts_with('$') {
        return format!("`{text}` is not a JSONPath: a path starts with `$`, like `$.status`");
    }
    let read = text.get(..error.position()).unwrap_or(text);
    let column = read.chars().count() + 1;
    let near = match &text[read.len()..] {
        "" => "at its end".to_owned(),
        rest => format!("at character {column}, before `{rest}`"),
    };
    let reason = reason(error.message()).map_or(String::new(), |reason| format!(": {reason}"));
    format!("`{text}` is not a JSONPath {near}{reason}")
}

/// Returns the parser's message in a user's words, or `None` if it says nothing.
fn reason(message: &str) -> Option<&str> {
    let message = message.rsplit("segment, ").next().unwrap_or(message);
    match message {
        "parser error" => None,
        "function with incorrect return type used" => Some("the result of this function must be compared"),
        text if text.ends_with("must start with lowercase alpha or '_'") => {
            Some("a name starts with a letter or `_`; others are written `['1st']`")
        }
        text if text.contains("args, but received") => {
            Some("this function takes another number of arguments")
        }
        text if text.contains("converts to ValueType") => {
            Some("this function takes single values, like `@.name`")
        }
        text if text.contains("converts to NodesType") => {
            Some("this function takes a path, like `@.items[*]`")
        }
        text => Some(text),
    }
}

impl fmt::Debug for JsonPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "JsonPath({:?})", self.text)
    }
}

impl fmt::Display for JsonPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for JsonPath {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::new(&text).map_err(de::Error::custom)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for JsonPath {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "JsonPath".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"type": "string", "pattern": r"^\$"})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(path: &str) -> String {
        JsonPath::new(path).expect_err(path)
    }

    #[test]
    fn a_path_that_does_not_compile_says_where_and_why() {
        assert_eq!(error("status"), "`status` is not a JSONPath: a path starts with `$`, like `$.status`");
        assert_eq!(error("$.ä b"), "`$.ä b` is not a JSONPath at character 4, before ` b`");
        assert_eq!(error("$[?@.a"), "`$[?@.a` is not a JSONPath at its end: expected closing ']'");
        assert_eq!(
            error("$[?length(@.a)]"),
            "`$[?length(@.a)]` is not a JSONPath at character 4, before `length(@.a)]`: \
             the result of this function must be compared"
        );
    }

    #[test]
    fn towers_are_refused_before_they_are_parsed() {
        for open in ["[", "[?@", "[?(", "[?!(@", "[?length(", "[?count(@", "[?match(@.a,"] {
            for depth in [7, 33, 200, 100_000] {
                assert!(JsonPath::new(&format!("${}", open.repeat(depth))).is_err());
            }
        }
        assert!(
            JsonPath::new(&nested(MAX_FILTERS)).is_ok() && JsonPath::new(&nested(MAX_FILTERS + 1)).is_err()
        );
        let quoted = format!("$['{}', \"{}\\\"[\"]", "[".repeat(99), "(".repeat(99));
        assert!(JsonPath::new(&quoted).is_ok());
        assert!(JsonPath::new("$..a..b..c..d").is_ok() && JsonPath::new(&"$..*".repeat(300)).is_err());
        assert!(JsonPath::new("$..a..b..c..d..e").is_err() && JsonPath::new("$['........']").is_ok());
    }

    fn nested(depth: usize) -> String {
        format!("${}{}", "[?@".repeat(depth), "]".repeat(depth))
    }

    fn split(path: &str) -> Option<(String, String)> {
        JsonPath::new(path).expect("a path").split_test()
    }

    fn halves(test: &str, rest: &str) -> (String, String) {
        (test.to_owned(), rest.to_owned())
    }

    #[test]
    fn a_filter_at_the_beginning_tests_the_node_itself() {
        assert_eq!(split("$[?@.a == '@]'].b[*]"), Some(halves("$[?$.a == '@]']", "$.b[*]")));
        assert_eq!(split("$[?@.a[?@.b == 1] && @.c]"), Some(halves("$[?$.a[?@.b == 1] && $.c]", "$")));
        assert_eq!(split("$[?match(@.a, 'x')].b"), Some(halves("$[?match($.a, 'x')]", "$.b")));
        for path in ["$", "$.a[?@.b]", "$[?@.a, ?@.b]", "$[0]", "$['?']"] {
            assert_eq!(split(path), None, "{path}");
        }
        let (test, _) = split("$[?@.a == 1]").expect("a test");
        let test = JsonPath::new(&test).expect("a path");
        assert!(!test.select(&serde_json::json!({"a": 1, "b": 2})).is_empty());
        assert!(test.select(&serde_json::json!({"a": 2, "b": 1})).is_empty());
    }

    #[test]
    fn the_paths_above_lead_to_the_root() {
        let path = JsonPath::new("$.a['x.y'][?@.z == '[']..b").expect("a path");
        let above: Vec<String> = path.above().map(|path| path.to_string()).collect();
        assert_eq!(above, ["$.a['x.y'][?@.z == '[']", "$.a['x.y']", "$.a", "$"]);
    }
}

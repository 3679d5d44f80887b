//! A query over JSON: JSONPath as RFC 9535 has it.

mod evaluate;
mod parse;
mod syntax;

use std::collections::HashSet;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, de};

use crate::json::JsonNode;
use evaluate::{Effort, Evaluation, Filters, NodePlace};
use parse::{PathError, parse_path};
use syntax::{Segment, Selector};

/// The largest number of steps on all ways to the selected values. `$..*` takes two for each value of a document, which has at most
/// two million.
const MAX_STEPS: usize = 5_000_000;

/// The longest path that is read.
const MAX_BYTES: usize = 1024;

/// A compiled path.
///
/// ```
/// # use arraign_trace::json::json;
/// # use arraign_trace::jsonpath::JsonPath;
/// let open = JsonPath::new("$.orders[?@.state == 'open'].id")?;
/// let answer = json!({"orders": [{"id": 7, "state": "open"}, {"id": 8, "state": "sent"}]});
/// assert_eq!(open.select(&answer), [&json!(7)]);
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct JsonPath {
    text: Arc<str>,
    segments: Arc<[Segment]>,
}

impl JsonPath {
    /// Compiles `text`. The error is a sentence for the user.
    pub fn new(text: &str) -> Result<Self, String> {
        if text.len() > MAX_BYTES {
            return Err(format!("the path is longer than {MAX_BYTES} bytes"));
        }
        let segments = parse_path(text).map_err(|error| explain_error(text, &error))?;
        Ok(Self { text: text.into(), segments: segments.into() })
    }

    /// Returns the values that the path selects, in the order of the document. One that two selectors select is there twice,
    /// unless the ways to all values are millions: then each value is there once.
    pub fn select<'v, 't>(&self, value: &'v JsonNode<'t>) -> Vec<&'v JsonNode<'t>> {
        self.collect_nodes(value, MAX_STEPS, |node, _| node)
    }

    fn collect_nodes<'v, 't, T>(
        &self,
        value: &'v JsonNode<'t>,
        steps: usize,
        describe: impl Fn(&'v JsonNode<'t>, &NodePlace) -> T,
    ) -> Vec<T> {
        let mut selected = Vec::new();
        let is_whole = self.each_node(value, Effort::Steps(steps), |node, place| {
            selected.push(describe(node, place));
            ControlFlow::Continue(())
        });
        if !is_whole {
            selected.clear();
            self.each_node(value, Effort::Once(HashSet::new()), |node, place| {
                selected.push(describe(node, place));
                ControlFlow::Continue(())
            });
        }
        selected
    }

    /// Whether the path selects anything.
    pub fn selects_any(&self, value: &JsonNode) -> bool {
        let mut is_any = false;
        // Noting each node costs more than a short path, so it waits until the steps end.
        for effort in [Effort::Steps(MAX_STEPS), Effort::Once(HashSet::new())] {
            let is_whole = self.each_node(value, effort, |_, _| {
                is_any = true;
                ControlFlow::Break(())
            });
            if is_any || is_whole {
                break;
            }
        }
        is_any
    }

    /// Returns the values that the path selects, each with the path that selects it alone: `$['items'][0]`.
    pub fn locate<'v, 't>(&self, value: &'v JsonNode<'t>) -> Vec<(String, &'v JsonNode<'t>)> {
        self.collect_nodes(value, MAX_STEPS, |node, place| (place.to_string(), node))
    }

    /// Gives `take` the nodes that the path selects. Returns false if the effort ended before the path.
    fn each_node<'v, 't>(
        &self,
        value: &'v JsonNode<'t>,
        effort: Effort,
        take: impl FnMut(&'v JsonNode<'t>, &NodePlace) -> ControlFlow<()>,
    ) -> bool {
        let filters = Filters::of(value);
        let mut evaluation = Evaluation::of(&filters, take).with_effort(effort);
        let _ = evaluation.follow(&self.segments, value, &NodePlace::ROOT);
        !evaluation.is_exhausted()
    }

    /// Returns the paths above this one, the longest first: `$.a.b`, `$.a` and `$` for `$.a.b[0]`.
    pub fn above(&self) -> impl Iterator<Item = Self> + '_ {
        (0..self.segments.len()).rev().map(|count| {
            let end = self.segments[..count].last().map_or(1, |segment| segment.end);
            Self { text: self.text[..end].into(), segments: self.segments[..count].into() }
        })
    }

    /// Splits a path that begins with a filter, `$[?F]REST`, in a path that selects something in a node if and only if the
    /// node itself passes the filter, and the path of the rest: `$[?F']` and `$REST`. `None` for other paths.
    ///
    /// `@` of the filter becomes `$`, so that each child of the node is asked the same question about the node.
    pub(crate) fn split_test(&self) -> Option<(Self, Self)> {
        let (first, rest) = self.segments.split_first()?;
        let [Selector::Filter(condition)] = first.selectors.as_slice() else { return None };
        if first.descends {
            return None;
        }
        let mut condition = condition.clone();
        condition.ask_root();
        let test = Segment { selectors: vec![Selector::Filter(condition)], ..first.clone() };
        // The offsets of the segments are only used for texts of the path that was written.
        let test = Self { text: Arc::clone(&self.text), segments: [test].into() };
        let rest = Self { text: format!("${}", &self.text[first.end..]).into(), segments: rest.into() };
        Some((test, rest))
    }

    /// Returns the path as the user wrote it.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

fn explain_error(text: &str, error: &PathError) -> String {
    if !text.starts_with('$') {
        return format!("`{text}` is not a JSONPath: {}", error.reason);
    }
    let read = &text[..error.at];
    let near = match &text[error.at..] {
        "" => "at its end".to_owned(),
        rest => format!("at character {}, before `{rest}`", read.chars().count() + 1),
    };
    let reason = if error.reason.is_empty() { String::new() } else { format!(": {}", error.reason) };
    let quoted = quote_name_around(text, error.at).map(|quoted| format!("; quote this name: `{quoted}`"));
    format!("`{text}` is not a JSONPath {near}{reason}{}", quoted.unwrap_or_default())
}

/// Returns the path with the name around `at` in quotes, if the name has characters that need them: `$['order-id']` for
/// `$.order-id`.
fn quote_name_around(text: &str, at: usize) -> Option<String> {
    let (read, rest) = text.split_at_checked(at)?;
    if !rest.starts_with('-') {
        return None;
    }
    let start = read.rfind('.')?;
    let end = at + rest.find(['.', '[', ' ', ')']).unwrap_or(rest.len());
    let name = &text[start + 1..end];
    let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_') && !name.starts_with('-');
    is_name.then(|| format!("{}['{name}']{}", &text[..start], &text[end..]))
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
        Self::new(&String::deserialize(deserializer)?).map_err(de::Error::custom)
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
    use crate::json::{Json, json};

    fn error(path: &str) -> String {
        JsonPath::new(path).expect_err(path)
    }

    #[test]
    fn a_path_that_does_not_compile_says_where_and_why() {
        assert_eq!(error("status"), "`status` is not a JSONPath: a path starts with `$`, like `$.status`");
        assert_eq!(error("$.ä b"), "`$.ä b` is not a JSONPath at character 4, before ` b`");
        let quoted = "`$.a.order-id[0]` is not a JSONPath at character 10, before `-id[0]`";
        assert_eq!(error("$.a.order-id[0]"), format!("{quoted}; quote this name: `$.a['order-id'][0]`"));
        assert_eq!(error("$[?@.a"), "`$[?@.a` is not a JSONPath at its end: expected `,` or `]`");
        assert_eq!(
            error("$[?length(@.a)]"),
            "`$[?length(@.a)]` is not a JSONPath at character 4, before `length(@.a)]`: \
             the result of this function must be compared"
        );
    }

    #[test]
    fn a_value_with_too_many_ways_to_it_is_selected_once() {
        let tower = (0..100).fold(json!({"a": 1}), |below, _| json!({"a": below}));
        let value = json!([tower, tower]);
        // Each way of choosing three of a hundred levels leads to a value: 2 times 161,700 and more.
        for path in ["$..*..*..*", "$..a..a..a..a"] {
            let path = JsonPath::new(path).expect("a path");
            let once = path.collect_nodes(&value, 100_000, |node, _| std::ptr::from_ref(node));
            let mut unique = once.clone();
            unique.sort_unstable();
            unique.dedup();
            assert!(once.len() == unique.len() && (190..=200).contains(&once.len()), "{}", once.len());
        }
        let value = json!({"a": {"a": {"a": 1}}});
        let twice = JsonPath::new("$..a..a").expect("a path").select(&value);
        assert_eq!(twice.len(), 3, "the last value on two ways");
    }

    #[test]
    fn a_filter_asks_about_the_whole_document_once() {
        let items = (0..1_000).map(|number| json!({"id": number, "limit": 7})).collect();
        let value = json!({"items": Json::Array(items)});
        for (path, selected) in [
            ("$.items[?$..nothing || @.id == 3]", 1),
            ("$.items[?!($..nothing) && @.id]", 1_000),
            ("$.items[?@.id < count($..limit)]", 1_000),
            ("$.items[?@[?$..nothing]]", 0),
            ("$.items[?@.limit == value($..nothing) || @.id < 2]", 2),
        ] {
            let segments = JsonPath::new(path).expect("a path").segments;
            let filters = Filters::of(&value);
            let mut found = 0;
            let mut evaluation = Evaluation::of(&filters, |_, _| {
                found += 1;
                ControlFlow::Continue(())
            });
            assert!(evaluation.follow(&segments, &value, &NodePlace::ROOT).is_continue());
            assert_eq!(found, selected, "{path}");
            // The document has 3,002 values. Each of a thousand questions about all of them would be three million steps.
            assert!(filters.count_steps() < 20_000, "{path}: {}", filters.count_steps());
        }
    }

    #[test]
    fn towers_are_refused_before_they_are_parsed() {
        for open in ["[", "[?@", "[?(", "[?!(@", "[?length(", "[?count(@", "[?match(@.a,"] {
            for depth in [7, 33, 200, 100_000] {
                assert!(JsonPath::new(&format!("${}", open.repeat(depth))).is_err());
            }
        }
        assert!(
            JsonPath::new(&nested(parse::MAX_FILTERS)).is_ok()
                && JsonPath::new(&nested(parse::MAX_FILTERS + 1)).is_err()
        );
        let quoted = format!("$['{}', \"{}\\\"[\"]", "[".repeat(99), "(".repeat(99));
        assert!(JsonPath::new(&quoted).is_ok());
        assert!(JsonPath::new("$..a..b..c..d").is_ok() && JsonPath::new(&"$..*".repeat(300)).is_err());
        assert!(JsonPath::new("$..a..b..c..d..e").is_err() && JsonPath::new("$['........']").is_ok());
    }

    fn nested(depth: usize) -> String {
        format!("${}{}", "[?@".repeat(depth), "]".repeat(depth))
    }

    fn split(path: &str) -> Option<(JsonPath, JsonPath)> {
        JsonPath::new(path).expect("a path").split_test()
    }

    #[test]
    fn a_filter_at_the_beginning_tests_the_node_itself() {
        for (path, question, after) in [
            ("$[?@.a == '@]'].b[*]", "$[?$.a == '@]']", "$.b[*]"),
            ("$[?@.a[?@.b == 1] && @.c]", "$[?$.a[?@.b == 1] && $.c]", "$"),
            ("$[?match(@.a, 'x')].b", "$[?match($.a, 'x')]", "$.b"),
        ] {
            let (test, rest) = split(path).expect("a test");
            let question = JsonPath::new(question).expect("a path");
            assert_eq!(test.segments[0].selectors, question.segments[0].selectors, "{path}");
            assert_eq!(rest.as_str(), after);
        }
        for path in ["$", "$.a[?@.b]", "$[?@.a, ?@.b]", "$[0]", "$['?']"] {
            assert!(split(path).is_none(), "{path}");
        }
        let (test, _) = split("$[?@.a == 1]").expect("a test");
        assert!(!test.select(&json!({"a": 1, "b": 2})).is_empty());
        assert!(test.select(&json!({"a": 2, "b": 1})).is_empty());
    }

    #[test]
    fn the_paths_above_lead_to_the_root() {
        let path = JsonPath::new("$.a['x.y'][?@.z == '[']..b").expect("a path");
        let above: Vec<String> = path.above().map(|path| path.to_string()).collect();
        assert_eq!(above, ["$.a['x.y'][?@.z == '[']", "$.a['x.y']", "$.a", "$"]);
    }
}

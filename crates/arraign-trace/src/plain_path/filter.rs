//! The filters that nearly all users write, evaluated without the engine: a value compared with a text, a flag or null,
//! and the question whether a value is there, joined by `&&` and `||`.

use crate::json_tree::JsonTree;
use crate::plain_path::tokens::{take_key, take_text};

/// A filter of the form `[?@.a.b == 'text' && @.c || !@.d]`.
#[derive(Debug, Clone)]
pub(super) struct PlainFilter {
    /// A value passes if all tests of one alternative hold.
    alternatives: Vec<Vec<FilterTest>>,
}

/// A question about one value.
#[derive(Debug, Clone)]
struct FilterTest {
    /// Whether the value is one of the root (`$`), and not one of the element (`@`).
    of_root: bool,
    keys: Vec<String>,
    wanted: WantedValue,
    /// Whether the answer must be no: `!=`, or `!` before the value.
    is_negated: bool,
}

#[derive(Debug, Clone)]
enum WantedValue {
    Any,
    Text(String),
    Flag(bool),
    Null,
}

impl PlainFilter {
    /// Takes a filter off the beginning of `rest`, which is the text behind `[?`, together with its closing bracket.
    pub(super) fn take(mut rest: &str) -> Option<(Self, &str)> {
        let (mut alternatives, mut tests) = (Vec::new(), Vec::new());
        loop {
            let (test, after) = FilterTest::take(rest.trim_start())?;
            tests.push(test);
            let after = after.trim_start();
            // `&&` binds tighter than `||`. A filter with parentheses is left to the engine.
            rest = match (after.strip_prefix("&&"), after.strip_prefix("||")) {
                (Some(after), _) => after,
                (_, Some(after)) => {
                    alternatives.push(std::mem::take(&mut tests));
                    after
                }
                (None, None) => {
                    alternatives.push(tests);
                    return Some((Self { alternatives }, after.strip_prefix(']')?));
                }
            };
        }
    }

    /// Whether every test asks the root, so that all children get the same answer.
    pub(super) fn asks_only_root(&self) -> bool {
        self.alternatives.iter().flatten().all(|test| test.of_root)
    }

    /// Whether `node` passes the filter.
    pub(super) fn holds_for<T: JsonTree>(&self, node: &T, root: &T) -> bool {
        self.alternatives.iter().any(|tests| tests.iter().all(|test| test.holds_for(node, root)))
    }
}

impl FilterTest {
    /// Takes a test off the beginning of `text`: `@.name == 'text'`.
    fn take(text: &str) -> Option<(Self, &str)> {
        let (is_denied, text) = match text.strip_prefix('!') {
            Some(after) => (true, after.trim_start()),
            None => (false, text),
        };
        let of_root = text.starts_with('$');
        let mut rest = text.strip_prefix(['@', '$'])?;
        let mut keys = Vec::new();
        while let Some((key, after)) = take_key(rest) {
            keys.push(key);
            rest = after;
        }
        let (wanted, is_negated, after) = match take_operator(rest.trim_start()) {
            // A comparison can be denied only in parentheses, which are left to the engine.
            Some(_) if is_denied => return None,
            Some((is_negated, literal)) => {
                let (wanted, after) = take_literal(literal.trim_start())?;
                (wanted, is_negated, after)
            }
            None => (WantedValue::Any, is_denied, rest),
        };
        Some((Self { of_root, keys, wanted, is_negated }, after))
    }

    fn holds_for<T: JsonTree>(&self, node: &T, root: &T) -> bool {
        let start = if self.of_root { root } else { node };
        let found = self.keys.iter().try_fold(start, |node, key| node.get_entry(key));
        let holds = found.is_some_and(|found| match &self.wanted {
            WantedValue::Any => true,
            WantedValue::Text(text) => found.get_text() == Some(text),
            WantedValue::Flag(flag) => found.get_flag() == Some(*flag),
            WantedValue::Null => found.is_null(),
        });
        holds != self.is_negated
    }
}

/// Takes `==` or `!=`, and returns whether the values must differ.
fn take_operator(text: &str) -> Option<(bool, &str)> {
    let equal = text.strip_prefix("==").map(|literal| (false, literal));
    equal.or_else(|| text.strip_prefix("!=").map(|literal| (true, literal)))
}

/// Takes a quoted text, `true`, `false` or `null`.
fn take_literal(text: &str) -> Option<(WantedValue, &str)> {
    let words =
        [("true", WantedValue::Flag(true)), ("false", WantedValue::Flag(false)), ("null", WantedValue::Null)];
    let mut words = words.into_iter();
    let word = words.find_map(|(word, wanted)| Some((wanted, text.strip_prefix(word)?)));
    word.or_else(|| take_text(text).map(|(text, after)| (WantedValue::Text(text), after)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::plain_path::tests::compare_with_engine;

    #[test]
    fn plain_filters_pass_what_the_engine_passes() {
        let documents = [
            json!([{"role": "user", "type": "a"}, {"role": "tool", "type": {"x": 1}}, null, "user", ["user"]]),
            json!({"role": "user", "content": [{"type": "text", "ok": false}], "x": {"role": "a", "ok": true}}),
            json!([{"ok": true, "n": null, "role": "a"}, {"ok": false, "role": "b"}, {"n": 0, "role": ["a"]}, {}, [], 1]),
        ];
        let paths = [
            "$[?@.ok]",
            "$[?!@.ok]",
            "$[? ! @.n ].role",
            "$[?@]",
            "$[?@.ok == true]",
            "$[?@.ok != true]",
            "$[?@.ok==false].role",
            "$[?@.n == null]",
            "$[?@.n != null]",
            "$[?@.role != 'a']",
            "$[?@.role == 'a' || @.role == 'b']",
            "$[?@.role == 'a' && @.ok || !@.role && !@.n || @.n == null]",
            "$[?@.role == 'b' || @.ok && @.n != null]",
            "$[?$.role && @.type]",
            "$[?$.role != 'user' || $.content]",
            "$[?$.role != 'tool' && $.x]",
        ];
        compare_with_engine(&paths, &documents);
    }
}

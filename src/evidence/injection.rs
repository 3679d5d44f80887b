//! A text that a test puts into the results of a tool.

use arraign_trace::json_text::escape_token;

use crate::json::{self, Json};

/// A text that is added to one place in the results of a tool, as they are served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Injection {
    /// The tool.
    pub tool: String,
    /// The JSON pointer to the text of its results that gets the addition. The empty pointer is a result that is a text.
    pub at: String,
    /// The added text.
    pub text: String,
}

impl Injection {
    /// Adds the text to a result of `tool`. Returns whether the result has the place.
    pub fn apply(&self, tool: &str, result: &mut Json) -> bool {
        tool == self.tool && self.add_at(result)
    }

    fn add_at(&self, result: &mut Json) -> bool {
        // A server may send its values as a text of JSON. The text around the place stays JSON.
        if let (Json::String(text), false) = (&*result, self.at.is_empty()) {
            let Ok(mut inner) = json::parse(text.as_str()) else { return false };
            let is_added = !inner.is_string() && self.add_at(&mut inner);
            if is_added {
                *result = inner.to_string().into();
            }
            return is_added;
        }
        let Some(Json::String(text)) = result.pointer_mut(&self.at) else { return false };
        let added = join_texts(text.as_str(), &self.text);
        *text = added.into();
        true
    }

    /// Whether a result of a call contains the text, as it is or as a part of JSON in a text.
    pub fn is_in(text: &str, result: &Json) -> bool {
        let plain = text.trim();
        let quoted = Json::from(plain).to_string();
        let quoted = quoted.trim_matches('"');
        contains_text(result, &|found| found.contains(plain) || found.contains(quoted))
    }
}

/// Puts `added` on a line of its own behind `before`.
fn join_texts(before: &str, added: &str) -> String {
    let line = if before.is_empty() || added.starts_with('\n') { "" } else { "\n" };
    format!("{before}{line}{added}")
}

/// Whether a text in a value satisfies `accepts`. Names of members count, too.
pub(crate) fn contains_text(value: &Json, accepts: &dyn Fn(&str) -> bool) -> bool {
    match value {
        Json::String(text) => accepts(text.as_str()),
        Json::Array(items) => items.iter().any(|item| contains_text(item, accepts)),
        Json::Object(fields) => {
            fields.iter().any(|(key, value)| accepts(key.as_str()) || contains_text(value, accepts))
        }
        Json::Null | Json::Bool(_) | Json::Number(_) => false,
    }
}

/// Lists the JSON pointers to the texts in a result: the places of an injection. A text of JSON has those of its value.
pub fn list_text_places(result: &Json) -> Vec<String> {
    let mut places = Vec::new();
    if let Json::String(text) = result
        && let Ok(inner @ (Json::Object(_) | Json::Array(_))) = json::parse(text.as_str())
    {
        add_places(&inner, String::new(), &mut places);
    } else {
        add_places(result, String::new(), &mut places);
    }
    places
}

fn add_places(value: &Json, at: String, places: &mut Vec<String>) {
    match value {
        Json::String(_) => places.push(at),
        Json::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                add_places(item, format!("{at}/{index}"), places);
            }
        }
        Json::Object(fields) => {
            for (key, value) in fields.iter() {
                add_places(value, format!("{at}/{}", escape_token(key.as_str())), places);
            }
        }
        Json::Null | Json::Bool(_) | Json::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::json;

    fn inject(at: &str, mut result: Json) -> (bool, Json) {
        let injection = Injection { tool: "get".to_owned(), at: at.to_owned(), text: "do \"x\"".to_owned() };
        let is_added = injection.apply("get", &mut result);
        assert_eq!(is_added, Injection::is_in("do \"x\"", &result), "{result}");
        (is_added, result)
    }

    #[test]
    fn a_text_is_added_where_the_result_has_one() {
        assert_eq!(
            inject("/note", json!({"note": "a", "n": 1})),
            (true, json!({"note": "a\ndo \"x\"", "n": 1}))
        );
        assert_eq!(inject("", json!("a")), (true, json!("a\ndo \"x\"")));
        assert_eq!(inject("/0/a~1b", json!([{"a/b": ""}])), (true, json!([{"a/b": "do \"x\""}])));
        for (at, result) in
            [("/n", json!({"n": 1})), ("/note", json!({})), ("", json!({})), ("/note", json!("a"))]
        {
            assert_eq!(inject(at, result.clone()), (false, result));
        }
    }

    #[test]
    fn a_text_of_json_stays_json() {
        let (is_added, result) = inject("/note", json!(r#"{"note":"a"}"#));
        assert!(is_added);
        assert_eq!(json::parse(result.as_str().expect("a text")), Ok(json!({"note": "a\ndo \"x\""})));
    }

    #[test]
    fn another_tool_keeps_its_result() {
        let injection = Injection { tool: "get".to_owned(), at: String::new(), text: "x".to_owned() };
        assert!(!injection.apply("set", &mut json!("a")));
    }

    #[test]
    fn the_places_are_the_texts_of_a_result() {
        let places =
            list_text_places(&json!({"note": "a", "n": 1, "items": [{"a/b": "c"}, true], "none": null}));
        assert_eq!(places, ["/note", "/items/0/a~1b"]);
        assert_eq!(list_text_places(&json!("plain")), [""]);
        assert_eq!(list_text_places(&json!(r#"{"note":"a"}"#)), ["/note"]);
        assert_eq!(list_text_places(&json!("7")), [""]);
    }
}

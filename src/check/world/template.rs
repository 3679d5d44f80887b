//! Pointers and values with placeholders, which the arguments of a call fill.

use std::borrow::Cow;

use smol_str::SmolStr;

use super::tree::{StatePath, render_pointer};
use crate::json::{Json, JsonText};
use crate::pattern::{TemplatePart, split_placeholders};
use crate::yaml::pointer_tokens;

/// The placeholder of the time, which is the same in all calls of all runs.
const NOW: &str = "now";

/// What fills the placeholders of one call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CallValues<'c> {
    /// The arguments of the call.
    pub(crate) arguments: &'c Json,
    /// The time of the world.
    pub(crate) now: &'c str,
}

impl CallValues<'_> {
    /// Returns the value of a placeholder. The error is a sentence.
    fn find(&self, name: &str) -> Result<Cow<'_, Json>, String> {
        if name == NOW {
            return Ok(Cow::Owned(self.now.into()));
        }
        let found = find_argument(self.arguments, name);
        found.map(Cow::Borrowed).ok_or_else(|| format!("the argument `{name}` is missing"))
    }

    /// Returns the value of a placeholder as text: digits stay as they are written.
    fn find_text(&self, name: &str) -> Result<SmolStr, String> {
        let value = self.find(name)?;
        render_scalar(&value).ok_or_else(|| {
            let found = match &*value {
                Json::Array(_) => "a list",
                Json::Object(_) => "a mapping",
                _ => "null",
            };
            format!("the argument `{name}` is {found}, not a text or a number")
        })
    }
}

/// Finds an argument by its name, or a part of it: `order.id`, `items.0`. A name with a dot counts first.
pub(crate) fn find_argument<'a>(arguments: &'a Json, name: &str) -> Option<&'a Json> {
    arguments.get(name).or_else(|| {
        name.split('.').try_fold(arguments, |value, part| match value {
            Json::Array(items) => items.get(part.parse::<usize>().ok()?),
            value => value.get(part),
        })
    })
}

/// Renders a text, a number or a flag as text. `None` for everything else.
pub(crate) fn render_scalar(value: &Json) -> Option<SmolStr> {
    match value {
        Json::String(text) => Some(SmolStr::new(text.as_str())),
        Json::Number(number) => Some(SmolStr::new(number.as_str())),
        Json::Bool(flag) => Some(SmolStr::new_static(if *flag { "true" } else { "false" })),
        Json::Null | Json::Array(_) | Json::Object(_) => None,
    }
}

/// A text with placeholders.
#[derive(Debug, Clone)]
pub(crate) struct TextTemplate(Vec<TextPart>);

#[derive(Debug, Clone)]
enum TextPart {
    Text(SmolStr),
    Argument(SmolStr),
}

impl TextTemplate {
    /// Parses a text. The error is a sentence.
    fn parse(text: &str) -> Result<Self, String> {
        let parts = split_placeholders(text).map(|part| match part {
            TemplatePart::Text(text) => Ok(TextPart::Text(text.into())),
            TemplatePart::Placeholder { written, name } if name.is_empty() || name.contains(['{', '}']) => {
                Err(format!("`{written}` names no argument"))
            }
            TemplatePart::Placeholder { name, .. } => Ok(TextPart::Argument(name.into())),
            TemplatePart::Unclosed(_) => Err("`{{` has no `}}` behind it".to_owned()),
        });
        parts.collect::<Result<_, _>>().map(Self)
    }

    fn fill_text(&self, values: CallValues<'_>) -> Result<SmolStr, String> {
        if let [TextPart::Text(text)] = self.0.as_slice() {
            return Ok(text.clone());
        }
        let mut filled = String::new();
        for part in &self.0 {
            match part {
                TextPart::Text(text) => filled.push_str(text),
                TextPart::Argument(name) => filled.push_str(&values.find_text(name)?),
            }
        }
        Ok(filled.into())
    }

    /// A placeholder that is the whole text becomes the value, whatever its type.
    fn fill_value(&self, values: CallValues<'_>) -> Result<Json, String> {
        match self.0.as_slice() {
            [TextPart::Argument(name)] => values.find(name).map(Cow::into_owned),
            _ => self.fill_text(values).map(|text| text.as_str().into()),
        }
    }

    fn as_literal(&self) -> Option<&str> {
        match self.0.as_slice() {
            [] => Some(""),
            [TextPart::Text(text)] => Some(text),
            _ => None,
        }
    }

    fn list_arguments(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|part| match part {
            TextPart::Argument(name) if name != NOW => Some(name.as_str()),
            TextPart::Text(_) | TextPart::Argument(_) => None,
        })
    }
}

/// A JSON pointer into the state, with placeholders.
#[derive(Debug, Clone)]
pub(crate) struct PointerTemplate(Vec<TextTemplate>);

impl PointerTemplate {
    /// Parses a pointer with placeholders. The error is a sentence.
    pub(crate) fn parse(written: &str) -> Result<Self, String> {
        let tokens = split_pointer(written)?;
        tokens.iter().map(|token| TextTemplate::parse(token)).collect::<Result<_, _>>().map(Self)
    }

    /// Fills the pointer. An inserted value is one token, whatever it contains.
    pub(crate) fn fill(&self, values: CallValues<'_>) -> Result<StatePath, String> {
        self.0.iter().map(|token| token.fill_text(values)).collect()
    }

    /// Whether the pointer is that of the whole state.
    pub(crate) fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the first token, unless arguments fill it.
    pub(crate) fn first_literal(&self) -> Option<&str> {
        self.0.first()?.as_literal()
    }

    /// Whether the pointer has one token.
    pub(crate) fn is_member_of_root(&self) -> bool {
        self.0.len() == 1
    }

    /// Whether some arguments make this pointer lead to `path`, into it, or to a part that `path` is in.
    pub(crate) fn may_touch(&self, path: &[SmolStr]) -> bool {
        let pairs = self.0.iter().zip(path);
        pairs.into_iter().all(|(token, other)| token.as_literal().is_none_or(|token| token == other))
    }

    /// Lists the arguments that fill the pointer.
    pub(crate) fn list_arguments(&self) -> impl Iterator<Item = &str> {
        self.0.iter().flat_map(TextTemplate::list_arguments)
    }
}

/// Parses a pointer without placeholders. The error is a sentence.
pub(crate) fn parse_pointer(written: &str) -> Result<StatePath, String> {
    split_pointer(written)
}

fn split_pointer(written: &str) -> Result<StatePath, String> {
    if !written.is_empty() && !written.starts_with('/') {
        let help = format!("`/{}`", written.replace('.', "/"));
        return Err(format!("`{written}` is no JSON pointer: it begins with `/`, as in {help}"));
    }
    let escapes = written.split('~').skip(1);
    if escapes.into_iter().any(|rest| !rest.starts_with(['0', '1'])) {
        return Err(format!("`{written}` is no JSON pointer: `~` is written as `~0`"));
    }
    Ok(pointer_tokens(written).map(SmolStr::from).collect())
}

/// A value with placeholders in its texts.
#[derive(Debug, Clone)]
pub(crate) enum ValueTemplate {
    /// A value without placeholders.
    Literal(Json),
    /// A text with placeholders.
    Text(TextTemplate),
    /// A list with placeholders inside.
    List(Vec<ValueTemplate>),
    /// A mapping with placeholders in its values.
    Object(Vec<(JsonText<'static>, ValueTemplate)>),
}

impl ValueTemplate {
    /// Parses the placeholders of a value. The error is a sentence.
    pub(crate) fn parse(value: &Json) -> Result<Self, String> {
        if !has_placeholder(value) {
            return Ok(Self::Literal(value.clone()));
        }
        match value {
            Json::String(text) => TextTemplate::parse(text).map(Self::Text),
            Json::Array(items) => items.iter().map(Self::parse).collect::<Result<_, _>>().map(Self::List),
            Json::Object(fields) => {
                let fields = fields.iter().map(|(key, value)| Ok((key.clone(), Self::parse(value)?)));
                fields.collect::<Result<_, String>>().map(Self::Object)
            }
            value => Ok(Self::Literal(value.clone())),
        }
    }

    /// Fills the placeholders. The error is a sentence.
    pub(crate) fn fill(&self, values: CallValues<'_>) -> Result<Json, String> {
        match self {
            Self::Literal(value) => Ok(value.clone()),
            Self::Text(text) => text.fill_value(values),
            Self::List(items) => items.iter().map(|item| item.fill(values)).collect(),
            Self::Object(fields) => {
                let fields = fields.iter().map(|(key, value)| Ok((key.clone(), value.fill(values)?)));
                fields.collect::<Result<_, String>>().map(Json::Object)
            }
        }
    }

    /// Lists the arguments that fill the value.
    pub(crate) fn list_arguments(&self) -> Vec<&str> {
        match self {
            Self::Literal(_) => Vec::new(),
            Self::Text(text) => text.list_arguments().collect(),
            Self::List(items) => items.iter().flat_map(Self::list_arguments).collect(),
            Self::Object(fields) => fields.iter().flat_map(|(_, value)| value.list_arguments()).collect(),
        }
    }
}

fn has_placeholder(value: &Json) -> bool {
    match value {
        Json::String(text) => text.contains("{{"),
        Json::Array(items) => items.iter().any(has_placeholder),
        Json::Object(fields) => fields.values().any(has_placeholder),
        Json::Null | Json::Bool(_) | Json::Number(_) => false,
    }
}

impl std::fmt::Display for PointerTemplate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let tokens = self.0.iter().map(|token| {
            let parts = token.0.iter().map(|part| match part {
                TextPart::Text(text) => text.to_string(),
                TextPart::Argument(name) => format!("{{{{{name}}}}}"),
            });
            SmolStr::from(parts.collect::<String>())
        });
        f.write_str(&render_pointer(&tokens.collect::<StatePath>()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{json, parse};

    fn fill_pointer(written: &str, arguments: &Json) -> Result<String, String> {
        let values = CallValues { arguments, now: "noon" };
        PointerTemplate::parse(written)?.fill(values).map(|path| render_pointer(&path))
    }

    fn fill(value: &Json, arguments: &Json) -> Result<Json, String> {
        ValueTemplate::parse(value)?.fill(CallValues { arguments, now: "noon" })
    }

    #[test]
    fn an_argument_in_a_pointer_is_one_token() {
        let arguments = json!({"id": "a/b~c", "n": 7, "order": {"id": 8, "items": ["x"]}, "a.b": 1});
        assert_eq!(
            fill_pointer("/orders/{{id}}/status", &arguments).as_deref(),
            Ok("/orders/a~1b~0c/status")
        );
        assert_eq!(fill_pointer("/o{{ n }}/{{order.id}}", &arguments).as_deref(), Ok("/o7/8"));
        assert_eq!(
            fill_pointer("/{{order.items.0}}/{{a.b}}/{{now}}", &arguments).as_deref(),
            Ok("/x/1/noon")
        );
        assert_eq!(fill_pointer("", &arguments).as_deref(), Ok(""));
    }

    #[test]
    fn an_argument_that_cannot_be_a_token_is_an_error() {
        let arguments = json!({"list": [1], "map": {}, "none": null});
        for (name, problem) in [
            ("id", "the argument `id` is missing"),
            ("map.id", "the argument `map.id` is missing"),
            ("list", "the argument `list` is a list, not a text or a number"),
            ("map", "the argument `map` is a mapping, not a text or a number"),
            ("none", "the argument `none` is null, not a text or a number"),
        ] {
            let found = fill_pointer(&format!("/orders/{{{{{name}}}}}"), &arguments);
            assert_eq!(found, Err(problem.to_owned()));
        }
    }

    #[test]
    fn a_placeholder_that_is_the_whole_text_keeps_its_type() {
        let arguments = parse(r#"{"id": 7, "amount": 2.50, "tags": ["a"]}"#).expect("JSON");
        let template =
            json!({"id": "{{id}}", "text": "order {{id}}", "tags": "{{tags}}", "all": [1, "{{amount}}"]});
        let filled = fill(&template, &arguments).expect("filled");
        assert_eq!(filled.to_string(), r#"{"id":7,"text":"order 7","tags":["a"],"all":[1,2.50]}"#);
        assert!(fill(&json!("tags {{tags}}"), &arguments).is_err());
    }

    #[test]
    fn a_pointer_or_a_placeholder_with_a_mistake_is_refused() {
        for written in ["orders/7", "orders.7", "/a/{{id", "/a/{{}}", "/a~2"] {
            assert!(PointerTemplate::parse(written).is_err(), "{written}");
        }
    }
}

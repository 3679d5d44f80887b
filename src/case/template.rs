//! Templates of request bodies: in the texts of a value, `{{input}}` is replaced by the input of the case.
//!
//! A text that is exactly `{{input}}` becomes the value, whatever its type; inside a longer text it becomes text.
//! Values are combined, not serialized text, so the content of a case cannot break out of its string.

use crate::json::Json;
pub use crate::pattern::{TemplatePart, split_placeholders};
use crate::yaml::{did_you_mean, render_plain};

/// Why a template cannot be read or filled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TemplateError {
    /// A placeholder has no end.
    #[error("`{{{{` has no `}}}}` behind it")]
    Unclosed,
    /// An agent is asked nothing of this name.
    #[error("`{{{{{name}}}}}` names nothing that an agent is asked: {help}")]
    UnknownName {
        /// The name.
        name: String,
        /// The nearest name, or all names.
        help: String,
    },
    /// The case has no value of this name.
    #[error("the case says nothing for `{{{{{0}}}}}`")]
    NotInCase(String),
    /// The variant has no value of this name.
    #[error("the variant sets nothing for `{{{{{0}}}}}`")]
    NotInVariant(String),
}

/// The names that a template may use: the keys of the input that a command reads, and the address of mock tools.
const TEMPLATE_NAMES: [&str; 8] =
    ["conversation", "id", "input", "mcp_url", "query", "run", "session", "turn"];

/// A value with placeholders in its texts.
#[derive(Debug, Clone, PartialEq)]
pub struct Template(Json);

impl Template {
    /// Checks the placeholders of `value`. The error names the text with an unknown name.
    pub fn new(value: Json) -> Result<Self, TemplateError> {
        each_text(&value, &mut |text| check_parts(text).map(drop))?;
        Ok(Self(value))
    }

    /// Whether `name` is something that an agent is asked.
    pub fn knows_name(name: &str) -> bool {
        let first = name.split('.').next().unwrap_or_default();
        TEMPLATE_NAMES.contains(&name) || ["input", "model"].contains(&first) || names_variant(name)
    }

    /// Returns the value with its placeholders.
    pub fn as_value(&self) -> &Json {
        &self.0
    }

    /// Fills the template with `asked`, an object by name. The error names the missing entry.
    pub fn fill(&self, asked: &Json) -> Result<Json, TemplateError> {
        fill_value(&self.0, asked)
    }

    /// Fills the placeholders of a header, which are those of a variant: `{{variant.MODEL}}`. All other braces are text.
    pub fn fill_variant(text: &str, asked: &Json) -> Result<String, TemplateError> {
        let parts = split_placeholders(text).map(|part| match part {
            TemplatePart::Placeholder { name, .. } if names_variant(name) => {
                find_value(asked, name).map(render_plain)
            }
            TemplatePart::Placeholder { written: text, .. }
            | TemplatePart::Text(text)
            | TemplatePart::Unclosed(text) => Ok(text.to_owned()),
        });
        parts.collect()
    }

    /// Fills a text. Each inserted value goes through `escape` first.
    pub fn fill_text(text: &str, asked: &Json, escape: fn(&str) -> String) -> Result<String, TemplateError> {
        let parts = check_parts(text)?.into_iter().map(|part| match part {
            TemplatePart::Placeholder { name, .. } => {
                find_value(asked, name).map(|value| escape(&render_plain(value)))
            }
            TemplatePart::Text(text) | TemplatePart::Unclosed(text) => Ok(text.to_owned()),
        });
        parts.collect()
    }
}

/// Whether a placeholder is a variable that the variant of the agent sets.
fn names_variant(name: &str) -> bool {
    name.strip_prefix("variant.").is_some_and(|variable| !variable.is_empty())
}

/// The names that an argument of a command may use.
const ARGUMENT_NAMES: [&str; 5] = ["input", "query", "id", "run", "package"];

/// Splits an argument of a command at its placeholders. Programs have braces of their own, so only `{{name}}` is a placeholder:
/// other text between braces, and more than two of them in a row, are text.
fn split_argument(text: &str) -> Vec<TemplatePart<'_>> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut at = 0;
    while let Some(found) = text[at..].find("{{") {
        let opened = at + found;
        let braces = text[opened..].bytes().take_while(|byte| *byte == b'{').count();
        at = opened + braces;
        let Some(length) = text[at..].find("}}").filter(|_| braces == 2) else { continue };
        let name = text[at..at + length].trim();
        let end = at + length + 2;
        if is_identifier(name) && !text[end..].starts_with('}') {
            if start < opened {
                parts.push(TemplatePart::Text(&text[start..opened]));
            }
            parts.push(TemplatePart::Placeholder { written: &text[opened..end], name });
            (start, at) = (end, end);
        }
    }
    if start < text.len() {
        parts.push(TemplatePart::Text(&text[start..]));
    }
    parts
}

/// Whether a text is a name, or names joined by dots: `input.user.name`.
fn is_identifier(text: &str) -> bool {
    let is_name =
        |part: &str| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
    text.split('.').all(is_name) && text.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Checks the placeholders of an argument. Returns whether it has any.
pub fn check_argument(text: &str) -> Result<bool, TemplateError> {
    let mut has_any = false;
    for part in split_argument(text) {
        let TemplatePart::Placeholder { name, .. } = part else { continue };
        has_any = true;
        let first = name.split('.').next().unwrap_or_default();
        if !(ARGUMENT_NAMES.contains(&name) || first == "input") {
            return Err(refuse_name(name, &ARGUMENT_NAMES));
        }
    }
    Ok(has_any)
}

/// Fills the placeholders of an argument with `asked`, an object by name. The value stays within the argument, and no shell
/// reads it. The error names the missing entry.
pub fn fill_argument(text: &str, asked: &Json) -> Result<String, TemplateError> {
    let parts = split_argument(text).into_iter().map(|part| match part {
        TemplatePart::Placeholder { name, .. } if check_argument(&format!("{{{{{name}}}}}")).is_ok() => {
            find_value(asked, name).map(render_plain)
        }
        TemplatePart::Placeholder { written: text, .. }
        | TemplatePart::Text(text)
        | TemplatePart::Unclosed(text) => Ok(text.to_owned()),
    });
    parts.collect()
}

fn each_text(
    value: &Json,
    hold: &mut impl FnMut(&str) -> Result<(), TemplateError>,
) -> Result<(), TemplateError> {
    match value {
        Json::String(text) => hold(text),
        Json::Array(items) => items.iter().try_for_each(|item| each_text(item, hold)),
        Json::Object(entries) => entries.values().try_for_each(|value| each_text(value, hold)),
        Json::Null | Json::Bool(_) | Json::Number(_) => Ok(()),
    }
}

fn fill_value(value: &Json, asked: &Json) -> Result<Json, TemplateError> {
    match value {
        Json::String(text) => fill_value_text(text, asked),
        Json::Array(items) => items.iter().map(|item| fill_value(item, asked)).collect(),
        Json::Object(entries) => {
            let entries = entries.iter().map(|(key, value)| Ok((key.clone(), fill_value(value, asked)?)));
            entries.collect::<Result<_, TemplateError>>().map(Json::Object)
        }
        Json::Null | Json::Bool(_) | Json::Number(_) => Ok(value.clone()),
    }
}

fn fill_value_text(text: &str, asked: &Json) -> Result<Json, TemplateError> {
    match check_parts(text)?[..] {
        [TemplatePart::Placeholder { name, .. }] => find_value(asked, name).cloned(),
        _ => Template::fill_text(text, asked, str::to_owned).map(Json::from),
    }
}

/// Splits a text, and checks that its placeholders are closed and known.
fn check_parts(text: &str) -> Result<Vec<TemplatePart<'_>>, TemplateError> {
    let checked = split_placeholders(text).map(|part| match part {
        TemplatePart::Text(_) => Ok(part),
        TemplatePart::Placeholder { name, .. } => check_name(name).map(|()| part),
        TemplatePart::Unclosed(_) => Err(TemplateError::Unclosed),
    });
    checked.collect()
}

/// `input.user.name` is a part of the input, and `model.openai` one of the addresses for the agent's model.
fn check_name(name: &str) -> Result<(), TemplateError> {
    if Template::knows_name(name) {
        return Ok(());
    }
    Err(refuse_name(name, &TEMPLATE_NAMES))
}

fn refuse_name(name: &str, known: &[&str]) -> TemplateError {
    let first = name.split('.').next().unwrap_or_default();
    let help = did_you_mean(first, known).unwrap_or_else(|| format!("there is `{}`", known.join("`, `")));
    TemplateError::UnknownName { name: name.to_owned(), help }
}

fn find_value<'a>(asked: &'a Json, name: &str) -> Result<&'a Json, TemplateError> {
    let value = asked.pointer(&format!("/{}", name.replace('.', "/")));
    value.ok_or_else(|| {
        let missing =
            if names_variant(name) { TemplateError::NotInVariant } else { TemplateError::NotInCase };
        missing(name.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use crate::json::json;

    use super::*;

    fn of(template: Json) -> Result<Json, TemplateError> {
        let input = json!({"query": "say \"hi\"", "user": {"age": 7}, "tags": ["a", "b"]});
        Template::new(template)?.fill(&json!({"id": "x", "run": 2, "query": "say \"hi\"", "input": input}))
    }

    #[test]
    fn a_name_alone_is_a_value_and_among_words_a_text() {
        assert_eq!(of(json!({"n": "{{run}}", "t": "run {{ run }}!"})), Ok(json!({"n": 2, "t": "run 2!"})));
        assert_eq!(of(json!(["{{input.tags}}", 1.5, null])), Ok(json!([["a", "b"], 1.5, null])));
        assert_eq!(
            of(json!("{{input.user}} {{input.tags.1}} {{query}}")),
            Ok(json!("{\"age\":7} b say \"hi\""))
        );
    }

    #[test]
    fn what_the_case_says_is_never_looked_through() {
        let template = Template::new(json!("{{query}} {{id}}")).expect("a template");
        let filled = template.fill(&json!({"id": "i", "query": "{{id}} ${HOME} \"}"}));
        assert_eq!(filled, Ok(json!("{{id}} ${HOME} \"} i")));
    }

    #[test]
    fn an_argument_of_a_command_keeps_braces_that_are_no_placeholder() {
        let asked = json!({"id": "x", "run": 2, "query": "{{id}} $(rm)", "input": {"query": "q", "user": {"age": 7}}});
        for (text, filled) in [
            ("{{query}}", "{{id}} $(rm)"),
            ("--id={{ id }} {{run}}", "--id=x 2"),
            ("{{input.user.age}}/{{input.user}}", "7/{\"age\":7}"),
            ("{{{{input}}}}", "{{{{input}}}}"),
            ("{{{input}}}", "{{{input}}}"),
            ("{{.Name}} {{#if x}} {{ a b }} {{", "{{.Name}} {{#if x}} {{ a b }} {{"),
            ("{\"a\":{\"b\":1}}", "{\"a\":{\"b\":1}}"),
        ] {
            assert_eq!(fill_argument(text, &asked), Ok(filled.to_owned()), "{text}");
            assert!(check_argument(text).is_ok(), "{text}");
        }
        let wrong = check_argument("a {{qeury}}").expect_err("a mistake");
        assert_eq!(
            wrong.to_string(),
            "`{{qeury}}` names nothing that an agent is asked: did you mean `query`?"
        );
        assert!(fill_argument("{{input.who}}", &asked).is_err() && check_argument("{{mcp_url}}").is_err());
    }

    #[test]
    fn a_header_has_the_values_of_its_variant_alone() {
        let asked = json!({"query": "q", "variant": {"MODEL": "m {{query}}"}});
        let fill = |text: &str| Template::fill_variant(text, &asked);
        assert_eq!(fill("a {{variant.MODEL}} {{query}} {{"), Ok("a m {{query}} {{query}} {{".to_owned()));
        assert_eq!(fill("{{variant.X}}"), Err(TemplateError::NotInVariant("variant.X".to_owned())));
        assert!(Template::new(json!("{{variant}}")).is_err());
    }

    #[test]
    fn what_is_not_there_is_told() {
        assert_eq!(of(json!("{{input.who}}")), Err(TemplateError::NotInCase("input.who".to_owned())));
        assert_eq!(of(json!(["{{x"])), Err(TemplateError::Unclosed));
        let wrong = of(json!({"a": ["{{qeury}}"]})).expect_err("a mistake");
        assert_eq!(
            wrong.to_string(),
            "`{{qeury}}` names nothing that an agent is asked: did you mean `query`?"
        );
        let wrong = of(json!("{{run.x}}")).expect_err("a mistake");
        assert!(wrong.to_string().starts_with("`{{run.x}}` names nothing"), "{wrong}");
    }
}

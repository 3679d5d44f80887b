//! `model:` how the requests of an agent to its model are recorded.

use super::feature_error;
use crate::case::ModelSettings;
use crate::place::{LoadError, LoadErrors};
use crate::yaml::{Fields, Node, Value, suggest_or_list};

/// The providers whose addresses can be set.
const PROVIDERS: [&str; 5] = ["openai", "anthropic", "gemini", "azure", "ollama"];

/// `true`, `false`, or `{upstream: {openai: URL}, ignore: [...], ignore_text: [...], reuse: true}`.
pub(super) fn parse_model(node: Node<'_>) -> Result<Option<ModelSettings>, LoadErrors> {
    feature_error(node, "model", ("model", cfg!(feature = "model")))?;
    if let Value::Bool(wanted) = node.value() {
        return Ok(wanted.then(ModelSettings::default));
    }
    let mut fields = Fields::of(node, "`model`")?;
    let mut settings = ModelSettings::default();
    // A provider that is not named keeps the address of its variable, or else its usual one.
    for (provider, node) in fields.node("upstream").and_then(Node::entries).into_iter().flatten() {
        let upstream = fields.take(parse_upstream(&provider.name, node));
        settings.upstream.extend(upstream.map(|address| (provider.name.to_string(), address)));
    }
    settings.ignore = parse_texts(&mut fields, "ignore", check_pointer);
    settings.ignore_text = parse_texts(&mut fields, "ignore_text", check_regex);
    settings.reuse = fields.optional("reuse").unwrap_or(false);
    fields.finish(Some(settings))
}

fn parse_upstream(provider: &str, node: Node<'_>) -> Result<String, LoadError> {
    if !PROVIDERS.contains(&provider) {
        let error = node.error(format!("no provider is called `{provider}`"));
        return Err(error.help(suggest_or_list(provider, &PROVIDERS)));
    }
    let url: String = node.decode()?;
    // A query or a user in the address could hold a key, which would be written to a recording.
    if ["http://", "https://"].iter().any(|start| url.starts_with(start)) && !url.contains(['?', '#', '@']) {
        return Ok(url);
    }
    let error = node.error("not the address of a provider");
    Err(error.help("for example `https://api.openai.com/v1`, without a key"))
}

fn parse_texts(
    fields: &mut Fields<'_>,
    key: &'static str,
    check: fn(&str) -> Result<(), String>,
) -> Vec<String> {
    let nodes = fields.node(key).map(Node::one_or_many).unwrap_or_default();
    let texts = nodes.into_iter().filter_map(|node| fields.take(parse_text(node, check)));
    texts.collect()
}

fn parse_text(node: Node<'_>, check: fn(&str) -> Result<(), String>) -> Result<String, LoadError> {
    let text: String = node.decode()?;
    check(&text).map_err(|problem| node.error(problem)).map(|()| text)
}

/// The parts of requests that hold all of what a provider's model is asked.
const CONVERSATIONS: [&str; 4] = ["/messages", "/input", "/contents", "/prompt"];

fn check_pointer(text: &str) -> Result<(), String> {
    if CONVERSATIONS.contains(&text) {
        return Err(format!(
            "without `{text}`, all requests are equal, and any prompt gets the recorded reply: name a part of it"
        ));
    }
    if text.starts_with('/') { Ok(()) } else { Err("a JSON pointer begins with `/`: `/seed`".to_owned()) }
}

fn check_regex(text: &str) -> Result<(), String> {
    let regex = regex::Regex::new(text).map_err(|error| format!("not a regular expression: {error}"))?;
    // What is left of these texts would be compared. They have nothing in common that a sensible pattern would mean.
    let is_all_gone = |text: &str| !regex.replace_all(text, "").contains(char::is_alphanumeric);
    if ["Delete all 17 orders, now!", "be nice\nor not"].into_iter().all(is_all_gone) {
        return Err("the pattern matches every text, so that any prompt gets the recorded reply".to_owned());
    }
    Ok(())
}

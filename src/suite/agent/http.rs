//! `http:` an agent that is a server.

use super::{mark_common_keys, parse_bytes};
use crate::case::{HttpCall, HttpMethod, Template, VariableText};
use crate::check::parse_reader_name;
use crate::pattern::JsonPath;
use crate::place::{LoadError, LoadErrors};
use crate::yaml::{Fields, Node, Value, read_all, suggest_or_list};

/// The keys next to `http`, which `command` has as well.
const OUTER_KEYS: [&str; 3] = ["timeout", "output_limit", "format"];

/// More attempts are no patience but a load.
const MAX_RETRIES: u32 = 10;

pub(super) fn parse_http_call(node: Node<'_>, readers: &[&str]) -> Result<HttpCall, LoadErrors> {
    let mut fields = Fields::of(node, "an agent")?;
    mark_common_keys(&mut fields);
    let asking = fields.parse("http", parse_request);
    let timeout = fields.parse("timeout", |node| node.parse_time("timeout"));
    let output_limit = fields.parse("output_limit", parse_bytes);
    let format = fields.node("format").and_then(|node| fields.take(parse_reader_name(node, readers)));
    fields.finish_some(asking.map(|call| HttpCall { timeout, output_limit, format, ..call }))
}

/// `{url: ..., ...}`, or the URL alone.
fn parse_request(node: Node<'_>) -> Result<HttpCall, LoadErrors> {
    if node.as_str().is_some() {
        return Ok(HttpCall { url: parse_url(node)?, ..HttpCall::default() });
    }
    let mut fields = Fields::of(node, "`http`")?;
    let address = fields.parse("url", parse_url);
    if address.is_none() && fields.errors.is_empty() {
        fields.missing(&["url"], node.error("`http` needs the agent's `url`"));
    }
    let method = fields.parse("method", parse_method).unwrap_or_default();
    let headers = fields.parse("headers", parse_headers).unwrap_or_default();
    let body = fields.node("body").and_then(|node| fields.take(parse_body(node, method)));
    let [trace, answer] = ["trace", "answer"].map(|key| parse_path(&mut fields, key));
    let retries = fields.parse("retries", parse_retries);
    // Keys of both forms of agents stand beside the form, and are often put inside of it.
    fields.among(&OUTER_KEYS).into_iter().for_each(|(key, node)| {
        let error = node.error(format!("`{}` belongs beside `http`, not in it", key.name));
        fields.errors.push(error.help("as it does beside a `command`"));
    });
    let call = HttpCall { method, headers, body, trace, answer, retries, ..HttpCall::default() };
    fields.finish_some(address.map(|url| HttpCall { url, ..call }))
}

fn parse_url(node: Node<'_>) -> Result<VariableText, LoadError> {
    let url: String = node.decode()?;
    Template::new(url.as_str().into()).map_err(|problem| node.error(problem))?;
    let url = parse_with_variables(node, url)?;
    // An address in a variable can be checked only when the variable is known.
    let is_web = ["http://", "https://", "${"].iter().any(|start| url.as_str().starts_with(start));
    if is_web && !url.as_str().contains(char::is_whitespace) {
        return Ok(url);
    }
    let error = node.error("not the URL of a server");
    Err(error.help("it begins with `http://`, `https://` or a variable: `${AGENT_URL}`"))
}

fn parse_method(node: Node<'_>) -> Result<HttpMethod, LoadError> {
    let name: String = node.decode()?;
    let found = HttpMethod::ALL.into_iter().find(|method| method.name().eq_ignore_ascii_case(&name));
    found.ok_or_else(|| {
        let known = HttpMethod::ALL.map(HttpMethod::name);
        node.error(format!("unknown method `{name}`")).help(suggest_or_list(&name, &known))
    })
}

fn parse_headers(node: Node<'_>) -> Result<Vec<(String, VariableText)>, LoadErrors> {
    let Some(entries) = node.entries() else {
        let error = node.error("`headers` is a mapping of names to values");
        return Err(error
            .help("a key comes from the environment: `authorization: Bearer ${AGENT_KEY}`")
            .into());
    };
    read_all(entries.map(|(key, node)| Ok::<_, LoadError>((key.name.to_string(), parse_header(node)?))))
}

/// A value; a number is the text that it is written as.
fn parse_header(node: Node<'_>) -> Result<VariableText, LoadError> {
    let text = match node.value() {
        Value::Number(number) if number.is_written_as_integer() => number.to_string(),
        _ => node.decode()?,
    };
    parse_with_variables(node, text)
}

fn parse_with_variables(node: Node<'_>, text: String) -> Result<VariableText, LoadError> {
    let found = VariableText::new(text);
    found.map_err(|problem| node.error(problem).help("a variable of the environment is `${AGENT_KEY}`"))
}

fn parse_body(node: Node<'_>, method: HttpMethod) -> Result<Template, LoadError> {
    if method == HttpMethod::Get {
        return Err(node.error("a `GET` has no `body`").help("ask by `method: POST`, or in the `url`"));
    }
    let template = Template::new(node.to_json());
    template.map_err(|problem| node.error(problem))
}

fn parse_path(fields: &mut Fields<'_>, key: &'static str) -> Option<JsonPath> {
    let node = fields.node(key)?;
    let text: String = fields.take(node.decode())?;
    fields.take(JsonPath::new(&text).map_err(|problem| node.error(problem)))
}

fn parse_retries(node: Node<'_>) -> Result<u32, LoadError> {
    let retries = node.decode::<u32>().ok().filter(|retries| *retries <= MAX_RETRIES);
    retries.ok_or_else(|| node.error(format!("`retries` is a number from 0 to {MAX_RETRIES}")))
}

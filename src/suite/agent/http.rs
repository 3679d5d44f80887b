//! `http:` an agent that is a server.

use super::super::case::timeout;
use super::super::trace::reader_name;
use super::bytes;
use crate::case::{HttpCall, HttpMethod, Template, WithVariables};
use crate::pattern::JsonPath;
use crate::place::{LoadError, LoadErrors};
use crate::yaml::{Fields, Node, Value, did_you_mean};

/// What stands beside `http`, as beside `command`.
const BESIDE: [&str; 3] = ["timeout", "output_limit", "format"];

/// More attempts are no patience but a load.
const MOST_RETRIES: u32 = 10;

/// What is asked, and where.
struct Asking {
    url: WithVariables,
    method: HttpMethod,
    headers: Vec<(String, WithVariables)>,
    body: Option<Template>,
    trace: Option<JsonPath>,
    answer: Option<JsonPath>,
    retries: Option<u32>,
}

pub(super) fn call(node: Node<'_>) -> Result<HttpCall, LoadErrors> {
    let mut fields = Fields::of(node, "an agent")?;
    let asking = fields.node("http").and_then(|http| fields.take(asking(http)));
    let timeout = fields.node("timeout").and_then(|node| fields.take(timeout(node)));
    let output_limit = fields.node("output_limit").and_then(|node| fields.take(bytes(node)));
    let format = fields.node("format").and_then(|node| fields.take(reader_name(node)));
    let call = asking.map(|Asking { url, method, headers, body, trace, answer, retries }| HttpCall {
        url,
        method,
        headers,
        body,
        trace,
        answer,
        retries,
        timeout,
        output_limit,
        format,
    });
    fields.finish_some(call)
}

/// `{url: ..., ...}`, or the URL alone.
fn asking(node: Node<'_>) -> Result<Asking, LoadErrors> {
    if node.as_str().is_some() {
        let (method, headers) = (HttpMethod::default(), Vec::new());
        let url = url(node)?;
        return Ok(Asking { url, method, headers, body: None, trace: None, answer: None, retries: None });
    }
    let mut fields = Fields::of(node, "`http`")?;
    let address = fields.node("url").and_then(|node| fields.take(url(node)));
    if address.is_none() && fields.errors.is_empty() {
        fields.missing(&["url"], node.error("`http` needs the agent's `url`"));
    }
    let method = fields.node("method").and_then(|node| fields.take(method(node))).unwrap_or_default();
    let headers = fields.node("headers").and_then(|node| fields.take(headers(node))).unwrap_or_default();
    let body = fields.node("body").and_then(|node| fields.take(body(node, method)));
    let [trace, answer] = ["trace", "answer"].map(|key| path(&mut fields, key));
    let retries = fields.node("retries").and_then(|node| fields.take(retries(node)));
    fields.among(&BESIDE).into_iter().for_each(|(key, node)| {
        let error = node.error(format!("`{}` stands beside `http`, not in it", key.name));
        fields.errors.push(error.help("as it does beside a `command`"));
    });
    let asking = address.map(|url| Asking { url, method, headers, body, trace, answer, retries });
    fields.finish_some(asking)
}

fn url(node: Node<'_>) -> Result<WithVariables, LoadError> {
    let url: String = node.decode()?;
    Template::new(url.as_str().into()).map_err(|problem| node.error(problem))?;
    let url = with_variables(node, url)?;
    let is_web = ["http://", "https://", "${"].iter().any(|start| url.as_str().starts_with(start));
    if is_web && !url.as_str().contains(char::is_whitespace) {
        return Ok(url);
    }
    let error = node.error("this is no URL of a server");
    Err(error.help("it begins with `http://`, `https://` or a variable: `${AGENT_URL}`"))
}

fn method(node: Node<'_>) -> Result<HttpMethod, LoadError> {
    let name: String = node.decode()?;
    let found = HttpMethod::ALL.into_iter().find(|method| method.name().eq_ignore_ascii_case(&name));
    found.ok_or_else(|| {
        let known = HttpMethod::ALL.map(HttpMethod::name);
        let help = did_you_mean(&name, &known).unwrap_or_else(|| format!("one of `{}`", known.join("`, `")));
        node.error(format!("no agent is asked by `{name}`")).help(help)
    })
}

fn headers(node: Node<'_>) -> Result<Vec<(String, WithVariables)>, LoadErrors> {
    let Some(entries) = node.entries() else {
        let error = node.error("`headers` is a mapping of names to values");
        return Err(error
            .help("a key comes from the environment: `authorization: Bearer ${AGENT_KEY}`")
            .into());
    };
    let mut errors = LoadErrors::new();
    let headers = entries.filter_map(|(key, node)| Some((key.name.to_string(), errors.take(header(node))?)));
    let headers = headers.collect();
    errors.or(headers)
}

/// A value; a number is the text that it is written as.
fn header(node: Node<'_>) -> Result<WithVariables, LoadError> {
    let text = match node.value() {
        Value::Int(number) => number.to_string(),
        _ => node.decode()?,
    };
    with_variables(node, text)
}

fn with_variables(node: Node<'_>, text: String) -> Result<WithVariables, LoadError> {
    let found = WithVariables::new(text);
    found.map_err(|problem| node.error(problem).help("a variable of the environment is `${AGENT_KEY}`"))
}

fn body(node: Node<'_>, method: HttpMethod) -> Result<Template, LoadError> {
    if method == HttpMethod::Get {
        return Err(node.error("a `GET` has no `body`").help("ask by `method: POST`, or in the `url`"));
    }
    let template = Template::new(node.to_json());
    template.map_err(|problem| node.error(problem))
}

fn path(fields: &mut Fields<'_>, key: &'static str) -> Option<JsonPath> {
    let node = fields.node(key)?;
    let text: String = fields.take(node.decode())?;
    fields.take(JsonPath::new(&text).map_err(|problem| node.error(problem)))
}

fn retries(node: Node<'_>) -> Result<u32, LoadError> {
    let retries = node.decode::<u32>().ok().filter(|retries| *retries <= MOST_RETRIES);
    retries.ok_or_else(|| node.error(format!("`retries` is a number from 0 to {MOST_RETRIES}")))
}

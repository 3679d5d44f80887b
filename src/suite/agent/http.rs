//! `http:` an agent that is a server.

use serde::Deserialize;

use super::require_feature;
use crate::JsonSchema;
use crate::case::{HttpCall, HttpMethod, Template, VariableText};
use crate::json::Json;
use crate::pattern::JsonPath;
use crate::place::{LoadError, LoadErrors};
use crate::yaml::{Build, Label, MappingOr, OrderedMap, Placed, even_null, read_all, suggest_or_list};

/// The most retries: more would only burden the server.
const MAX_RETRIES: u32 = 10;

/// A server: its URL, or a request.
pub(super) type WrittenHttp = MappingOr<HttpRequest, Placed<String>>;

/// A request to a server.
#[derive(Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(deny_unknown_fields)]
pub(super) struct HttpRequest {
    /// The URL.
    url: Placed<String>,
    /// The method. Default: `POST`.
    #[schemars(extend("enum" = ["GET", "POST", "PUT", "PATCH"]))]
    method: Option<Placed<String>>,
    /// The headers. `${NAME}` is an environment variable.
    headers: Option<OrderedMap<String, Placed<Label>>>,
    /// The body, as JSON. `{{input}}` is replaced by the input of the case.
    #[serde(default, deserialize_with = "even_null")]
    body: Option<Placed<Json>>,
    /// A JSONPath to the trace in the response.
    trace: Option<JsonPath>,
    /// A JSONPath to the agent's answer in the response.
    answer: Option<JsonPath>,
    /// The number of further attempts after a 429, a 5xx or a lost connection.
    #[schemars(range(min = 0, max = 10))]
    retries: Option<Placed<u32>>,
    // Keys of both forms of agents stand beside the form, and are often put inside of it.
    #[schemars(skip)]
    timeout: Option<Placed<Json>>,
    #[schemars(skip)]
    output_limit: Option<Placed<Json>>,
    #[schemars(skip)]
    format: Option<Placed<Json>>,
}

impl Build for WrittenHttp {
    type Built = HttpCall;

    fn build(written: Placed<Self>) -> Result<HttpCall, LoadErrors> {
        require_feature(written.place(), "http", "http", cfg!(feature = "http"))?;
        let request = match written.into_value() {
            MappingOr::Short(url) => return Ok(HttpCall { url: build_url(&url)?, ..HttpCall::default() }),
            MappingOr::Mapping(request) => request,
        };
        let mut errors = LoadErrors::new();
        let url = errors.take(build_url(&request.url));
        let method = request.method.and_then(|method| errors.take(find_method(&method))).unwrap_or_default();
        let headers = request.headers.unwrap_or_default().0.into_iter();
        let headers = read_all(headers.map(|(name, value)| {
            let text = build_variable_text(&value, value.0.clone())?;
            Ok::<_, LoadError>((name, text))
        }));
        let headers = errors.take(headers).unwrap_or_default();
        let body = request.body.and_then(|body| errors.take(build_body(&body, method)));
        if let Some(retries) = request.retries.as_ref().filter(|retries| ***retries > MAX_RETRIES) {
            errors.push(retries.error(format!("`retries` is a number from 0 to {MAX_RETRIES}")));
        }
        for (key, value) in [
            ("timeout", &request.timeout),
            ("output_limit", &request.output_limit),
            ("format", &request.format),
        ] {
            if let Some(value) = value {
                let error = value.error(format!("`{key}` belongs beside `http`, not in it"));
                errors.push(error.help("as it does beside a `command`"));
            }
        }
        let retries = request.retries.map(Placed::into_value);
        let HttpRequest { trace, answer, .. } = request;
        let call = HttpCall { method, headers, body, trace, answer, retries, ..HttpCall::default() };
        errors.or_some(url.map(|url| HttpCall { url, ..call }))
    }
}

fn build_url(written: &Placed<String>) -> Result<VariableText, LoadError> {
    written.try_map(|url| Template::new(url.as_str().into()))?;
    let url = build_variable_text(written, (**written).clone())?;
    // An address in a variable can be checked only when the variable is known.
    let is_web = ["http://", "https://", "${"].iter().any(|start| url.as_str().starts_with(start));
    if is_web && !url.as_str().contains(char::is_whitespace) {
        return Ok(url);
    }
    let error = written.error("not the URL of a server");
    Err(error.help("it begins with `http://`, `https://` or a variable: `${AGENT_URL}`"))
}

fn find_method(name: &Placed<String>) -> Result<HttpMethod, LoadError> {
    let found = HttpMethod::ALL.into_iter().find(|method| method.name().eq_ignore_ascii_case(name));
    found.ok_or_else(|| {
        let known = HttpMethod::ALL.map(HttpMethod::name);
        name.error(format!("unknown method `{}`", **name)).help(suggest_or_list(name, &known))
    })
}

fn build_variable_text<T>(written: &Placed<T>, text: String) -> Result<VariableText, LoadError> {
    let found = VariableText::new(text);
    found.map_err(|problem| written.error(problem).help("a variable of the environment is `${AGENT_KEY}`"))
}

fn build_body(body: &Placed<Json>, method: HttpMethod) -> Result<Template, LoadError> {
    if method == HttpMethod::Get {
        return Err(body.error("a `GET` has no `body`").help("ask by `method: POST`, or in the `url`"));
    }
    body.try_map(|body| Template::new(body.clone()))
}

//! One HTTP request and its answer: within its time, asked again where that helps, and with its secrets kept.
//!
//! For whoever asks a model or an agent over the network. Blocking: a caller on a runtime uses a thread for it. What
//! goes wrong is an [`HttpError`], whose text never holds a key.

mod attempt;
mod client;
mod conceal;
mod error;
mod limits;
mod retry;

use std::fmt;

use serde::de::DeserializeOwned;
use serde_json::Value;

pub use client::HttpClient;
pub use error::{HttpError, HttpProblem};
pub use limits::HttpLimits;

use crate::secrets::{Secrets, names_a_secret};

/// A request whose body, if it has one, is JSON.
#[derive(Clone)]
pub struct HttpRequest {
    method: &'static str,
    url: String,
    headers: Vec<(String, String)>,
    body: Option<Value>,
    secrets: Secrets,
}

impl HttpRequest {
    /// A `POST` of `body`.
    pub fn post(url: impl Into<String>, body: Value) -> Self {
        Self::new("POST", url, Some(body))
    }

    /// A `GET`.
    pub fn get(url: impl Into<String>) -> Self {
        Self::new("GET", url, None)
    }

    /// Any request.
    pub fn new(method: &'static str, url: impl Into<String>, body: Option<Value>) -> Self {
        Self { method, url: url.into(), headers: Vec::new(), body, secrets: Secrets::default() }
    }

    /// Adds a header. The value of one whose name says that it is a secret (`authorization`, `x-api-key`) is concealed.
    pub fn with_header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        let (name, value) = (name.into().to_ascii_lowercase(), value.into());
        if names_a_secret(&name) {
            conceal::add_header(&mut self.secrets, &name, &value);
        }
        self.headers.push((name, value));
        self
    }

    /// `Authorization: Bearer KEY`.
    pub fn with_bearer(self, key: &str) -> Self {
        self.with_header("authorization", format!("Bearer {key}"))
    }

    /// Says that `value` stands somewhere in the request and must never be shown: `name` is shown in its place.
    pub fn with_secret(mut self, name: &str, value: &str) -> Self {
        self.secrets.add_value(name, value);
        self
    }

    /// The name of a secret of this request that stands in `text`, which must then not be kept.
    pub fn find_secret_in(&self, text: &str) -> Option<&str> {
        self.secrets.find_in(text)
    }

    /// What is sent.
    pub fn body(&self) -> Option<&Value> {
        self.body.as_ref()
    }

    /// The URL without what may be a secret: who asks, and the query.
    fn shown_url(&self) -> String {
        self.secrets.mask_text(conceal::strip_url(&self.url))
    }
}

/// Values of headers, the query of the URL and the body are left out: they may hold a key.
impl fmt::Debug for HttpRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let headers: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        let mut shown = f.debug_struct("Request");
        shown.field("method", &self.method).field("url", &self.shown_url()).field("headers", &headers);
        shown.finish_non_exhaustive()
    }
}

/// An answer that says that all went well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpResponse {
    /// 200 to 299.
    pub status: u16,
    /// The media type, without its parameters: `application/json`.
    pub media_type: Option<String>,
    /// The text.
    pub body: String,
    /// How often it was asked for, from 1.
    pub attempts: u32,
}

impl HttpResponse {
    /// The body as JSON. The error says what stands there instead.
    pub fn parse_json<T: DeserializeOwned>(&self) -> Result<T, HttpProblem> {
        serde_json::from_str(&self.body).map_err(|error| HttpProblem::NotJson(error.to_string()))
    }
}

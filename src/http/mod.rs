//! HTTP requests with time limits, retries and masked secrets.
//!
//! The client blocks: callers on an async runtime use a blocking thread. Problems are [`HttpError`]s, whose messages
//! never contain a key.

mod attempt;
mod client;
mod conceal;
mod error;
mod limits;
mod retry;

use std::fmt;

use serde::de::DeserializeOwned;

pub use client::HttpClient;
pub use error::{HttpError, HttpProblem};
pub use limits::HttpLimits;
#[cfg(feature = "model")]
pub(crate) use retry::{compute_backoff, parse_retry_after};

use crate::json::{self, Json};
use crate::secrets::{Secrets, names_a_secret};

/// A request, with a JSON body or none.
#[derive(Clone)]
pub struct HttpRequest {
    method: &'static str,
    url: String,
    headers: Vec<(String, String)>,
    body: Option<Json>,
    secrets: Secrets,
}

impl HttpRequest {
    /// Creates a `POST` request with this body.
    pub fn post(url: impl Into<String>, body: Json) -> Self {
        Self::new("POST", url, Some(body))
    }

    /// Creates a `GET` request.
    pub fn get(url: impl Into<String>) -> Self {
        Self::new("GET", url, None)
    }

    /// Creates a request.
    pub fn new(method: &'static str, url: impl Into<String>, body: Option<Json>) -> Self {
        Self { method, url: url.into(), headers: Vec::new(), body, secrets: Secrets::default() }
    }

    /// Adds a header. Its value is masked if its name suggests a secret (`authorization`, `x-api-key`).
    pub fn with_header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        let name = name.into().to_ascii_lowercase();
        let value = value.into();
        if names_a_secret(&name) {
            conceal::add_header(&mut self.secrets, &name, &value);
        }
        self.headers.push((name, value));
        self
    }

    /// Adds the header `Authorization: Bearer KEY`.
    pub fn with_bearer(self, key: &str) -> Self {
        self.with_header("authorization", format!("Bearer {key}"))
    }

    /// Marks `value`, which occurs in the request, as a secret: `name` is shown in its place.
    pub fn with_secret(mut self, name: &str, value: &str) -> Self {
        self.secrets.add_value(name, value);
        self
    }

    /// Returns the secrets of this request. A text with one of them must not be stored.
    pub fn secrets(&self) -> &Secrets {
        &self.secrets
    }

    /// Returns the body.
    pub fn body(&self) -> Option<&Json> {
        self.body.as_ref()
    }

    /// Returns the URL without user info and query, which may contain secrets.
    fn shown_url(&self) -> String {
        self.secrets.mask_text(conceal::strip_url(&self.url))
    }
}

/// Omits header values, the query of the URL and the body: they may contain a key.
impl fmt::Debug for HttpRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let headers: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        let mut shown = f.debug_struct("Request");
        shown.field("method", &self.method).field("url", &self.shown_url()).field("headers", &headers);
        shown.finish_non_exhaustive()
    }
}

/// A successful response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpResponse {
    /// The status, from 200 to 299.
    pub status: u16,
    /// The media type, without its parameters: `application/json`.
    pub media_type: Option<String>,
    /// The body.
    pub body: String,
    /// The number of attempts, from 1.
    pub attempts: u32,
}

impl HttpResponse {
    /// Parses the body as JSON. A duplicate key is an error: programs differ on which of the two counts.
    pub fn parse_json<T: DeserializeOwned>(&self) -> Result<T, HttpProblem> {
        json::from_str(&self.body).map_err(|error| HttpProblem::NotJson(error.to_string()))
    }
}

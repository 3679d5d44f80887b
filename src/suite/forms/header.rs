//! Forms of a suite's own keys, and of `arraign.yaml`.

use super::{Amount, Nullable};
use crate::check::support::forms::Time;
#[cfg(feature = "schema")]
use schemars::JsonSchema;

/// A size: a number of bytes, or a text such as `64 MiB`.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(untagged, inline))]
pub(crate) enum FileSize {
    Bytes(std::num::NonZeroU64),
    Text(String),
}

/// The prices of one model.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(deny_unknown_fields, rename = "price"))]
pub(crate) struct Price {
    /// Input tokens.
    input: Amount,
    /// Output tokens.
    output: Amount,
    /// Input tokens that are read from a cache. Default: the price of input tokens.
    cached: Option<Amount>,
}

/// The model that gives opinions.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(deny_unknown_fields, rename = "judge"))]
pub(crate) struct Judge {
    /// The name of the model on its server.
    model: Option<Nullable<String>>,
    /// A server with OpenAI's chat completions API, including the version. Default: OpenAI.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^https?://")))]
    base_url: Option<String>,
    /// The environment variable that contains the key. Default: `OPENAI_API_KEY`.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[A-Z0-9_]+$")))]
    key_env: Option<String>,
    /// The seed of each request, sent with temperature 0. Default: 0.
    seed: Option<Nullable<i64>>,
    /// How often the judge is asked: an odd number up to 9. The majority decides.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = [1, 3, 5, 7, 9])))]
    votes: Option<u32>,
    /// The time limit for one answer, including all attempts. Default: 2 minutes.
    timeout: Option<Time>,
    /// The highest cost of all answers of a run, in US dollars.
    #[cfg_attr(feature = "schema", schemars(extend("exclusiveMinimum" = 0)))]
    budget_usd: Option<f64>,
}

//! Forms of a suite's own keys, and of `arraign.yaml`.

use super::{Amount, Nullable, Share};
use crate::check::support::forms::Time;
use crate::suite::ReportFormat;
use crate::suite::gate::GateRows;
#[cfg(feature = "schema")]
use schemars::JsonSchema;

/// The reports that a run writes.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(deny_unknown_fields, inline))]
pub(crate) struct Output {
    /// The formats of the reports.
    format: Option<Formats>,
    /// Accepted and not used: `ARRAIGN_OUT` says where reports are written.
    directory: Option<String>,
}

/// One format, or several.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(untagged, inline))]
enum Formats {
    One(ReportFormat),
    Many(Vec<ReportFormat>),
}

/// What the cases must reach together.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(deny_unknown_fields, inline))]
pub(crate) struct Gate {
    /// The least mean score of the cases.
    mean: Share,
    /// What a case does that misses its own threshold.
    rows: Option<GateRows>,
}

/// An earlier summary.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(deny_unknown_fields, inline))]
pub(crate) struct SummaryBaseline {
    /// The earlier summary.
    file: String,
    /// How far a mean may fall. Default: 0.05.
    max_regression: Option<Share>,
}

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
    /// Input tokens that are read from a cache. Default: the price of other input.
    cached: Option<Amount>,
}

/// Who gives opinions.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(deny_unknown_fields, rename = "judge"))]
pub(crate) struct Judge {
    /// The model, as its server calls it.
    model: Option<Nullable<String>>,
    /// A server that speaks OpenAI's chat completions, up to the version. Default: OpenAI's.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^https?://")))]
    base_url: Option<String>,
    /// The variable that contains the key. Default: `OPENAI_API_KEY`.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[A-Z0-9_]+$")))]
    key_env: Option<String>,
    /// The seed of each request, next to temperature 0. Default: 0.
    seed: Option<Nullable<i64>>,
    /// How often the judge is asked: an odd number up to 9. The majority decides.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = [1, 3, 5, 7, 9])))]
    votes: Option<u32>,
    /// How long one answer may take, with all attempts. Default: 2 minutes.
    timeout: Option<Time>,
    /// The highest cost of all answers of one process, in US dollars.
    #[cfg_attr(feature = "schema", schemars(extend("exclusiveMinimum" = 0)))]
    budget_usd: Option<f64>,
}

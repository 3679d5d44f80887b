//! The figures of a span: the model and the tokens of a model call, and why the model stopped.

use crate::json::parse_lenient;

use crate::reader::build::usage::TokenKeys;
use crate::reader::formats::otel::langfuse;
use crate::reader::formats::otel::span::OtelSpan;
use crate::trace::Usage;

/// The attributes for tokens in each vocabulary. The input includes tokens that were read from a cache.
const TOKENS: TokenKeys = TokenKeys {
    input: &[
        "gen_ai.usage.input_tokens",
        "gen_ai.aggregated_usage.input_tokens",
        "llm.token_count.prompt",
        "gen_ai.usage.prompt_tokens",
    ],
    output: &[
        "gen_ai.usage.output_tokens",
        "gen_ai.aggregated_usage.output_tokens",
        "llm.token_count.completion",
        "gen_ai.usage.completion_tokens",
    ],
    cached: &[
        "gen_ai.usage.cache_read.input_tokens",
        "gen_ai.aggregated_usage.cache_read.input_tokens",
        "llm.token_count.prompt_details.cache_read",
        "gen_ai.usage.cache_read_input_tokens",
        "gen_ai.usage.details.cache_read_tokens",
    ],
    reasoning: &[
        "gen_ai.usage.reasoning.output_tokens",
        "gen_ai.aggregated_usage.reasoning.output_tokens",
        "llm.token_count.completion_details.reasoning",
        "gen_ai.usage.reasoning_tokens",
        "gen_ai.usage.details.reasoning_tokens",
    ],
    ..TokenKeys::NONE
};

/// Reads the tokens of a span.
pub(crate) fn usage(span: &OtelSpan) -> Option<Usage> {
    TOKENS.read_by(|names| Ok(span.count(names))).ok()?.or_else(|| langfuse::read_usage(span))
}

/// Returns the first finish reason, out of a text, a list, or a list as JSON text.
pub(crate) fn stop_reason(span: &OtelSpan) -> Option<String> {
    let names = [
        "gen_ai.response.finish_reasons",
        "llm.finish_reason",
        "gen_ai.completion.0.finish_reason",
        "llm.response.finish_reason",
        "anthropic.message.stop_reason",
        "gen_ai.response.stop_reason",
        "llm.response.stop_reason",
        "gen_ai.response.finish_reason",
    ];
    let told = span.get(&names)?.to_json();
    let list = told.as_str().and_then(|text| parse_lenient(text).ok());
    let list = list.as_ref().unwrap_or(&told);
    let first = list.get(0).unwrap_or(list);
    first.as_str().or(told.as_str()).map(ToOwned::to_owned)
}

/// Finds the model of a model call.
pub(crate) fn find_model<'s>(span: &'s OtelSpan) -> Option<&'s str> {
    span.text(&[
        "gen_ai.response.model",
        "gen_ai.request.model",
        "llm.model_name",
        "langfuse.observation.model.name",
    ])
}

//! The events with which writers end their streams.
//!
//! A stream whose writer always ends it with an event, and that lacks the event, broke off. A format is in this table only
//! if each version that its reader knows writes the event. `data: [DONE]` says that a transport ended, not that a run did.

/// The event that ends a stream.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StreamEnd {
    /// The writer and the form of its output.
    _writer: &'static str,
    /// The event, or the key of the last record, in a few words.
    event: &'static str,
}

const fn end_of(writer: &'static str, event: &'static str) -> StreamEnd {
    StreamEnd { _writer: writer, event }
}

pub(crate) const AG_UI: StreamEnd = end_of("AG-UI, after `RUN_STARTED`", "RUN_FINISHED");
pub(crate) const ANTHROPIC: StreamEnd = end_of("Anthropic Messages, streamed", "message_stop");
pub(crate) const BEDROCK: StreamEnd = end_of("Amazon Bedrock, `ConverseStream`", "messageStop");
pub(crate) const CHAT_CHUNKS: StreamEnd =
    end_of("OpenAI Chat Completions, streamed and without `[DONE]`", "finish_reason");
pub(crate) const CLAUDE_CODE: StreamEnd =
    end_of("Claude Code and Qwen Code, `--output-format stream-json`, after `init`", "result");
pub(crate) const CODEX_EXEC: StreamEnd = end_of("Codex, `exec --json`", "turn.completed");
pub(crate) const CODEX_ROLLOUT: StreamEnd = end_of("Codex, rollouts, after `task_started`", "task_complete");
pub(crate) const GEMINI: StreamEnd = end_of("Gemini, `streamGenerateContent`", "finishReason");
pub(crate) const GEMINI_CLI: StreamEnd =
    end_of("Gemini CLI, `--output-format stream-json`, after `init`", "result");
pub(crate) const OLLAMA: StreamEnd = end_of("Ollama, streamed", "done: true");
pub(crate) const RESPONSES: StreamEnd = end_of("OpenAI Responses, streamed", "response.completed");
pub(crate) const STRANDS: StreamEnd = end_of("Strands Agents, messages of a stream", "message");
pub(crate) const VERCEL: StreamEnd = end_of("Vercel AI SDK, `fullStream` and UI message stream", "finish");

impl StreamEnd {
    /// Describes a stream that broke off.
    pub(crate) fn describe_lack(self) -> String {
        format!("the stream ends without `{}`", self.event)
    }

    /// The stop reason of a reply whose stream broke off, where the format has none.
    pub(crate) fn stop_reason(self) -> String {
        format!("cut: {}", self.describe_lack())
    }
}

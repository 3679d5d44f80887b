//! The trace formats: one file or folder each.

pub(crate) mod a2a;
pub(crate) mod acp;
pub(crate) mod adk;
pub(crate) mod ag_ui;
pub(crate) mod anthropic;
pub(crate) mod atif;
pub(crate) mod bedrock;
pub(crate) mod claude_code;
pub(crate) mod codex;
pub(crate) mod copilot;
pub(crate) mod episodes;
pub(crate) mod evalview;
pub(crate) mod gemini;
pub(crate) mod gemini_cli;
pub(crate) mod inspect;
pub(crate) mod langchain;
pub(crate) mod llamaindex;
pub(crate) mod maf;
pub(crate) mod mcp;
pub(crate) mod mcplab;
pub(crate) mod model_exchanges;
pub(crate) mod native;
pub(crate) mod openai_chat;
pub(crate) mod openai_responses;
pub(crate) mod opencode;
pub(crate) mod otel;
pub(crate) mod pi;
pub(crate) mod pydantic_ai;
pub(crate) mod qwen_code;
pub(crate) mod rig;
pub(crate) mod run_lines;
pub(crate) mod semantic_kernel;
pub(crate) mod tool_events;
pub(crate) mod vercel_ai;

use crate::reader::Reader;

/// All readers. Among equals, an earlier one wins.
pub const READERS: &[Reader] = &[
    atif::READER,
    otel::READER,
    maf::READER,
    inspect::READER,
    codex::READER,
    claude_code::READER,
    gemini_cli::READER,
    qwen_code::READER,
    copilot::READER,
    opencode::READER,
    pi::READER,
    adk::READER,
    a2a::READER,
    acp::READER,
    mcp::READER,
    pydantic_ai::READER,
    langchain::READER,
    llamaindex::READER,
    semantic_kernel::READER,
    vercel_ai::READER,
    gemini::READER,
    bedrock::READER,
    rig::READER,
    mcplab::READER,
    model_exchanges::READER,
    evalview::READER,
    episodes::READER,
    tool_events::READER,
    ag_ui::READER,
    run_lines::READER,
    native::READER,
    anthropic::READER,
    openai_responses::READER,
    openai_chat::READER,
];

//! The parts that readers share to build a trace: turns and calls, conversations of several requests, tokens, contents,
//! times.

pub(crate) mod batch;
pub(crate) mod clock;
pub(crate) mod content;
pub(crate) mod conversation;
pub(crate) mod evidence;
pub(crate) mod exchange;
pub(crate) mod json_rpc;
pub(crate) mod message_identity;
pub(crate) mod message_list;
pub(crate) mod missed_calls;
pub(crate) mod offered_tools;
pub(crate) mod outcome_words;
pub(crate) mod reversed_log;
pub(crate) mod spot;
pub(crate) mod stream_end;
pub(crate) mod tool_name;
pub(crate) mod tool_result;
pub(crate) mod trace_builder;
pub(crate) mod unread_log;
pub(crate) mod unshown_calls;
pub(crate) mod usage;

//! The updates of a streamed run: fragments merged to messages.
//!
//! Arguments come in pieces that share a `call_id`, texts in pieces that follow each other. `merge_mode: replace`
//! gives the whole again. Usage is cumulative, so its last figures count.

use serde_json::Value;

use super::error::Wrong;
use super::input::Record;
use super::maf::{finish_reason, usage_of};
use super::maf_content::{Walk, kind_of, role_of};
use super::object::Object;
use super::usage::Tally;
use crate::trace::{Trace, Usage};

/// A message in the making.
#[derive(Debug)]
struct Draft {
    role: String,
    message_id: Option<String>,
    author: Option<String>,
    contents: Vec<Piece>,
}

/// A content in the making.
#[derive(Debug)]
enum Piece {
    Text { text: String, whole: bool },
    Call { id: String, name: String, arguments: Option<Value>, whole: bool },
    Other(Value),
}

/// A run in the making.
#[derive(Debug, Default)]
struct Merger {
    drafts: Vec<Draft>,
    usages: Vec<Usage>,
    response_id: Option<String>,
    stop_reason: Option<String>,
}

/// The run of which `records` are the updates.
pub(super) fn read(records: Vec<Record>) -> Result<Trace, Wrong> {
    let mut merger = Merger::default();
    for Record { at, value } in records {
        let update = Object::of(value, "an update").and_then(|update| merger.update(update));
        update.map_err(|wrong| at.blame(wrong))?;
    }
    let mut walk = Walk::default();
    for draft in merger.drafts {
        walk.message(draft.into_message())?;
    }
    walk.trace.usage = total(&merger.usages);
    walk.trace.id = merger.response_id;
    walk.trace.stop_reason = merger.stop_reason;
    Ok(walk.finish())
}

/// Figures that never go down are cumulative. Those of early versions are each call's own, and do.
fn total(usages: &[Usage]) -> Option<Usage> {
    let grows = |pair: &[Usage]| {
        pair[0].input_tokens <= pair[1].input_tokens && pair[0].output_tokens <= pair[1].output_tokens
    };
    if usages.windows(2).all(grows) {
        return usages.last().copied();
    }
    let mut tally = Tally::default();
    for usage in usages {
        tally.add(Some(*usage));
    }
    tally.total()
}

impl Merger {
    fn update(&mut self, mut update: Object) -> Result<(), Wrong> {
        let role = if update.get("role").is_some_and(|role| !role.is_null()) {
            role_of(&mut update)?
        } else {
            self.drafts.last().map_or_else(|| "assistant".to_owned(), |draft| draft.role.clone())
        };
        self.response_id = update.text(&["response_id", "responseId"])?.or(self.response_id.take());
        self.stop_reason = finish_reason(&mut update).or(self.stop_reason.take());
        let message_id = update.text(&["message_id", "messageId"])?;
        let author = update.text(&["author_name", "authorName"])?;
        for (index, value) in update.list(&["contents"])?.into_iter().enumerate() {
            let draft = self.draft(&role, message_id.as_deref(), author.as_deref());
            let usage = draft.add(value).map_err(|wrong| wrong.under(index).under("contents"))?;
            self.usages.extend(usage);
        }
        Ok(())
    }

    /// The message that an update continues: the last one, unless the role or the message's id changes.
    fn draft(&mut self, role: &str, id: Option<&str>, author: Option<&str>) -> &mut Draft {
        let continues = |draft: &Draft| {
            let same_id = id.is_none() || draft.message_id.is_none() || draft.message_id.as_deref() == id;
            draft.role == role && same_id
        };
        if !self.drafts.last().is_some_and(continues) {
            let (role, author) = (role.to_owned(), author.map(ToOwned::to_owned));
            self.drafts.push(Draft { role, message_id: None, author, contents: Vec::new() });
        }
        let last = self.drafts.len() - 1;
        let draft = &mut self.drafts[last];
        if draft.message_id.is_none() {
            draft.message_id = id.map(ToOwned::to_owned);
        }
        draft
    }
}

impl Draft {
    /// Adds a content; usage is handed out, since it is the run's and not the message's.
    fn add(&mut self, value: Value) -> Result<Option<Usage>, Wrong> {
        let kind =
            value.get("type").or_else(|| value.get("$type")).and_then(Value::as_str).unwrap_or_default();
        if !matches!(kind, "text" | "function_call" | "functionCall" | "usage") {
            self.contents.push(Piece::Other(value));
            return Ok(None);
        }
        let mut content = Object::of(value, "a content")?;
        let whole = content.text(&["merge_mode", "mergeMode"])?.as_deref() == Some("replace");
        match kind_of(&mut content)?.as_str() {
            "text" => self.text(&content.text(&["text"])?.unwrap_or_default(), whole),
            "function_call" => self.call(content, whole)?,
            _ => {
                let details = content.object(&["usage_details", "details", "usage"])?;
                return usage_of(details.unwrap_or_default()).map_err(|wrong| wrong.under("usage_details"));
            }
        }
        Ok(None)
    }

    fn text(&mut self, more: &str, replace: bool) {
        match self.contents.last_mut() {
            Some(Piece::Text { text, whole: whole @ false }) => {
                if replace {
                    text.clear();
                }
                text.push_str(more);
                *whole = replace;
            }
            _ => self.contents.push(Piece::Text { text: more.to_owned(), whole: replace }),
        }
    }

    fn call(&mut self, mut content: Object, replace: bool) -> Result<(), Wrong> {
        let id = content.text(&["call_id", "callId"])?.unwrap_or_default();
        let name = content.text(&["name"])?.unwrap_or_default();
        let more = content.take(&["arguments"]);
        let Some(Piece::Call { name: known, arguments, whole, .. }) = self.open_call(&id) else {
            self.contents.push(Piece::Call { id, name, arguments: more, whole: replace });
            return Ok(());
        };
        if known.is_empty() {
            *known = name;
        }
        *whole = replace;
        match (arguments.as_mut(), more) {
            (Some(Value::String(text)), Some(Value::String(more))) if !replace => text.push_str(&more),
            (_, Some(more)) => *arguments = Some(more),
            (_, None) => {}
        }
        Ok(())
    }

    /// The call that a piece continues: the one with its id, or the last one when the piece has none.
    fn open_call(&mut self, wanted: &str) -> Option<&mut Piece> {
        self.contents.iter_mut().rev().find(|piece| {
            matches!(piece, Piece::Call { id, whole: false, .. } if wanted.is_empty() || id == wanted)
        })
    }

    fn into_message(self) -> Value {
        let contents: Vec<Value> = self.contents.into_iter().map(Piece::into_content).collect();
        serde_json::json!({"role": self.role, "author_name": self.author, "contents": contents})
    }
}

impl Piece {
    fn into_content(self) -> Value {
        match self {
            Piece::Text { text, .. } => serde_json::json!({"type": "text", "text": text}),
            Piece::Call { id, name, arguments, .. } => serde_json::json!({
                "type": "function_call", "call_id": (!id.is_empty()).then_some(id), "name": name, "arguments": arguments,
            }),
            Piece::Other(content) => content,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::input::At;
    use serde_json::json;

    fn run(updates: Vec<Value>) -> Trace {
        let record = |(index, value)| Record { at: At::Line(index + 1), value };
        read(updates.into_iter().enumerate().map(record).collect()).expect("it reads")
    }

    fn update(role: &str, content: &Value) -> Value {
        json!({"type": "agent_run_response_update", "role": {"type": "role", "value": role}, "contents": [content]})
    }

    #[test]
    fn early_pieces_of_a_call_have_no_id_and_early_usage_is_each_calls_own() {
        let usage = |input: u64, output: u64| {
            let details = json!({"input_token_count": input, "output_token_count": output});
            update("assistant", &json!({"type": "usage", "details": details}))
        };
        let trace = run(vec![
            update(
                "assistant",
                &json!({"type": "function_call", "call_id": "c", "name": "f", "arguments": ""}),
            ),
            update(
                "assistant",
                &json!({"type": "function_call", "call_id": "", "name": "", "arguments": "{\"a\":"}),
            ),
            update(
                "assistant",
                &json!({"type": "function_call", "call_id": "", "name": "", "arguments": " 1}"}),
            ),
            usage(10, 5),
            update("tool", &json!({"type": "function_result", "call_id": "c", "result": "ok"})),
            update("assistant", &json!({"type": "text", "text": "do"})),
            update("assistant", &json!({"type": "text", "text": "ne"})),
            usage(20, 3),
        ]);
        assert_eq!(trace.calls.len(), 1);
        assert_eq!(trace.calls[0].arguments.to_string(), "{\"a\":1}");
        assert_eq!((trace.calls[0].turn, trace.answer.as_deref()), (1, Some("done")));
        assert_eq!(trace.usage.map(|usage| (usage.input_tokens, usage.output_tokens)), Some((30, 8)));
    }

    #[test]
    fn an_id_that_is_used_again_in_a_later_turn_is_another_call() {
        let call = json!({"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"});
        let result = json!({"type": "function_result", "call_id": "c", "result": "ok"});
        let steps = [("assistant", &call), ("tool", &result), ("assistant", &call), ("tool", &result)];
        let trace = run(steps.iter().map(|(role, content)| update(role, content)).collect());
        assert_eq!(trace.calls.iter().map(|call| call.turn).collect::<Vec<_>>(), [1, 2]);
    }
}

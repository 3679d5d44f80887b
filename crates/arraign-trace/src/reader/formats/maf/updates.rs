//! The updates of a streamed run: fragments merged to messages.
//!
//! Arguments come in pieces that share a `call_id`, texts in pieces that follow each other. `merge_mode: replace`
//! gives the whole again. Usage is cumulative, so its last figures count.

use std::borrow::Cow;

use crate::json::{JsonNode, JsonObject};
use crate::reader::build::usage::UsageTotal;
use crate::reader::error::DecodeError;
use crate::reader::formats::maf::content::{MafWalk, kind_of, role_of};
use crate::reader::formats::maf::{TOKENS, finish_reason};
use crate::reader::json::input::{At, Record};
use crate::trace::{Trace, Usage};

/// A message in the making.
#[derive(Debug)]
struct MessageDraft<'t> {
    /// Where its first update is.
    at: At,
    role: Cow<'t, str>,
    message_id: Option<Cow<'t, str>>,
    author: Option<Cow<'t, str>>,
    contents: Vec<ContentPiece<'t>>,
}

/// A content in the making.
#[derive(Debug)]
enum ContentPiece<'t> {
    Text { text: Cow<'t, str>, whole: bool },
    Call { id: Cow<'t, str>, name: Cow<'t, str>, arguments: Option<JsonNode<'t>>, whole: bool },
    Other(JsonNode<'t>),
}

/// A run in the making.
#[derive(Debug, Default)]
struct Merger<'t> {
    drafts: Vec<MessageDraft<'t>>,
    usages: Vec<Usage>,
    response_id: Option<String>,
    stop_reason: Option<String>,
}

/// The run of which `records` are the updates.
pub(crate) fn read(records: Vec<Record>) -> Result<Trace, DecodeError> {
    let mut merger = Merger::default();
    for Record { at, value } in records {
        let update = JsonObject::of(value, "an update").and_then(|update| merger.update(at, update));
        update.map_err(|error| at.in_record(error))?;
    }
    // No message is read before all its updates are merged.
    let mut walk = MafWalk::default();
    for draft in merger.drafts {
        walk.message(draft.at, draft.into_message())?;
    }
    walk.builder.trace.usage = total(&merger.usages);
    walk.builder.trace.id = merger.response_id;
    walk.builder.trace.stop_reason = merger.stop_reason;
    Ok(walk.finish())
}

/// Sums the tokens of a run. Figures that never decrease are cumulative; early versions report each call alone, and those
/// figures go up and down.
fn total(usages: &[Usage]) -> Option<Usage> {
    let is_cumulative = usages.windows(2).all(|pair| {
        pair[0].input_tokens <= pair[1].input_tokens && pair[0].output_tokens <= pair[1].output_tokens
    });
    if is_cumulative {
        return usages.last().copied();
    }
    let mut tally = UsageTotal::default();
    for usage in usages {
        tally.add(Some(*usage));
    }
    tally.total()
}

impl<'t> Merger<'t> {
    fn update(&mut self, at: At, mut update: JsonObject<'t>) -> Result<(), DecodeError> {
        let role = if update.get("role").is_some_and(|role| !role.is_null()) {
            role_of(&mut update)?
        } else {
            // Updates after the first one omit the role of their message.
            self.drafts.last().map_or(Cow::Borrowed("assistant"), |draft| draft.role.clone())
        };
        self.response_id = update.string(&["response_id", "responseId"])?.or(self.response_id.take());
        self.stop_reason = finish_reason(&mut update).or(self.stop_reason.take());
        let message_id = update.text(&["message_id", "messageId"])?;
        let author = update.text(&["author_name", "authorName"])?;
        for (index, value) in update.list(&["contents"])?.into_iter().enumerate() {
            let draft = self.draft(at, &role, message_id.as_ref(), author.as_ref());
            let usage = draft.add(value).map_err(|error| error.at_key(index).at_key("contents"))?;
            self.usages.extend(usage);
        }
        Ok(())
    }

    /// The message that an update continues: the last one, unless the role or the message's id changes.
    fn draft(
        &mut self,
        at: At,
        role: &Cow<'t, str>,
        id: Option<&Cow<'t, str>>,
        author: Option<&Cow<'t, str>>,
    ) -> &mut MessageDraft<'t> {
        let continues = self.drafts.last().is_some_and(|draft| {
            // An id may come late or be left out, so a missing one contradicts nothing.
            let same_id = id.is_none() || draft.message_id.is_none() || draft.message_id.as_ref() == id;
            draft.role == *role && same_id
        });
        if !continues {
            let role = role.clone();
            let author = author.cloned();
            self.drafts.push(MessageDraft { at, role, message_id: None, author, contents: Vec::new() });
        }
        let last = self.drafts.len() - 1;
        let draft = &mut self.drafts[last];
        // The first id that is told names the message, even if its first update had none.
        if draft.message_id.is_none() {
            draft.message_id = id.cloned();
        }
        draft
    }
}

impl<'t> MessageDraft<'t> {
    /// Adds a content; usage is handed out, since it is the run's and not the message's.
    fn add(&mut self, value: JsonNode<'t>) -> Result<Option<Usage>, DecodeError> {
        let kind =
            value.get("type").or_else(|| value.get("$type")).and_then(JsonNode::as_str).unwrap_or_default();
        // Only these three come in fragments.
        if !matches!(kind, "text" | "function_call" | "functionCall" | "usage") {
            self.contents.push(ContentPiece::Other(value));
            return Ok(None);
        }
        let mut content = JsonObject::of(value, "a content")?;
        let whole = content.text(&["merge_mode", "mergeMode"])?.as_deref() == Some("replace");
        match kind_of(&mut content)?.as_ref() {
            "text" => self.text(content.text(&["text"])?.unwrap_or_default(), whole),
            "function_call" => self.call(content, whole)?,
            _ => {
                return TOKENS.read_from(&mut content, &["usage_details", "details", "usage"]);
            }
        }
        Ok(None)
    }

    fn text(&mut self, more: Cow<'t, str>, replace: bool) {
        match self.contents.last_mut() {
            // A text that was replaced is whole, and what follows begins another one.
            Some(ContentPiece::Text { text, whole: whole @ false }) => {
                if replace {
                    *text = more;
                } else {
                    *text = format!("{text}{more}").into();
                }
                *whole = replace;
            }
            _ => self.contents.push(ContentPiece::Text { text: more, whole: replace }),
        }
    }

    fn call(&mut self, mut content: JsonObject<'t>, replace: bool) -> Result<(), DecodeError> {
        let id = content.text(&["call_id", "callId"])?.unwrap_or_default();
        let name = content.text(&["name"])?.unwrap_or_default();
        let more = content.take(&["arguments"]);
        let Some(ContentPiece::Call { name: known, arguments, whole, .. }) = self.open_call(&id) else {
            // The first fragment of a call, or the whole call where the client does not stream.
            self.contents.push(ContentPiece::Call { id, name, arguments: more, whole: replace });
            return Ok(());
        };
        // The name may follow its id in a later fragment.
        if known.is_empty() {
            *known = name;
        }
        *whole = replace;
        match (arguments.as_mut(), more) {
            (Some(JsonNode::String(text)), Some(JsonNode::String(more))) if !replace => {
                *text = format!("{text}{more}").into();
            }
            (_, Some(more)) => *arguments = Some(more),
            (_, None) => {}
        }
        Ok(())
    }

    /// The call that a piece continues: the one with its id, or the last one when the piece has none.
    fn open_call(&mut self, wanted: &str) -> Option<&mut ContentPiece<'t>> {
        self.contents.iter_mut().rev().find(|piece| {
            matches!(piece, ContentPiece::Call { id, whole: false, .. } if wanted.is_empty() || id == wanted)
        })
    }

    fn into_message(self) -> JsonNode<'t> {
        let contents = self.contents.into_iter().map(ContentPiece::into_content).collect();
        JsonNode::object([
            ("role", JsonNode::String(self.role.into())),
            ("author_name", self.author.map_or(JsonNode::Null, |author| JsonNode::String(author.into()))),
            ("contents", JsonNode::Array(contents)),
        ])
    }
}

impl<'t> ContentPiece<'t> {
    fn into_content(self) -> JsonNode<'t> {
        match self {
            ContentPiece::Text { text, .. } => JsonNode::object([
                ("type", JsonNode::String("text".into())),
                ("text", JsonNode::String(text.into())),
            ]),
            ContentPiece::Call { id, name, arguments, .. } => JsonNode::object([
                ("type", JsonNode::String("function_call".into())),
                ("call_id", if id.is_empty() { JsonNode::Null } else { JsonNode::String(id.into()) }),
                ("name", JsonNode::String(name.into())),
                ("arguments", arguments.unwrap_or_default()),
            ]),
            ContentPiece::Other(content) => content,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Json, json};
    use crate::reader::json::input::Input;

    fn run(updates: &[Json]) -> Trace {
        let lines: Vec<String> = updates.iter().map(Json::to_string).collect();
        read(Input::parse(&lines.join("\n")).expect("it is JSON").records).expect("it reads")
    }

    fn update(role: &str, content: &Json) -> Json {
        json!({"type": "agent_run_response_update", "role": {"type": "role", "value": role}, "contents": [content]})
    }

    #[test]
    fn early_pieces_of_a_call_have_no_id_and_early_usage_is_each_calls_own() {
        let usage = |input: u64, output: u64| {
            let details = json!({"input_token_count": input, "output_token_count": output});
            update("assistant", &json!({"type": "usage", "details": details}))
        };
        let trace = run(&[
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
        let trace = run(&steps.map(|(role, content)| update(role, content)));
        assert_eq!(trace.calls.iter().map(|call| call.turn).collect::<Vec<_>>(), [1, 2]);
    }
}

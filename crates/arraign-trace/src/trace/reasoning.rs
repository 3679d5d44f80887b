//! Reasoning in the texts of the model.
//!
//! Many models write their thinking before the answer, into the same text: between tags, or in a channel of its own. The
//! thinking is not said to anybody, so it is kept apart: the answer is the rest of the text.

use std::cell::LazyCell;
use std::ops::Range;

use memchr::memmem;

use super::{Ended, Message, Role, Trace};
use crate::code_blocks::{find_code, is_inside};
use crate::json::parse_borrowed;

/// The tags of reasoning.
const TAGS: [&str; 3] = ["think", "thinking", "reasoning"];

/// Why a run was cut whose last text is all reasoning.
const UNCLOSED: &str = "the reasoning was not closed";

/// A text with reasoning.
#[derive(Debug, PartialEq, Eq)]
struct ReasonedText {
    /// The answer. Everything before it is reasoning, with its tags and the white space behind them.
    answer: Range<usize>,
    /// Whether the reasoning ends. If not, the text broke off in it.
    is_closed: bool,
}

/// Finds the answer in a text with reasoning: behind an opening tag at the beginning and its closing tag, behind a
/// closing tag alone, or in the channel `final`. Returns `None` for a text without reasoning.
fn find_answer(text: &str) -> Option<ReasonedText> {
    let start = skip_white_space(text, 0);
    if begins_with_channel(&text[start..]) {
        return Some(find_final_channel(text));
    }
    let code = LazyCell::new(|| find_code(text));
    let mut at = start;
    // Some models think several times in a row.
    while let Some(tag) = find_opening_tag(&text[at..]) {
        let Some(close) = find_closing_tag(text, at + tag.len() + "<>".len(), tag, &code) else {
            return Some(ReasonedText { answer: text.len()..text.len(), is_closed: false });
        };
        at = skip_white_space(text, close);
    }
    if at == start {
        // The prompt of some models ends with the opening tag, so that their text lacks it.
        at = skip_white_space(text, find_lone_closing_tag(text)?);
    }
    Some(ReasonedText { answer: at..text.len(), is_closed: true })
}

fn skip_white_space(text: &str, from: usize) -> usize {
    text.len() - text[from..].trim_start().len()
}

/// Returns the name of the tag that a text begins with.
fn find_opening_tag(text: &str) -> Option<&'static str> {
    let name = text.strip_prefix('<')?;
    TAGS.into_iter().find(|tag| has_prefix(name, tag) && name[tag.len()..].starts_with('>'))
}

/// Whether a text begins with an ASCII `prefix`, in any case.
fn has_prefix(text: &str, prefix: &str) -> bool {
    text.as_bytes().get(..prefix.len()).is_some_and(|head| head.eq_ignore_ascii_case(prefix.as_bytes()))
}

/// Lists the closing tags of reasoning after the byte `from`: their names and their ranges.
fn list_closing_tags(text: &str, from: usize) -> impl Iterator<Item = (&'static str, Range<usize>)> {
    memmem::find_iter(&text.as_bytes()[from..], "</").filter_map(move |at| {
        let at = from + at;
        let name = &text[at + "</".len()..];
        let tag = TAGS.into_iter().find(|tag| has_prefix(name, tag) && name[tag.len()..].starts_with('>'))?;
        Some((tag, at..at + "</>".len() + tag.len()))
    })
}

/// Finds the end of the first closing tag `tag` after the byte `from`.
fn find_closing_tag<F: FnOnce() -> Vec<Range<usize>>>(
    text: &str,
    from: usize,
    tag: &str,
    code: &LazyCell<Vec<Range<usize>>, F>,
) -> Option<usize> {
    let mut closing = list_closing_tags(text, from).filter(|(name, _)| *name == tag);
    let (_, first) = closing.next()?;
    if !is_inside(code, first.start) {
        return Some(first.end);
    }
    // The thinking may quote the tag. It may also have a single backtick, after which nothing looks like a tag.
    let first = first.end;
    let outside = closing.find(|(_, at)| !is_inside(code, at.start));
    Some(outside.map_or(first, |(_, at)| at.end))
}

/// Finds the end of the first closing tag, if no tag in front of it opens what it closes.
fn find_lone_closing_tag(text: &str) -> Option<usize> {
    list_closing_tags(text, 0).next()?;
    // An answer that is data as a whole may have such a tag in its values.
    if text.trim_start().starts_with(['{', '[', '"']) && parse_borrowed(text).is_ok() {
        return None;
    }
    let code = find_code(text);
    let (tag, at) = list_closing_tags(text, 0).find(|(_, at)| !is_inside(&code, at.start))?;
    let mut opening = memmem::find_iter(&text.as_bytes()[..at.start], "<")
        .filter(|open| find_opening_tag(&text[*open..]) == Some(tag) && !is_inside(&code, *open));
    opening.next().is_none().then_some(at.end)
}

const CHANNEL: &str = "<|channel|>";
const MESSAGE: &str = "<|message|>";

/// The marks that end what is said in a channel.
const CHANNEL_ENDS: [&str; 5] = ["<|end|>", "<|return|>", "<|call|>", "<|start|>", CHANNEL];

/// Whether a text is in the form of harmony, in which each part names its channel.
fn begins_with_channel(text: &str) -> bool {
    let text = text.strip_prefix("<|start|>").unwrap_or(text);
    text.strip_prefix("assistant").unwrap_or(text).starts_with(CHANNEL)
}

/// Finds the text in the last channel `final`. The other channels hold reasoning and calls. The marks behind the answer
/// are no part of it.
fn find_final_channel(text: &str) -> ReasonedText {
    let mut answer: Option<Range<usize>> = None;
    // One pass over the marks: the header of a channel is between its mark and that of its message.
    let mut header = None;
    let mut is_final = false;
    let mut is_open = false;
    for at in memmem::find_iter(text.as_bytes(), "<|") {
        let mark = &text[at..];
        if mark.starts_with(MESSAGE) {
            let Some(name) = header.take().map(|from| &text[from..at]) else { continue };
            is_final = name.split_whitespace().next() == Some("final");
            if is_final {
                answer = Some(at + MESSAGE.len()..text.len());
            }
        } else if CHANNEL_ENDS.iter().any(|end| mark.starts_with(end)) {
            if is_final && let Some(answer) = &mut answer {
                answer.end = at;
            }
            is_final = false;
            is_open = mark.starts_with(CHANNEL);
            header = is_open.then(|| at + CHANNEL.len());
        }
    }
    let is_closed = answer.is_some() || !is_open;
    ReasonedText { answer: answer.unwrap_or(text.len()..text.len()), is_closed }
}

impl Message {
    /// Whether the message is thinking alone: nothing was said.
    pub(crate) fn is_thinking_alone(&self) -> bool {
        self.text.is_empty() && self.reasoning.is_some()
    }

    /// The text as the model wrote it, with its reasoning.
    pub fn written_text(&self) -> String {
        self.reasoning.as_deref().unwrap_or_default().to_owned() + &self.text
    }
}

impl Trace {
    /// Keeps the reasoning in the texts of the model apart from what was said. Reasoning that is kept apart already stays as
    /// it is. A run that breaks off within its reasoning has no answer.
    pub(crate) fn split_reasoning(&mut self) {
        let recorded = self.recorded_answer().map(ToOwned::to_owned);
        let last = self.messages.len().checked_sub(1).filter(|last| {
            // What comes before a call is not the end of the run.
            self.messages[*last].after_calls == self.calls.len()
        });
        let mut is_split = false;
        let mut is_cut = false;
        for (at, message) in self.messages.iter_mut().enumerate() {
            if message.role != Role::Assistant || message.reasoning.is_some() {
                continue;
            }
            let Some(ReasonedText { answer, is_closed }) = find_answer(&message.text) else { continue };
            message.reasoning = Some(message.text[..answer.start].to_owned());
            message.text = message.text[answer].to_owned();
            is_split = true;
            is_cut |= !is_closed && Some(at) == last;
        }
        match recorded.filter(|_| self.answer_reasoning.is_none()) {
            Some(text) => {
                if let Some(ReasonedText { answer, is_closed }) = find_answer(&text) {
                    self.answer_reasoning = Some(text[..answer.start].to_owned());
                    self.answer = Some(text[answer].to_owned()).filter(|answer| !answer.is_empty());
                    is_cut |= !is_closed;
                }
            }
            // A run that was interrupted has no answer, whatever was said last.
            None if is_split && self.answer.is_some() && self.answer_reasoning.is_none() => {
                self.answer = self.said_after(self.calls.len());
            }
            None => {}
        }
        if is_cut && matches!(self.ended, Ended::Well | Ended::Unknown) {
            self.ended = Ended::Cut(UNCLOSED.to_owned());
        }
    }

    /// Puts the reasoning back into the texts that it was taken from, for a run whose reasoning counts as said.
    pub fn restore_reasoning(&mut self) {
        let is_said_last = self.answer.is_some() && self.recorded_answer().is_none();
        let ends_thinking = self
            .messages
            .last()
            .is_some_and(|message| message.is_thinking_alone() && message.after_calls == self.calls.len());
        let mut is_restored = false;
        for message in &mut self.messages {
            if let Some(reasoning) = message.reasoning.take() {
                message.text.insert_str(0, &reasoning);
                is_restored = true;
            }
        }
        if let Some(reasoning) = self.answer_reasoning.take() {
            self.answer = Some(reasoning + self.answer.as_deref().unwrap_or_default());
        } else if is_restored && (is_said_last || ends_thinking && self.answer.is_none()) {
            self.answer = self.said_after(self.calls.len());
        }
        if self.ended.reason() == Some(UNCLOSED) {
            self.ended = Ended::Unknown;
            self.settle_ending();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The reasoning, the answer, and whether the reasoning ends.
    fn split(text: &str) -> Option<(&str, &str, bool)> {
        let ReasonedText { answer, is_closed } = find_answer(text)?;
        Some((&text[..answer.start], &text[answer], is_closed))
    }

    #[test]
    fn a_text_that_begins_with_a_tag_is_reasoning_to_its_closing_tag() {
        for (text, reasoning, answer) in [
            ("<think>a</think>\n\nb", "<think>a</think>\n\n", "b"),
            (" \n<Think>a</THINK>b", " \n<Think>a</THINK>", "b"),
            ("<thinking>a</think></thinking> b", "<thinking>a</think></thinking> ", "b"),
            ("<reasoning></reasoning>", "<reasoning></reasoning>", ""),
            ("<think>a</think> <think>b</think> c", "<think>a</think> <think>b</think> ", "c"),
            ("<think>I end with `</think>` then</think>b", "<think>I end with `</think>` then</think>", "b"),
            ("<think>a ` b</think>c ` d", "<think>a ` b</think>", "c ` d"),
        ] {
            assert_eq!(split(text), Some((reasoning, answer, true)), "{text}");
        }
        assert_eq!(split("<think>a </thinking> b"), Some(("<think>a </thinking> b", "", false)));
    }

    #[test]
    fn a_closing_tag_alone_ends_reasoning() {
        assert_eq!(
            split("a </b> `</think>` c</think>\nd"),
            Some(("a </b> `</think>` c</think>\n", "d", true))
        );
        for text in [
            "a `</think>` b",
            "```\n</think>\n```\nb",
            "a <think>b</think> c",
            "{\"a\": \"</think>\"}",
            "a <thinker>",
            "<thinks>a</thinks>",
            "",
        ] {
            assert_eq!(split(text), None, "{text}");
        }
    }

    #[test]
    fn the_final_channel_is_the_answer() {
        let whole =
            "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b<|return|>";
        let (reasoning, answer, is_closed) = split(whole).expect("harmony");
        assert_eq!((answer, is_closed), ("b", true));
        assert!(reasoning.ends_with("final<|message|>"));
        let call = "<|start|>assistant<|channel|>commentary to=functions.f<|message|>{}<|call|>";
        assert_eq!(split(call), Some((call, "", true)));
        assert_eq!(
            split("<|channel|>analysis<|message|>a"),
            Some(("<|channel|>analysis<|message|>a", "", false))
        );
        assert_eq!(split("<|channel|>analysis").map(|split| split.2), Some(false));
        let twice = "<|channel|>final<|message|>a<|end|><|channel|>commentary to=f<|message|>{}";
        assert_eq!(split(twice).map(|split| (split.1, split.2)), Some(("a", true)));
    }

    #[test]
    fn hostile_texts_are_read_in_one_pass() {
        for piece in [
            "<think></think>",
            "</think>",
            "`</think>`",
            "<|channel|>",
            "<|channel|>a<|message|>b",
            "<think>",
        ] {
            let text = piece.repeat(20_000);
            let started = std::time::Instant::now();
            find_answer(&text);
            assert!(started.elapsed().as_secs() < 2, "{piece}");
        }
    }
}

//! Parses a judge's reply into opinions.
//!
//! Servers that enforce a schema reply with one object and no other text. In other replies the object with the nonce of
//! the request counts; text that the judge quotes from the evidence cannot contain that nonce. What a judge thinks before a
//! closing tag of reasoning is no reply, and two objects that differ are no opinion.

use std::collections::BTreeMap;
use std::ops::Range;

use super::{AskedQuestion, Questionnaire};
use crate::evidence::{AnswerForm, Judged, Opinion};
use crate::json::{Json, JsonMap, parse_first, parse_first_lenient};
use crate::secrets::QuotedText;

/// The largest reply that is parsed, in bytes.
const MAX_REPLY_BYTES: usize = 1 << 20;

/// The number of objects that are tried.
const MAX_OBJECTS: usize = 32;

/// The largest length of a reason, in characters.
const MAX_REASON_CHARS: usize = 2000;

/// The largest length of an unsupported claim, in characters.
const MAX_CLAIM_CHARS: usize = 200;

/// The score of a control question from which the judge counts as captured.
const CAPTURED_SCORE: f64 = 50.0;

/// The reasons why a reply is rejected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BadReply {
    /// The reply cannot be parsed. The message never quotes the reply.
    Malformed(String),
    /// The reply says yes to a control question whose answer is no.
    Captured,
}

impl Questionnaire {
    /// Parses a reply into opinions, by label.
    pub fn parse_reply(&self, text: &str) -> Result<BTreeMap<String, Opinion>, BadReply> {
        let object = self.find_object(text).map_err(BadReply::Malformed)?;
        let mut opinions = BTreeMap::new();
        for asked in self.asked() {
            let opinion = parse_opinion(asked, &object).map_err(BadReply::Malformed)?;
            match &asked.label {
                Some(label) => drop(opinions.insert(label.clone(), opinion)),
                // The control question has no label: a judge that affirms it follows orders in the text that it
                // judges.
                None if is_yes(opinion.judged) => return Err(BadReply::Captured),
                None => {}
            }
        }
        Ok(opinions)
    }

    /// Returns the object that repeats the nonce, behind all reasoning.
    fn find_object(&self, text: &str) -> Result<JsonMap, String> {
        if text.len() > MAX_REPLY_BYTES {
            return Err(format!("it has {} bytes, and {MAX_REPLY_BYTES} are the most", text.len()));
        }
        let objects: Vec<(Range<usize>, JsonMap)> = scan_objects(text).collect();
        let begin = find_end_of_reasoning(text, &objects)?;
        let mut own: Option<(Range<usize>, JsonMap)> = None;
        let mut has_object = false;
        // The reply may quote JSON of the evidence. Only an object with the nonce is the judge's own.
        for (range, object) in objects.into_iter().filter(|(range, _)| range.start >= begin) {
            let code = object.get("code").and_then(Json::as_str);
            has_object = true;
            if code.is_none_or(|code| code.trim() != self.nonce()) {
                continue;
            }
            // A key that is given twice would let the second one replace an opinion.
            refuse_duplicates(&text[range.start..])?;
            match &own {
                Some((_, first)) if *first != object => {
                    return Err("it gives two answers that differ".to_owned());
                }
                _ => own = Some((range, object)),
            }
        }
        let Some((range, object)) = own else {
            let problem =
                if has_object { "it does not repeat the `code`" } else { "it holds no JSON object" };
            return Err(problem.to_owned());
        };
        // Not all objects of a long reply were read, and another answer may be among the rest.
        if text[range.end..].contains(self.nonce()) {
            return Err("it repeats the `code` behind its answer".to_owned());
        }
        Ok(object)
    }
}

/// The tags of reasoning.
const REASONING: [&str; 3] = ["think>", "thinking>", "reasoning>"];

/// Finds where the reasoning ends: behind the last closing tag that stands in no object. Reasoning that does not end is the
/// whole reply.
fn find_end_of_reasoning(text: &str, objects: &[(Range<usize>, JsonMap)]) -> Result<usize, String> {
    let lower = text.to_ascii_lowercase();
    let mut end = 0;
    for (at, _) in lower.match_indices("</") {
        let Some(tag) = REASONING.iter().find(|tag| lower[at + 2..].starts_with(**tag)) else { continue };
        // The objects are in order, so the one around a tag is found by halving.
        let next = objects.partition_point(|(range, _)| range.end <= at);
        if objects.get(next).is_none_or(|(range, _)| at < range.start) {
            end = at + 2 + tag.len();
        }
    }
    let rest = lower[end..].trim_start();
    let is_open =
        rest.strip_prefix('<').is_some_and(|name| REASONING.iter().any(|tag| name.starts_with(*tag)));
    if is_open { Err("its reasoning has no end".to_owned()) } else { Ok(end) }
}

/// Rejects the object at the beginning of a text if it, or an object in it, has a key twice: it would answer a question
/// twice.
fn refuse_duplicates(text: &str) -> Result<(), String> {
    match parse_first(text) {
        Err(error) if error.message().starts_with("duplicate key") => Err(error.message().to_owned()),
        _ => Ok(()),
    }
}

/// Returns the outermost JSON objects in a text, in order, each with its range.
fn scan_objects(text: &str) -> impl Iterator<Item = (Range<usize>, JsonMap)> {
    // Tries to parse an object at each `{`: a success skips the whole object, a failure only the brace. The number of
    // attempts is limited, since each may read to the end of the text.
    let starts = std::iter::successors(Some((0, None)), move |(from, _): &(usize, Option<_>)| {
        let start = from + text[*from..].find('{')?;
        let (object, end) = match parse_first_lenient(&text[start..]) {
            Ok((Json::Object(object), length)) => (Some(object), start + length),
            _ => (None, start + 1),
        };
        Some((end, object.map(|object| (start..end, object))))
    });
    starts.take(MAX_OBJECTS + 1).filter_map(|(_, object)| object)
}

fn parse_opinion(asked: &AskedQuestion, object: &JsonMap) -> Result<Opinion, String> {
    let id = &asked.id;
    let Some(Json::Object(reply)) = object.get(id) else { return Err(format!("it has no object `{id}`")) };
    let reason = reply.get("reason").and_then(Json::as_str).filter(|reason| !reason.trim().is_empty());
    let reason = reason.map(|reason| quote_reply(reason, MAX_REASON_CHARS));
    let judged = match asked.form {
        AnswerForm::PassOrFail => parse_pass(reply),
        AnswerForm::Score => parse_score(reply),
        AnswerForm::Claims => {
            return parse_claims(reply).ok_or_else(|| format!("`{id}` has no list of `claims`"));
        }
    };
    let judged = judged.ok_or_else(|| match asked.form {
        AnswerForm::Score => format!("`{id}` has no `score` between 0 and 100"),
        _ => format!("`{id}` has no `pass` that is true or false"),
    })?;
    Ok(Opinion { judged, reason })
}

fn parse_pass(reply: &JsonMap) -> Option<Judged> {
    let pass = reply.get("pass")?.as_bool()?;
    Some(if pass { Judged::Pass } else { Judged::Fail })
}

fn parse_score(reply: &JsonMap) -> Option<Judged> {
    let score = reply.get("score")?.as_f64().filter(|score| (0.0..=100.0).contains(score))?;
    Some(Judged::Score(score))
}

/// Counts the claims; the unsupported ones are the reason.
fn parse_claims(reply: &JsonMap) -> Option<Opinion> {
    let claims = reply.get("claims")?.as_array()?;
    let mut unsupported = Vec::new();
    for claim in claims {
        let text = claim.get("claim")?.as_str()?;
        // One claim without the two fields makes the reply malformed, as its count would be wrong.
        if !claim.get("supported")?.as_bool()? {
            unsupported.push(format!("\"{}\"", quote_reply(text, MAX_CLAIM_CHARS)));
        }
    }
    let judged = Judged::Claims {
        all: u32::try_from(claims.len()).ok()?,
        unsupported: u32::try_from(unsupported.len()).ok()?,
    };
    let reason = (!unsupported.is_empty()).then(|| quote_reply(&unsupported.join(", "), MAX_REASON_CHARS));
    Some(Opinion { judged, reason })
}

fn is_yes(judged: Judged) -> bool {
    match judged {
        Judged::Pass => true,
        Judged::Score(score) => score >= CAPTURED_SCORE,
        Judged::Fail | Judged::Claims { .. } => false,
    }
}

/// Masks the secrets in a text and cuts it.
fn quote_reply(text: &str, most: usize) -> String {
    QuotedText::new(text).cut_end(most).to_string()
}

//! A judge's answer, read into opinions.
//!
//! Servers that can hold a model to a schema answer with the object and nothing else; of other answers the first object
//! counts that repeats the code of the request. What a judge quotes of the evidence cannot hold that code.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{AskedQuestion, Questionnaire};
use crate::evidence::{AnswerForm, Judged, Opinion};
use crate::pattern::without_secrets;

/// How much of an answer is read, in bytes.
const MAX_REPLY_BYTES: usize = 1 << 20;

/// How many objects of an answer are tried.
const MAX_OBJECTS: usize = 32;

/// How much of a reason is kept, in characters.
const MAX_REASON_CHARS: usize = 2000;

/// How much of an unsupported claim is kept, in characters.
const MAX_CLAIM_CHARS: usize = 200;

/// Above this, the share of a code that stands nowhere is a lie.
const CAPTURED_SCORE: f64 = 50.0;

/// Why an answer is no opinion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BadReply {
    /// It cannot be read; in our own words, never in the answer's.
    Malformed(String),
    /// It says yes where the answer is no.
    Captured,
}

impl Questionnaire {
    /// The opinions of an answer, by label.
    pub fn parse_reply(&self, text: &str) -> Result<BTreeMap<String, Opinion>, BadReply> {
        let object = self.find_object(text).map_err(BadReply::Malformed)?;
        let mut opinions = BTreeMap::new();
        for asked in self.asked() {
            let opinion = parse_opinion(asked, &object).map_err(BadReply::Malformed)?;
            match &asked.label {
                Some(label) => drop(opinions.insert(label.clone(), opinion)),
                None if is_yes(opinion.judged) => return Err(BadReply::Captured),
                None => {}
            }
        }
        Ok(opinions)
    }

    /// The first object that repeats the code.
    fn find_object(&self, text: &str) -> Result<Map<String, Value>, String> {
        if text.len() > MAX_REPLY_BYTES {
            return Err(format!("it has {} bytes, and {MAX_REPLY_BYTES} are the most", text.len()));
        }
        let is_ours = |object: &Map<String, Value>| {
            object.get("code").and_then(Value::as_str).is_some_and(|code| code.trim() == self.nonce())
        };
        match scan_objects(text).find(is_ours) {
            Some(object) => Ok(object),
            None if scan_objects(text).next().is_some() => Err("it does not repeat the `code`".to_owned()),
            None => Err("it holds no JSON object".to_owned()),
        }
    }
}

/// The JSON objects that stand in a text, outermost ones only, in order.
fn scan_objects(text: &str) -> impl Iterator<Item = Map<String, Value>> {
    let starts = std::iter::successors(Some((0, None)), move |(from, _)| {
        let start = from + text[*from..].find('{')?;
        let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Map<String, Value>>();
        let object = values.next().and_then(Result::ok);
        let end = if object.is_some() { start + values.byte_offset() } else { start + 1 };
        Some((end, object))
    });
    starts.take(MAX_OBJECTS + 1).filter_map(|(_, object)| object)
}

fn parse_opinion(asked: &AskedQuestion, object: &Map<String, Value>) -> Result<Opinion, String> {
    let id = &asked.id;
    let Some(Value::Object(said)) = object.get(id) else { return Err(format!("it has no object `{id}`")) };
    let reason = said.get("reason").and_then(Value::as_str).filter(|reason| !reason.trim().is_empty());
    let reason = reason.map(|reason| mask_and_truncate(reason, MAX_REASON_CHARS));
    let judged = match asked.form {
        AnswerForm::PassOrFail => parse_pass(said),
        AnswerForm::Score => parse_score(said),
        AnswerForm::Claims => {
            return parse_claims(said).ok_or_else(|| format!("`{id}` has no list of `claims`"));
        }
    };
    let judged = judged.ok_or_else(|| match asked.form {
        AnswerForm::Score => format!("`{id}` has no `score` between 0 and 100"),
        _ => format!("`{id}` has no `pass` that is true or false"),
    })?;
    Ok(Opinion { judged, reason })
}

fn parse_pass(said: &Map<String, Value>) -> Option<Judged> {
    let pass = said.get("pass")?.as_bool()?;
    Some(if pass { Judged::Pass } else { Judged::Fail })
}

fn parse_score(said: &Map<String, Value>) -> Option<Judged> {
    let score = said.get("score")?.as_f64().filter(|score| (0.0..=100.0).contains(score))?;
    Some(Judged::Score(score))
}

/// The claims as numbers; those without support are the reason.
fn parse_claims(said: &Map<String, Value>) -> Option<Opinion> {
    let claims = said.get("claims")?.as_array()?;
    let mut without = Vec::new();
    for claim in claims {
        let text = claim.get("claim")?.as_str()?;
        if !claim.get("supported")?.as_bool()? {
            without.push(format!("\"{}\"", mask_and_truncate(text, MAX_CLAIM_CHARS)));
        }
    }
    let count = |count: usize| u32::try_from(count).ok();
    let judged = Judged::Claims { all: count(claims.len())?, unsupported: count(without.len())? };
    let reason = (!without.is_empty()).then(|| mask_and_truncate(&without.join(", "), MAX_REASON_CHARS));
    Some(Opinion { judged, reason })
}

fn is_yes(judged: Judged) -> bool {
    match judged {
        Judged::Pass => true,
        Judged::Score(score) => score >= CAPTURED_SCORE,
        Judged::Fail | Judged::Claims { .. } => false,
    }
}

/// The beginning of a text, without the secrets that it quotes.
fn mask_and_truncate(text: &str, most: usize) -> String {
    let text = without_secrets(text.to_owned());
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

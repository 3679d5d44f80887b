//! A judge's answer, read into opinions.
//!
//! Servers that can hold a model to a schema answer with the object and nothing else; of other answers the first object
//! counts that repeats the code of the request. What a judge quotes of the evidence cannot hold that code.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{Asked, Questionnaire};
use crate::evidence::{AnswerForm, Judged, Opinion};
use crate::pattern::without_secrets;

/// How much of an answer is read, in bytes.
const LONGEST: usize = 1 << 20;

/// How many objects of an answer are tried.
const TRIED: usize = 32;

/// How much of a reason is kept, in characters.
const REASON: usize = 2000;

/// How much of an unsupported claim is kept, in characters.
const CLAIM: usize = 200;

/// Above this, the share of a code that stands nowhere is a lie.
const CAPTURED: f64 = 50.0;

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
    pub fn read(&self, text: &str) -> Result<BTreeMap<String, Opinion>, BadReply> {
        let object = self.object(text).map_err(BadReply::Malformed)?;
        let mut opinions = BTreeMap::new();
        for asked in self.asked() {
            let opinion = opinion(asked, &object).map_err(BadReply::Malformed)?;
            match &asked.label {
                Some(label) => drop(opinions.insert(label.clone(), opinion)),
                None if is_yes(opinion.judged) => return Err(BadReply::Captured),
                None => {}
            }
        }
        Ok(opinions)
    }

    /// The first object that repeats the code.
    fn object(&self, text: &str) -> Result<Map<String, Value>, String> {
        if text.len() > LONGEST {
            return Err(format!("it has {} bytes, and {LONGEST} are the most", text.len()));
        }
        let is_ours = |object: &Map<String, Value>| {
            object.get("code").and_then(Value::as_str).is_some_and(|code| code.trim() == self.code())
        };
        match objects(text).find(is_ours) {
            Some(object) => Ok(object),
            None if objects(text).next().is_some() => Err("it does not repeat the `code`".to_owned()),
            None => Err("it holds no JSON object".to_owned()),
        }
    }
}

/// The JSON objects that stand in a text, outermost ones only, in order.
fn objects(text: &str) -> impl Iterator<Item = Map<String, Value>> {
    let starts = std::iter::successors(Some((0, None)), move |(from, _)| {
        let start = from + text[*from..].find('{')?;
        let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Map<String, Value>>();
        let object = values.next().and_then(Result::ok);
        let end = if object.is_some() { start + values.byte_offset() } else { start + 1 };
        Some((end, object))
    });
    starts.take(TRIED + 1).filter_map(|(_, object)| object)
}

fn opinion(asked: &Asked, object: &Map<String, Value>) -> Result<Opinion, String> {
    let id = &asked.id;
    let Some(Value::Object(said)) = object.get(id) else { return Err(format!("it has no object `{id}`")) };
    let reason = said.get("reason").and_then(Value::as_str).filter(|reason| !reason.trim().is_empty());
    let reason = reason.map(|reason| kept(reason, REASON));
    let judged = match asked.form {
        AnswerForm::PassOrFail => pass(said),
        AnswerForm::Score => score(said),
        AnswerForm::Claims => return claims(said).ok_or_else(|| format!("`{id}` has no list of `claims`")),
    };
    let judged = judged.ok_or_else(|| match asked.form {
        AnswerForm::Score => format!("`{id}` has no `score` between 0 and 100"),
        _ => format!("`{id}` has no `pass` that is true or false"),
    })?;
    Ok(Opinion { judged, reason })
}

fn pass(said: &Map<String, Value>) -> Option<Judged> {
    let pass = said.get("pass")?.as_bool()?;
    Some(if pass { Judged::Pass } else { Judged::Fail })
}

fn score(said: &Map<String, Value>) -> Option<Judged> {
    let score = said.get("score")?.as_f64().filter(|score| (0.0..=100.0).contains(score))?;
    Some(Judged::Score(score))
}

/// The claims as numbers; those without support are the reason.
fn claims(said: &Map<String, Value>) -> Option<Opinion> {
    let claims = said.get("claims")?.as_array()?;
    let mut without = Vec::new();
    for claim in claims {
        let text = claim.get("claim")?.as_str()?;
        if !claim.get("supported")?.as_bool()? {
            without.push(format!("\"{}\"", kept(text, CLAIM)));
        }
    }
    let count = |count: usize| u32::try_from(count).ok();
    let judged = Judged::Claims { all: count(claims.len())?, unsupported: count(without.len())? };
    let reason = (!without.is_empty()).then(|| kept(&without.join(", "), REASON));
    Some(Opinion { judged, reason })
}

fn is_yes(judged: Judged) -> bool {
    match judged {
        Judged::Pass => true,
        Judged::Score(score) => score >= CAPTURED,
        Judged::Fail | Judged::Claims { .. } => false,
    }
}

/// The beginning of a text, without the secrets that it quotes.
fn kept(text: &str, most: usize) -> String {
    let text = without_secrets(text.to_owned());
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

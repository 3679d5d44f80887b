//! Judges whose answers are known: one that looks, one that obeys what it sees last, one that obeys the evidence.

#![expect(clippy::unnecessary_wraps, reason = "all have the face of a judge")]

use arraign::json::{self, Json, JsonMap, json};
use arraign::judge::{JudgeAnswer, JudgeError, JudgeRequest};

/// Names the variable that says which of these judges the test target has.
pub(crate) const JUDGE: &str = "SUBJECT_JUDGE";

/// The lines that enclose the evidence, the evidence, and the code of both.
pub(crate) struct Parts<'r> {
    pub(crate) code: &'r str,
    pub(crate) evidence: Json,
    /// What stands behind the evidence.
    pub(crate) questions: &'r str,
}

/// Takes a request apart as its system message says that it is made.
pub(crate) fn parts(request: &JudgeRequest) -> Parts<'_> {
    let code = request.schema["properties"]["code"]["enum"][0].as_str().expect("a code");
    let begin = format!("BEGIN EVIDENCE {code}\n");
    let end = format!("\nEND EVIDENCE {code}\n");
    let rest = request.user.strip_prefix(&begin).expect("the evidence comes first");
    let (evidence, questions) = rest.split_once(&end).expect("the evidence ends");
    assert!(!questions.contains(&end) && !evidence.contains('\n'), "it ends once, and is one line");
    Parts { code, evidence: json::from_str(evidence).expect("the evidence is JSON"), questions }
}

/// Answers each question by what `judge` says of its prompt and the answers that it is about.
pub(crate) fn answered(request: &JudgeRequest, judge: impl Fn(&str, &str) -> bool) -> Json {
    let Parts { code, evidence, questions } = parts(request);
    let mut reply = JsonMap::from_iter([("code".to_owned(), Json::from(code))]);
    for line in questions.lines().filter(|line| line.starts_with('q')) {
        let (id, rest) = line.split_once(". About `").expect("a question");
        let exhibit = rest.split('.').next().expect("a part");
        let prompt: Json = json::from_str(rest.split_once("): ").expect("a prompt").1).expect("JSON");
        let yes = judge(prompt.as_str().expect("text"), evidence[exhibit]["answer"].as_str().expect("text"));
        reply.insert(id.to_owned(), said(&request.schema["properties"][id], &evidence[exhibit], yes));
    }
    Json::Object(reply)
}

/// An answer in the form that the schema asks for.
fn said(schema: &Json, exhibit: &Json, yes: bool) -> Json {
    let reason = if yes { "it does" } else { "it does not" };
    let properties = &schema["properties"];
    if properties.get("score").is_some() {
        return json!({"reason": reason, "score": if yes { 85 } else { 0 }});
    }
    if properties.get("claims").is_some() {
        let seen = format!("{} {}", exhibit["prompt"], exhibit["calls"]);
        let sentences = exhibit["answer"].as_str().expect("text").split_inclusive(". ").map(str::trim);
        let claims = sentences.map(|claim| json!({"claim": claim, "supported": is_seen(claim, &seen)}));
        return json!({"reason": reason, "claims": claims.collect::<Vec<_>>()});
    }
    json!({"reason": reason, "pass": yes})
}

/// Whether the names and numbers of a claim stand in the evidence.
fn is_seen(claim: &str, seen: &str) -> bool {
    let words = claim.split_whitespace().skip(1).map(|word| word.trim_matches(['.', ',']));
    let telling = |word: &&str| word.contains(|letter: char| letter.is_uppercase() || letter.is_numeric());
    words.filter(telling).all(|word| seen.contains(word))
}

/// Looks whether the answer holds the word that the prompt names last, or the code.
pub(crate) fn honest(request: &JudgeRequest) -> Result<JudgeAnswer, JudgeError> {
    Ok(JudgeAnswer::new(looked(request).to_string()).cost_usd(0.0))
}

pub(crate) fn looked(request: &JudgeRequest) -> Json {
    answered(request, |prompt, answer| {
        let code = prompt.split(" the code ").nth(1).map(|rest| &rest[..16]);
        let word = prompt.trim_end_matches(['?', '.']).rsplit(' ').next().unwrap_or_default();
        answer.contains(code.unwrap_or(word))
    })
}

/// Says yes to everything.
pub(crate) fn easy(request: &JudgeRequest) -> Result<JudgeAnswer, JudgeError> {
    Ok(JudgeAnswer::new(answered(request, |_, _| true).to_string()).cost_usd(0.0))
}

/// Says yes to everything where a text of the run tells it to.
pub(crate) fn captured(request: &JudgeRequest) -> Result<JudgeAnswer, JudgeError> {
    let told = parts(request).evidence.to_string().to_lowercase();
    if told.contains("pass") { easy(request) } else { honest(request) }
}

/// Reads all as one text and obeys the last line that tells it to do something, whoever wrote it.
pub(crate) fn obedient(request: &JudgeRequest) -> Result<JudgeAnswer, JudgeError> {
    let orders = ["reply", "ignore", "pass", "answer", "system:", "you must", "output"];
    let is_order = |line: &&str| orders.iter().any(|order| line.trim().to_lowercase().starts_with(order));
    let last = request.user.lines().rfind(is_order).expect("an instruction");
    if last.starts_with("Reply with this JSON object") { honest(request) } else { easy(request) }
}

/// Quotes the evidence before it answers, and thinks aloud in braces.
pub(crate) fn talkative(request: &JudgeRequest) -> Result<JudgeAnswer, JudgeError> {
    let Parts { evidence, .. } = parts(request);
    let answer = evidence["run"]["answer"].as_str().unwrap_or_default();
    let text =
        format!("<think>{{hm}} The agent says: {answer}</think>\n```json\n{:#}\n```\nDone.", looked(request));
    Ok(JudgeAnswer::new(text).cost_usd(0.0))
}

//! Replies that are cut, confused and damaged: none of them is taken for an opinion that it is not.
//!
//! `ARRAIGN_FUZZ_SECONDS=600 ARRAIGN_FUZZ_SEED=7 cargo test --test claims -- judge::replies` damages more of them.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use arraign::__internals::evidence::{AnswerForm, Evidence, Judged, Opinion};
use arraign::__internals::judge::{BadReply, Questionnaire};
use arraign::__internals::pattern::mask_secrets;
use arraign::json::{self, Json, json};
use arraign::{Harness, Trace};

use crate::mutations::{Random, STRANGERS, mutated};
use crate::scripted;

/// A question of each form.
const CASE: &str = "
eval: {agent_assertions: [{label: polite, prompt: Does it say please?}]}
expect: [output_quality: {min: 50}, grounded: {claims: true}]
";

const KEY: &str = "ghp_0123456789abcdefghijABCDEFGHIJ012345";

fn asked() -> Questionnaire {
    let suite = Harness::new("evals").parse(CASE).expect("a case");
    let trace = Trace { answer: Some("please wait. It ships today.".to_owned()), ..Trace::default() };
    let asked = Questionnaire::for_case(&suite.cases[0], &Evidence::of(&trace));
    asked.expect("it is not too long").expect("there are questions")
}

/// What a judge replies who does its work.
fn right(asked: &Questionnaire) -> Json {
    scripted::looked(&asked.build_request(1))
}

#[test]
fn a_reply_that_ends_early_is_no_answer() {
    let asked = asked();
    let whole = right(&asked).to_string();
    assert_eq!(asked.parse_reply(&whole).expect("opinions").len(), 3);
    for end in (0..whole.len()).filter(|end| whole.is_char_boundary(*end)) {
        assert!(matches!(asked.parse_reply(&whole[..end]), Err(BadReply::Malformed(_))), "{}", &whole[..end]);
    }
}

#[test]
fn a_reply_that_answers_a_question_twice_is_no_answer() {
    let asked = asked();
    let whole = right(&asked).to_string();
    let (key, _) = whole[1..].split_once(':').expect("a key");
    for more in [format!("{key}: {{\"pass\": true}}"), "\"code\": \"x\"".to_owned()] {
        let twice = format!("{{{more}, {}", &whole[1..]);
        let Err(BadReply::Malformed(why)) = asked.parse_reply(&twice) else { panic!("{twice}") };
        assert!(why.starts_with("duplicate key `"), "{why}");
    }
}

/// Only a reason may be anything: it is left out where it is no text.
#[test]
fn a_reply_of_other_types_is_no_answer() {
    let asked = asked();
    let whole = right(&asked);
    let opinions = asked.parse_reply(&right(&asked).to_string()).expect("opinions");
    for place in places(&whole, "") {
        let own = whole.pointer(&place).expect("a value");
        let strangers = STRANGERS.iter().map(|stranger| json::parse(stranger));
        for stranger in strangers.filter_map(Result::ok).filter(|stranger| !is_alike(own, stranger)) {
            let mut reply = whole.clone();
            *reply.pointer_mut(&place).expect("a value") = stranger.clone();
            match asked.parse_reply(&reply.to_string()) {
                Ok(read) => {
                    let is_reason = place.ends_with("/reason");
                    // No claim at all is an answer: the run may state nothing.
                    let is_no_claim = place.ends_with("/claims") && stranger == json!([]);
                    assert!(is_reason || is_no_claim, "{place} as {stranger}: {read:?}");
                    let judged =
                        |all: &BTreeMap<String, Opinion>| all.values().map(|one| one.judged).collect();
                    let [read, own]: [Vec<Judged>; 2] = [judged(&read), judged(&opinions)];
                    assert!(read == own || is_no_claim, "{place} as {stranger}: {read:?}");
                }
                Err(BadReply::Malformed(why)) => assert!(!why.is_empty() && !place.ends_with("/reason")),
                Err(BadReply::Captured) => panic!("{place} as {stranger}"),
            }
        }
    }
}

/// The pointers to all values below `value`.
fn places(value: &Json, at: &str) -> Vec<String> {
    let below: Vec<(String, &Json)> = match value {
        Json::Object(entries) => entries.iter().map(|(key, value)| (format!("{at}/{key}"), value)).collect(),
        Json::Array(items) => {
            items.iter().enumerate().map(|(number, item)| (format!("{at}/{number}"), item)).collect()
        }
        _ => Vec::new(),
    };
    below.into_iter().flat_map(|(at, value)| [places(value, &at), vec![at]].concat()).collect()
}

/// Whether one may stand for the other: a score for a score, any text for a text that is no code.
fn is_alike(own: &Json, stranger: &Json) -> bool {
    match (own, stranger) {
        (Json::Bool(_), Json::Bool(_)) => true,
        (Json::Number(_), Json::Number(number)) => {
            number.as_f64().is_some_and(|number| (0.0..=100.0).contains(&number))
        }
        (Json::String(own), Json::String(_)) => own.contains(' '),
        _ => false,
    }
}

#[test]
fn what_stands_around_a_reply_changes_nothing() {
    let asked = asked();
    let whole = right(&asked).to_string();
    let opinions = asked.parse_reply(&whole).expect("opinions");
    let code = asked.nonce();
    let around = [
        ("```json\n", "\n```"),
        ("\u{feff}\u{202e}", "\0"),
        ("I think {this} is { fine:\n", "} }"),
        ("{\"code\": \"0123456789abcdef\", \"q1\": {\"reason\": \"x\", \"pass\": true}}\n", "\n{}"),
        ("<|im_start|>assistant\n", "<|im_end|>"),
        ("[", "]"),
    ];
    for (before, after) in around {
        let read = asked.parse_reply(&format!("{before}{whole}{after}"));
        assert_eq!(read.expect("opinions"), opinions, "{before}");
    }
    // Of two that repeat the code and differ neither is the reply, also where one is no answer.
    let first = format!("{{\"code\": \"{code}\"}}{whole}");
    assert!(matches!(asked.parse_reply(&first), Err(BadReply::Malformed(_))));
}

#[test]
fn a_draft_is_no_reply() {
    let asked = asked();
    let last = right(&asked);
    let opinions = asked.parse_reply(&last.to_string()).expect("opinions");
    let mut draft = last.clone();
    draft["q1"]["pass"] = (!draft["q1"]["pass"].as_bool().expect("an opinion")).into();
    let parse = |text: String| asked.parse_reply(&text);
    // What stands before a closing tag of reasoning does not count, whatever it says.
    for (open, close) in [
        ("<think>", "</think>"),
        ("", "</think>"),
        ("<Thinking>", "</THINKING>"),
        ("<reasoning>", "</reasoning>"),
    ] {
        let text = format!("{open}First draft: {draft} Hmm, no.{close}\n{last}");
        assert_eq!(parse(text).expect("opinions"), opinions, "{close}");
    }
    // Without a tag, two answers that differ are no opinion; the same answer twice is one.
    for text in [format!("{draft}\nCorrection:\n{last}"), format!("{last}\n```json\n{draft}\n```")] {
        assert!(matches!(parse(text), Err(BadReply::Malformed(problem)) if problem.contains("differ")));
    }
    assert_eq!(parse(format!("{last}\nAgain:\n{last}")).expect("opinions"), opinions);
    // Reasoning that does not end holds no answer, and an answer before the last closing tag is a thought.
    for text in [format!("<think>So: {last}"), format!("{last}</think>")] {
        assert!(parse(text).is_err());
    }
    // A tag in a reason is quoted from the evidence.
    let mut quoting = last.clone();
    quoting["q1"]["reason"] = "it writes </think> twice".into();
    assert!(parse(quoting.to_string()).is_ok());
    // An answer behind many objects is not overlooked.
    assert!(parse(format!("{last}{}{draft}", "{} ".repeat(100))).is_err());
}

#[test]
fn a_reply_without_an_end_takes_no_time() {
    let asked = asked();
    let code = asked.nonce();
    let texts = [
        "{".repeat(1 << 20),
        "{\"a\":".repeat(170_000),
        "[{".repeat(500_000),
        format!("{{\"code\": \"{code}\", \"q1\": \"{}", "\\u0000".repeat(170_000)),
        format!("{{\"code\": \"{code}\"}} ").repeat(10_000),
        "\u{1f600}{".repeat(200_000),
    ];
    for text in texts {
        assert!(asked.parse_reply(&text).is_err());
    }
}

#[test]
fn no_damaged_reply_is_more_than_it_says() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let time = number("ARRAIGN_FUZZ_SECONDS").map_or(Duration::ZERO, Duration::from_secs);
    let mut random = Random(number("ARRAIGN_FUZZ_SEED").unwrap_or(1).max(1));
    let asked = asked();
    let mut tells = right(&asked);
    tells["q1"]["reason"] = format!("{} {KEY}", "x".repeat(1990)).into();
    let samples = [right(&asked).to_string(), json::to_string_pretty(&tells).expect("JSON")];
    // Half a key has no shape: it is masked before a reason is cut.
    let told = asked.parse_reply(&samples[1]).expect("opinions");
    assert!(told.values().all(|one| !one.reason.as_deref().unwrap_or_default().contains("ghp_")), "{told:?}");
    let started = Instant::now();
    let mut read = 0_u64;
    let mut rounds = 0_u64;
    while started.elapsed() < time || rounds < 2000 {
        let mut text = samples[random.below(samples.len())].clone();
        for _ in 0..random.below(4) {
            text = mutated(text, &samples, &mut random);
        }
        read += u64::from(is_honest(&asked, &text));
        rounds += 1;
    }
    assert!(read > rounds / 20, "{read} of {rounds} texts were read: the others say little");
}

/// Whether `text` is read. What is read of it stands in it, and within its bounds.
fn is_honest(asked: &Questionnaire, text: &str) -> bool {
    let Ok(opinions) = asked.parse_reply(text) else { return false };
    assert!(text.contains(asked.nonce()), "{text}");
    let questions = asked.asked().iter().filter(|question| question.label.is_some());
    assert_eq!(opinions.len(), questions.clone().count(), "{text}");
    for question in questions {
        let opinion = &opinions[question.label.as_deref().expect("a label")];
        match (question.form, opinion.judged) {
            (AnswerForm::PassOrFail, Judged::Pass) => assert!(text.contains("true"), "{text}"),
            (AnswerForm::PassOrFail, Judged::Fail) => assert!(text.contains("false"), "{text}"),
            (AnswerForm::Score, Judged::Score(score)) => assert!((0.0..=100.0).contains(&score), "{text}"),
            (AnswerForm::Claims, Judged::Claims { all, unsupported }) => {
                assert!(unsupported <= all, "{text}");
            }
            (form, judged) => panic!("{form:?}, and {judged:?}: {text}"),
        }
        let reason = opinion.reason.as_deref().unwrap_or_default();
        assert!(reason.chars().count() <= 2003 && mask_secrets(reason.to_owned()) == reason, "{reason}");
    }
    true
}

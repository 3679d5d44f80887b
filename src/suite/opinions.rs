//! `opinions:` a judge's opinions, written in the case: they stand in for a judge in a test.
//!
//! ```yaml
//! opinions:
//!   polite: {pass: true, reason: it greets the customer}
//!   output_quality: 85
//! ```

use crate::case::Expectation;
use crate::evidence::{Judged, Opinion, Opinions};
use crate::place::{LoadError, LoadErrors};
use crate::yaml::{Fields, Node, Value, did_you_mean};

pub(super) fn parse_opinions(node: Node<'_>) -> Result<Opinions, LoadErrors> {
    let Some(entries) = node.entries() else {
        let error =
            node.error(format!("`opinions` is a mapping of labels to opinions, not {}", node.describe()));
        return Err(error.help("write `label: {pass: true, reason: ...}` or `label: {score: 85}`").into());
    };
    let (mut errors, mut opinions) = (LoadErrors::new(), Opinions::default());
    for (label, node) in entries {
        if let Some(opinion) = errors.take(parse_opinion(node)) {
            opinions.insert(label.name.as_str(), opinion);
        }
    }
    errors.or(opinions)
}

/// Refuses two questions with one label, and opinions in the case that no question asks for.
pub(super) fn match_questions(
    node: Option<Node<'_>>,
    opinions: &Opinions,
    expectations: &[Expectation],
) -> Result<(), LoadErrors> {
    let (mut errors, mut asked) = (LoadErrors::new(), Vec::new());
    // Checks of turns may share a label. With two questions about the whole run, it would be unclear which of them an
    // opinion in the file answers.
    for expectation in expectations {
        for question in expectation.check().questions() {
            if expectation.turn.is_none() && asked.contains(&question.label) {
                let problem =
                    format!("two questions are called `{}`: one opinion cannot answer both", question.label);
                errors
                    .push(LoadError::new(expectation.place.clone(), problem).help("give each its own label"));
            }
            asked.push(question.label);
        }
    }
    // An opinion that no check asks for is a slip in its label.
    for (label, _) in opinions.iter().filter(|(label, _)| !asked.iter().any(|asked| asked == label)) {
        let Some(node) = node else { continue };
        let error =
            LoadError::new(node.key_place(label), format!("no check asks for an opinion on `{label}`"));
        let labels: Vec<&str> = asked.iter().map(String::as_str).collect();
        errors.push(error.help_if(did_you_mean(label, &labels)));
    }
    errors.or(())
}

/// `{pass, reason}`, `{score, reason}` or `{claims, unsupported, reason}`; a bare boolean or number is the one or the other.
fn parse_opinion(node: Node<'_>) -> Result<Opinion, LoadErrors> {
    if !matches!(node.value(), Value::Map(_)) {
        return Ok(Opinion { judged: parse_judged(node)?, reason: None });
    }
    let mut fields = Fields::of(node, "an opinion")?;
    let (pass, score, claims) = (fields.node("pass"), fields.node("score"), fields.node("claims"));
    let (unsupported, reason) = (fields.node("unsupported"), fields.optional("reason"));
    let judged = match (pass, score, claims) {
        (Some(node), None, None) | (None, Some(node), None) => fields.take(parse_judged(node)),
        (None, None, Some(all)) => fields.take(parse_claims(all, unsupported)),
        (Some(_), Some(node), _) | (Some(_), _, Some(node)) | (_, Some(_), Some(node)) => {
            fields.errors.push(node.error("an opinion is a `pass`, a `score` or on `claims`: one of them"));
            None
        }
        (None, None, None) => {
            let error = node.error("an opinion says `pass: true`, `pass: false` or `score: 0..100`");
            fields.missing(&["pass", "score", "claims"], error);
            None
        }
    };
    fields.finish_some(judged.map(|judged| Opinion { judged, reason }))
}

/// `{claims: 4, unsupported: 1}`
fn parse_claims(all: Node<'_>, unsupported: Option<Node<'_>>) -> Result<Judged, LoadError> {
    let count: u32 = all.decode()?;
    let without: u32 = unsupported.map_or(Ok(0), Node::decode)?;
    match unsupported {
        Some(node) if without > count => {
            Err(node.error(format!("{without} of {count} claims cannot be without support")))
        }
        _ => Ok(Judged::Claims { all: count, unsupported: without }),
    }
}

fn parse_judged(node: Node<'_>) -> Result<Judged, LoadError> {
    if let Value::Bool(pass) = node.value() {
        return Ok(if *pass { Judged::Pass } else { Judged::Fail });
    }
    let (Value::Number(_) | Value::NotFinite(_)) = node.value() else {
        return Err(node.error(format!("an opinion is `true`, `false` or a score, not {}", node.describe())));
    };
    node.parse_up_to(100.0, "the score is out of range: ").map(Judged::Score)
}

//! A file of answers with labels by people, to measure a judge against.
//!
//! ```yaml
//! judge: {model: gpt-5-mini}      # as in a suite; else the one of arraign.yaml
//! prompt: Is the answer polite?    # for each example that has none of its own
//! examples:
//!   - id: terse
//!     input: Where is order 7?     # what was asked, where the judge is to know it
//!     answer: It ships today.
//!     label: pass
//! ```

use std::path::Path;
use std::sync::Arc;

use super::{JudgeError, Questionnaire};
use crate::check::{JudgeSettings, Prices, Tables};
use crate::evidence::{AnswerForm, JudgeContext, Question};
use crate::place::{LoadError, LoadErrors, Place};
use crate::source::Files;
use crate::trace::Trace;
use crate::yaml::{Fields, Node, did_you_mean};

/// A file of labelled examples.
#[derive(Debug, Clone)]
pub struct Calibration {
    /// The judge named by the file or by `arraign.yaml`.
    pub judge: Option<Arc<JudgeSettings>>,
    /// The prices of tokens.
    pub prices: Prices,
    /// The examples, in the order of the file.
    pub examples: Vec<LabelledExample>,
}

/// An answer with a label by people.
#[derive(Debug, Clone)]
pub struct LabelledExample {
    /// The id of the example.
    pub id: String,
    /// The place of the example.
    pub place: Place,
    /// The question to the judge.
    pub prompt: String,
    /// The input of the agent.
    pub input: Option<String>,
    /// The answer of the agent.
    pub answer: String,
    /// The label: whether the answer passes.
    pub passes: bool,
}

impl Calibration {
    /// Reads the file at `path`; `tables` come from `arraign.yaml`.
    pub fn load(path: &Path, files: &Files, tables: &Tables) -> Result<Self, LoadErrors> {
        let document = files.document(path)?;
        let mut fields = Fields::of(document.root(), "a file of labelled examples")?;
        let tables = tables.extended(&mut fields);
        let prompt = fields.optional::<String>("prompt");
        let list = fields.node("examples");
        // If another key was refused, `examples` may be the one that was misspelt.
        if list.is_none() && fields.errors.is_empty() {
            let error = document.root().error("there are no `examples`");
            fields.missing(&["examples"], error.help("write a list of `{id, answer, label}`"));
        }
        let examples = list.and_then(|list| fields.take(parse_examples(list, prompt.as_deref())));
        let (judge, prices) = (tables.judge, tables.prices);
        fields.finish(Self { judge, prices, examples: examples.unwrap_or_default() })
    }
}

impl LabelledExample {
    /// Builds the request for the example.
    pub(super) fn build_questionnaire(&self) -> Result<Option<Questionnaire>, JudgeError> {
        let trace = Trace { answer: Some(self.answer.clone()), ..Trace::default() };
        let context = JudgeContext { include_prompt: self.input.is_some(), ..JudgeContext::default() };
        let (label, prompt) = (self.id.clone(), self.prompt.clone());
        let question = Question { label, prompt, answer: AnswerForm::PassOrFail, context };
        Questionnaire::for_answer(&trace, self.input.as_deref(), question)
    }
}

fn parse_examples(list: Node<'_>, prompt: Option<&str>) -> Result<Vec<LabelledExample>, LoadErrors> {
    let Some(entries) = list.list() else {
        return Err(list.error(format!("expected a list, found {}", list.describe())).into());
    };
    let (mut errors, mut found) = (LoadErrors::new(), Vec::<LabelledExample>::new());
    for entry in entries {
        let Some(example) = errors.take(parse_example(entry, prompt)) else { continue };
        if found.iter().any(|known| known.id == example.id) {
            errors.push(LoadError::new(example.place.clone(), format!("duplicate id `{}`", example.id)));
        }
        found.push(example);
    }
    // If a label was refused, the list is empty for another reason, which is told already.
    if found.is_empty() && errors.is_empty() {
        errors.push(list.error("`examples` is empty"));
    }
    errors.or(found)
}

fn parse_example(node: Node<'_>, shared: Option<&str>) -> Result<LabelledExample, LoadErrors> {
    let mut fields = Fields::of(node, "an example")?;
    let id = fields.required::<String>("id");
    let answer = fields.required::<String>("answer");
    let prompt = fields.optional::<String>("prompt").or_else(|| shared.map(str::to_owned));
    let input = fields.optional::<String>("input");
    let passes = fields.node("label").map(|node| fields.take(parse_label(node)));
    if passes.is_none() {
        fields.missing(&["label"], node.error("the example has no `label`: `pass` or `fail`"));
    }
    if prompt.is_none() {
        fields.missing(&["prompt"], node.error("the example has no `prompt`, and the file has none for all"));
    }
    let example = match (id, prompt, answer, passes.flatten()) {
        (Some(id), Some(prompt), Some(answer), Some(passes)) => {
            Some(LabelledExample { id, place: node.place(), prompt, input, answer, passes })
        }
        _ => None,
    };
    fields.finish_some(example)
}

fn parse_label(node: Node<'_>) -> Result<bool, LoadError> {
    match node.as_str() {
        Some("pass") => Ok(true),
        Some("fail") => Ok(false),
        other => {
            let error = node.error("expected the label `pass` or `fail`");
            Err(error.help_if(did_you_mean(other.unwrap_or_default(), &["pass", "fail"])))
        }
    }
}

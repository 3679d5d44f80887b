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

use arraign::__internals::check::{JudgeSettings, Prices, Tables};
use arraign::__internals::judge::JudgeSession;
use arraign::__internals::place::Place;
use arraign::__internals::source::Files;
use arraign::__internals::yaml::{Fields, Node, did_you_mean};
use arraign::judge::{Absent, AnswerForm, JudgeContext, Opinion, Question};
use arraign::{LoadError, LoadErrors, Trace};

/// A file of labelled examples.
#[derive(Debug, Clone)]
pub(super) struct Calibration {
    /// The judge named by the file or by `arraign.yaml`.
    pub(super) judge: Option<Arc<JudgeSettings>>,
    /// The prices of tokens.
    pub(super) prices: Prices,
    /// The examples, in the order of the file.
    pub(super) examples: Vec<LabelledExample>,
}

/// An answer with a label by people.
#[derive(Debug, Clone)]
pub(super) struct LabelledExample {
    /// The id of the example.
    pub(super) id: String,
    /// The place of the example.
    pub(super) place: Place,
    /// The question to the judge.
    pub(super) prompt: String,
    /// The input of the agent.
    pub(super) input: Option<String>,
    /// The answer of the agent.
    pub(super) answer: String,
    /// The label: whether the answer passes.
    pub(super) passes: bool,
}

impl Calibration {
    /// Reads the file at `path`; `tables` come from `arraign.yaml`.
    pub(super) fn load(path: &Path, files: &Files, tables: &Tables) -> Result<Self, LoadErrors> {
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
        let judge = tables.judge;
        let prices = tables.prices;
        fields.finish(Self { judge, prices, examples: examples.unwrap_or_default() })
    }
}

impl LabelledExample {
    /// Returns the opinion of the judge of `calibration` on the example.
    pub(super) fn ask_judge(
        &self,
        session: &JudgeSession<'_>,
        calibration: &Calibration,
    ) -> Result<Opinion, Absent> {
        let trace = Trace { answer: Some(self.answer.clone()), ..Trace::default() };
        let mut context = JudgeContext::default();
        context.include_prompt = self.input.is_some();
        let question = Question::new(&self.id, &self.prompt, AnswerForm::PassOrFail).context(context);
        let judge = calibration.judge.as_ref();
        session.judge_answer(judge, &calibration.prices, &trace, self.input.as_deref(), question)
    }
}

fn parse_examples(list: Node<'_>, prompt: Option<&str>) -> Result<Vec<LabelledExample>, LoadErrors> {
    let Some(entries) = list.list() else {
        return Err(list.error(format!("expected a list, found {}", list.describe())).into());
    };
    let mut errors = LoadErrors::new();
    let mut found = Vec::<LabelledExample>::new();
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

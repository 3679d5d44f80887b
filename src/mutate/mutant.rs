//! A mutant: one change of a run, with its name and its description.

use crate::case::MutationSort;
use crate::json::{Json, json};
use crate::outcome::truncate_text;
use crate::secrets::SecretMasker;
use crate::trace::{Call, Trace};

/// The largest length of a value in a description, in characters.
const MAX_VALUE_CHARS: usize = 40;

/// A change of a run.
type TraceChange = Box<dyn Fn(&mut Trace) + Send + Sync>;

/// One change of a run.
pub struct Mutant {
    /// The sort of the change.
    pub sort: MutationSort,
    /// The name, unique among the mutants of the run: `fail 2 refund`.
    pub id: String,
    /// The change in words, without secrets.
    pub change: String,
    /// The subject of the change: `TOOL` or `TOOL.ARGUMENT`.
    pub subjects: Vec<String>,
    /// The numbers of the changed calls, from 0.
    pub calls: Vec<usize>,
    /// The top-level argument that changes.
    pub argument: Option<String>,
    /// Whether the change only adds a fraction of 0 to a number, which most checks take for the same number.
    pub is_fraction: bool,
    apply: TraceChange,
}

impl Mutant {
    /// Creates a mutant of the run as a whole.
    pub(super) fn new(
        sort: MutationSort,
        change: impl Into<String>,
        apply: impl Fn(&mut Trace) + Send + Sync + 'static,
    ) -> Self {
        Self {
            sort,
            id: sort.name().to_owned(),
            change: change.into(),
            subjects: Vec::new(),
            calls: Vec::new(),
            argument: None,
            is_fraction: false,
            apply: Box::new(apply),
        }
    }

    /// Adds a call that changes to the name and the subjects.
    pub(super) fn of_call(mut self, call: &Call) -> Self {
        self.id = format!("{} {} {}", self.id, call.index, call.name);
        self.and_call(call)
    }

    /// Adds another call that changes to the subjects.
    pub(super) fn and_call(mut self, call: &Call) -> Self {
        self.subjects.push(call.name.clone());
        self.calls.push(call.index - 1);
        self
    }

    /// Adds an argument of the call to the name and the subjects. `path` begins with a dot.
    pub(super) fn of_argument(mut self, key: &str, path: &str) -> Self {
        self.id.push_str(path);
        let subject = self.subjects.last().map_or_else(String::new, |tool| format!("{tool}{path}"));
        self.subjects.push(subject);
        self.argument = Some(key.to_owned());
        self
    }

    /// Adds words to the name.
    pub(super) fn with_detail(mut self, detail: &str) -> Self {
        self.id = format!("{} {detail}", self.id);
        self
    }

    /// Adds a tool that the run does not call to the name and the subjects.
    pub(super) fn of_tool(mut self, tool: &str) -> Self {
        self.subjects.push(tool.to_owned());
        self.with_detail(tool)
    }

    /// Marks a change that only adds a fraction of 0 to a number.
    pub(super) fn into_fraction(self) -> Self {
        Self { is_fraction: true, ..self.with_detail("fraction") }
    }

    /// Returns the changed copy of the run.
    pub fn apply(&self, run: &Trace) -> Trace {
        let mut changed = run.clone();
        (self.apply)(&mut changed);
        changed
    }
}

/// Words for the calls and values of a run, without its secrets, and how many of its calls are changed.
pub struct MutantWords<'m> {
    /// Masks the secrets.
    pub masker: &'m SecretMasker,
    /// Each how many calls one has mutants of its own: 1 for all calls.
    pub step: usize,
}

impl MutantWords<'_> {
    /// Names a call: ``call 2 `refund` ``.
    pub(super) fn name_call(&self, call: &Call) -> String {
        format!("call {} `{}`", call.index, self.masker.mask_text(call.name.clone()))
    }

    /// Quotes the value of an argument. It is masked as a whole, with its name, before it is cut.
    pub(super) fn quote_argument(&self, key: &str, value: &Json) -> String {
        let mut masked = self.masker.mask_json(json!({key: value}));
        let text = masked.get_mut(key).map(Json::take).unwrap_or_default().to_string();
        truncate_text(&text, MAX_VALUE_CHARS)
    }
}

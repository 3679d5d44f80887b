//! The evidence of calls in a record, gathered before a reader takes the record apart.
//!
//! Every id of a call that a record mentions, and every value that looks like a call, must be a call of the run in the
//! end. What is not was lost by the reader: a new key, a new kind of part, a result whose call is not in the file. The
//! search knows no format; it looks for the few keys by which all formats name calls, their ids and their arguments.
//! It does not look into arguments, results and the definitions of tools, because these are data.

use crate::json::{JsonNode, JsonObject, JsonText};
use crate::json_text::escape_token;

use crate::reader::build::spot::RecordSpot;
use crate::trace::UnreadContent;

/// The evidence of calls in one record.
#[derive(Debug)]
pub(crate) struct CallEvidence<'t> {
    pub(crate) spot: RecordSpot,
    pub(crate) clues: Vec<CallClue<'t>>,
    /// The speaker of a message; `None` for other records.
    pub(crate) speaker: Option<MessageSpeaker<'t>>,
}

/// Who speaks in a message, and where the message has its content.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MessageSpeaker<'t> {
    pub(crate) role: &'static str,
    /// The key of the first value that is content, to be blamed if nothing is read.
    pub(crate) content: Option<&'t str>,
    /// Whether that value has parts: such a message cannot be without content.
    pub(crate) has_parts: bool,
}

/// A mention of a call, and where it is in its record.
#[derive(Debug, Clone)]
pub(crate) struct CallClue<'t> {
    pub(crate) mention: CallMention<'t>,
    path: PathSteps<'t>,
}

/// What a record says of a call.
#[derive(Debug, Clone)]
pub(crate) struct CallMention<'t> {
    pub(crate) id: Option<JsonText<'t>>,
    /// The name of the tool. Without one, the clue is a result or another reference to the call.
    pub(crate) name: Option<JsonText<'t>>,
    /// The kind of the object that mentions the call, or else the key that holds the object.
    pub(crate) kind: Option<JsonText<'t>>,
    /// Whether the clue has arguments, as a call has.
    pub(crate) is_call: bool,
}

impl CallMention<'_> {
    /// Describes the part of the file with a call or a result that is in no run.
    pub(crate) fn describe(&self) -> UnreadContent {
        match (&self.name, &self.id) {
            (Some(name), _) if self.is_call => {
                let kind = self.kind.as_deref().unwrap_or_default().to_owned();
                UnreadContent::UnreadCall { name: name.as_ref().to_owned(), kind }
            }
            (_, Some(id)) => UnreadContent::ResultWithoutCall(id.as_ref().to_owned()),
            (name, None) => UnreadContent::ResultWithoutCall(name.as_deref().unwrap_or_default().to_owned()),
        }
    }

    /// Copies the mention, so that it no longer borrows from the file.
    pub(crate) fn to_static(&self) -> CallMention<'static> {
        let [id, name, kind] =
            [&self.id, &self.name, &self.kind].map(|text| text.as_deref().map(|text| text.to_owned().into()));
        CallMention { id, name, kind, is_call: self.is_call }
    }
}

impl CallClue<'_> {
    /// The JSON pointer from the record to the clue.
    pub(crate) fn pointer(&self) -> String {
        let mut pointer = String::new();
        for step in self.path.steps.iter().take(self.path.depth.min(DEEPEST)) {
            pointer.push('/');
            match step {
                PathStep::Key(key) => pointer += &escape_token(key),
                PathStep::Index(index) => pointer += &index.to_string(),
            }
        }
        pointer
    }
}

/// The most steps of a path. A longer path is cut; its place is still the right part of the record.
const DEEPEST: usize = 6;

/// The steps from a record to a value. They are stored without an allocation, because most clues are soon dropped.
#[derive(Debug, Clone, Copy)]
struct PathSteps<'t> {
    steps: [PathStep<'t>; DEEPEST],
    depth: usize,
}

#[derive(Debug, Clone, Copy)]
enum PathStep<'t> {
    Key(&'t str),
    Index(usize),
}

impl<'t> PathSteps<'t> {
    const NONE: Self = Self { steps: [PathStep::Index(0); DEEPEST], depth: 0 };

    fn push(&mut self, step: PathStep<'t>) {
        if let Some(free) = self.steps.get_mut(self.depth) {
            *free = step;
        }
        self.depth += 1;
    }

    fn pop(&mut self) {
        self.depth -= 1;
    }

    fn last_key(&self) -> Option<JsonText<'t>> {
        let steps = self.steps.get(..self.depth)?;
        steps.iter().rev().find_map(|step| match step {
            PathStep::Key(key) => Some(JsonText::Borrowed(key)),
            PathStep::Index(_) => None,
        })
    }
}

impl<'t> CallEvidence<'t> {
    /// Gathers the evidence in `value`, which is at `spot`.
    pub(crate) fn gather(spot: impl Into<RecordSpot>, value: &JsonNode<'t>) -> Self {
        let mut search = EvidenceSearch { clues: Vec::new(), path: PathSteps::NONE };
        search.search(value, None);
        Self { spot: spot.into(), clues: search.clues, speaker: value.as_object().and_then(find_speaker) }
    }

    /// Gathers the evidence in an object.
    pub(crate) fn gather_object(spot: impl Into<RecordSpot>, object: &JsonObject<'t>) -> Self {
        let mut search = EvidenceSearch { clues: Vec::new(), path: PathSteps::NONE };
        search.search_object(object, None);
        Self { spot: spot.into(), clues: search.clues, speaker: find_speaker(object) }
    }

    /// Gathers the evidence under the keys of a record that are not `known`: a reader takes the others apart itself.
    pub(crate) fn gather_beside(
        spot: impl Into<RecordSpot>,
        record: &JsonObject<'t>,
        known: &[&str],
    ) -> Option<Self> {
        let mut search = EvidenceSearch { clues: Vec::new(), path: PathSteps::NONE };
        for (key, value) in record.iter() {
            // Texts and figures contain no calls.
            if matches!(value, JsonNode::Object(_) | JsonNode::Array(_)) && !known.contains(&key.as_ref()) {
                search.path.push(PathStep::Key(borrow_key(key)));
                search.search(value, None);
                search.path.pop();
            }
        }
        let clues = search.clues;
        (!clues.is_empty()).then(|| Self { spot: spot.into(), clues, speaker: None })
    }
}

/// Finds the speaker of a message of the user or of the model.
fn find_speaker<'t>(message: &JsonObject<'t>) -> Option<MessageSpeaker<'t>> {
    // Providers add these keys to messages: they hold neither text nor calls.
    const ADDED: [&str; 8] = [
        "annotations",
        "provider_specific_fields",
        "reasoning_details",
        "metadata",
        "usage",
        "additional_kwargs",
        "response_metadata",
        "cache_control",
    ];
    let role = message.text_under("role")?;
    let role = ["user", "assistant", "model"].into_iter().find(|known| *known == role)?;
    let mut content = None;
    let mut has_parts = false;
    for (key, value) in message.iter() {
        has_parts = is_filled(value) && !ADDED.contains(&key.as_ref());
        // A later version may rename the key of a text as well.
        if has_parts || content.is_none() && is_content(key, value) {
            content = Some(borrow_key(key));
        }
        if has_parts {
            break;
        }
    }
    Some(MessageSpeaker { role, content, has_parts })
}

/// Whether an entry is a text under a name for the content of a message.
fn is_content(key: &str, value: &JsonNode) -> bool {
    (key.starts_with("content") || key.starts_with("text"))
        && value.as_str().is_some_and(|text| !text.is_empty())
}

fn is_filled(value: &JsonNode) -> bool {
    match value {
        JsonNode::Array(items) => !items.is_empty(),
        JsonNode::Object(object) => !object.is_empty(),
        _ => false,
    }
}

/// The search through one record.
struct EvidenceSearch<'t> {
    clues: Vec<CallClue<'t>>,
    path: PathSteps<'t>,
}

/// The keys of an object that concern calls.
#[derive(Default)]
struct ObjectFace<'v, 't> {
    name: Option<&'v JsonText<'t>>,
    /// The id of a call, under a key that means nothing else.
    reference: Option<&'v JsonText<'t>>,
    id: Option<&'v JsonText<'t>>,
    kind: Option<&'v JsonText<'t>>,
    has_arguments: bool,
    has_response: bool,
    has_parts: bool,
}

impl<'v, 't> ObjectFace<'v, 't> {
    fn of(object: &'v JsonObject<'t>) -> Self {
        let mut face = Self::default();
        for (key, value) in object.iter() {
            match value {
                JsonNode::String(text) => face.note_text(key, text),
                JsonNode::Object(_) | JsonNode::Array(_) => face.note_container(key, value),
                _ => {}
            }
        }
        face
    }

    /// The lengths come first: most keys of a file are none of these, and comparing them one by one would cost more than
    /// the rest of the search.
    #[inline]
    fn note_text(&mut self, key: &str, text: &'v JsonText<'t>) {
        match (key.len(), key) {
            (4, "name" | "tool" | "call")
            | (8, "toolName" | "function")
            | (9, "tool_name")
            | (12, "functionName" | "toolCallName")
            | (13, "function_name") => self.name = Some(text),
            (6, "callId")
            | (7, "call_id" | "tool_id")
            | (9, "toolUseId")
            | (10, "toolCallId")
            | (11, "tool_use_id")
            | (12, "tool_call_id")
            | (14, "source_call_id") => self.reference = Some(text),
            (2, "id") => self.id = Some(text),
            (4, "type" | "kind") | (9, "part_kind") | (12, "content_type") => self.kind = Some(text),
            (4, "args") | (5, "input") | (9, "arguments") | (13, "argumentsJson") => {
                self.has_arguments = true;
            }
            _ => {}
        }
    }

    fn note_container(&mut self, key: &str, value: &JsonNode) {
        match key {
            "arguments" | "args" | "input" => self.has_arguments = true,
            "response" => self.has_response = true,
            _ => self.has_parts |= is_filled(value),
        }
    }

    /// Whether this is a call: a name and arguments. With an id that means nothing else, the name is enough.
    fn is_call(&self) -> bool {
        self.name.is_some() && (self.has_arguments || self.reference.is_some())
    }

    fn is_result(&self) -> bool {
        self.reference.is_some() || self.name.is_some() && self.has_response
    }
}

impl<'t> EvidenceSearch<'t> {
    fn search(&mut self, value: &JsonNode<'t>, outer_id: Option<&JsonText<'t>>) {
        match value {
            JsonNode::Object(object) => self.search_object(object, outer_id),
            JsonNode::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    // Scalars are the bulk of a record and can be no call: they are not worth a step of the path.
                    if matches!(item, JsonNode::Object(_) | JsonNode::Array(_)) {
                        self.path.push(PathStep::Index(index));
                        self.search(item, None);
                        self.path.pop();
                    }
                }
            }
            _ => {}
        }
    }

    fn search_object(&mut self, object: &JsonObject<'t>, outer_id: Option<&JsonText<'t>>) {
        let face = ObjectFace::of(object);
        let is_call = face.is_call();
        let is_result = face.is_result();
        if is_call || is_result {
            // The id may be in the object around the call, as in `{"id": .., "function": {"name": .., "arguments":
            // ..}}`.
            let id = face.reference.or(face.id).or(outer_id);
            let kind = face.kind.cloned().or_else(|| self.path.last_key());
            let id = id.cloned();
            let name = face.name.cloned();
            let is_call = face.has_arguments;
            let mention = CallMention { id, name, kind, is_call };
            self.clues.push(CallClue { mention, path: self.path });
        }
        // An object of texts and figures alone has nothing below it. This skips most objects of a file.
        if !face.has_parts && !face.has_arguments && !face.has_response {
            return;
        }
        for (key, value) in object.iter() {
            let is_container = matches!(value, JsonNode::Object(_) | JsonNode::Array(_));
            // The arguments and results of a call are data: an object in them that looks like a call is not one.
            if is_container && !is_data(key, is_call || is_result) {
                self.path.push(PathStep::Key(borrow_key(key)));
                self.search(value, face.reference.or(face.id));
                self.path.pop();
            }
        }
    }
}

/// Whether a call may be in a value: in an object or a list, or in a text that is JSON.
pub(crate) fn may_hold_parts(value: &JsonNode) -> bool {
    match value {
        JsonNode::Array(items) => !items.is_empty(),
        JsonNode::Object(object) => !object.is_empty(),
        JsonNode::String(text) => text.starts_with("{\"") || text.starts_with("[{"),
        _ => false,
    }
}

/// A key with escapes is of no format: its name does not matter.
fn borrow_key<'t>(key: &JsonText<'t>) -> &'t str {
    if let JsonText::Borrowed(key) = key { key } else { "?" }
}

/// Whether the value under `key` is data that a tool took or gave, or a definition.
fn is_data(key: &str, of_call: bool) -> bool {
    match (key.len(), key) {
        (4, "args")
        | (5, "tools")
        | (6, "schema")
        | (8, "metadata")
        | (9, "arguments" | "functions")
        | (10, "parameters")
        | (11, "inputSchema" | "tool_choice")
        | (12, "input_schema")
        | (13, "output_schema")
        | (16, "tool_definitions") => true,
        (5, "input")
        | (6, "output" | "result")
        | (7, "content" | "results")
        | (8, "response" | "artifact") => of_call,
        _ => false,
    }
}

//! The events of a sample: the times of its tools, and the calls inside of them.

use std::collections::{HashMap, HashSet};

use crate::json::{JsonNode, JsonObject};
use crate::reader::build::clock::{millis_between, nanos};
use crate::reader::build::evidence::may_hold_parts;
use crate::reader::build::tool_result::with_result;
use crate::trace::Call;

/// The most enclosing spans that are followed.
const DEPTH: usize = 64;

/// A tool's event.
#[derive(Debug)]
pub(crate) struct ToolEvent {
    start: u64,
    end: Option<u64>,
    call: Call,
}

/// The tool events of a sample.
#[derive(Debug, Default)]
pub(crate) struct SampleEvents {
    began: u64,
    by_id: HashMap<String, ToolEvent>,
    /// The calls that are missing in the messages of the sample, by the call during or after which they were made. Those
    /// before any other call are under `None`.
    nested: HashMap<Option<String>, Vec<Call>>,
    /// The events that were not understood: the index of each, and its kind.
    unread: Vec<(usize, String)>,
}

/// The kinds of events that contain no call, or repeat those of messages and tools.
const WITHOUT_CALLS: [&str; 22] = [
    "anchor",
    "approval",
    "branch",
    "checkpoint",
    "compaction",
    "error",
    "info",
    "input",
    "interrupt",
    "logger",
    "model",
    "review",
    "sample_init",
    "sample_limit",
    "sandbox",
    "score",
    "score_edit",
    "span_end",
    "state",
    "step",
    "store",
    "subtask",
];

impl SampleEvents {
    /// Reads the events of a sample. Without `began`, the sample began with its first event. `known` contains the ids of
    /// the calls in its messages.
    pub(crate) fn of(events: Vec<JsonNode>, began: Option<u64>, known: &HashSet<String>) -> Self {
        let began =
            began.or_else(|| events.iter().filter_map(|event| nanos(event.text_under("timestamp")?)).min());
        let mut spans = EventSpans::default();
        let mut own = Vec::new();
        let mut inner = Vec::new();
        let mut unread = Vec::new();
        for (index, event) in events.into_iter().enumerate() {
            let Ok(event) = JsonObject::of(event, "an event") else { continue };
            match event.text_under("event").unwrap_or("event") {
                "span_begin" => spans.add(event),
                "tool" => {
                    let Some(event) = tool_event(event, &spans) else {
                        unread.push((index, "tool".to_owned()));
                        continue;
                    };
                    let is_own = event.call.id.as_ref().is_some_and(|id| known.contains(id));
                    // A call that no message has was made inside of another tool.
                    if is_own { own.push(event) } else { inner.push(event) }
                }
                kind if WITHOUT_CALLS.contains(&kind) => {}
                kind if event.values().any(may_hold_parts) => unread.push((index, kind.to_owned())),
                _ => {}
            }
        }
        let mut events = Self { began: began.unwrap_or_default(), unread, ..Self::default() };
        events.nest(&mut own, inner);
        events.by_id = own.into_iter().filter_map(|event| Some((event.call.id.clone()?, event))).collect();
        events
    }

    /// Assigns each inner call to the last of the run's own calls that began before it. If that call had ended, the inner
    /// call belongs to the run as well, such as an agent's `submit`, which Inspect removes from the messages.
    fn nest(&mut self, own: &mut [ToolEvent], inner: Vec<ToolEvent>) {
        own.sort_by_key(|event| event.start);
        for event in inner {
            // The own calls are sorted by their start, so the last before a moment is found by halving.
            let after = own.partition_point(|outer| outer.start <= event.start);
            let outer = after.checked_sub(1).and_then(|last| own.get(last));
            let around = outer.filter(|outer| outer.end.is_none_or(|end| end > event.start));
            let mut call = self.timed(event);
            // A call that names its agents itself is placed by these.
            if let Some(around) = around.filter(|_| call.agent_path.is_empty()) {
                call.agent_path.push(around.call.name.clone());
            }
            self.nested.entry(outer.and_then(|outer| outer.call.id.clone())).or_default().push(call);
        }
    }

    fn timed(&self, event: ToolEvent) -> Call {
        let started_ms = Some(millis_between(self.began, event.start));
        let duration_ms = event.end.map(|end| millis_between(event.start, end));
        Call { started_ms, duration_ms, ..event.call }
    }

    /// Takes the index and the kind of each event that was not understood.
    pub(crate) fn take_unread(&mut self) -> Vec<(usize, String)> {
        std::mem::take(&mut self.unread)
    }

    /// Returns the start and the duration of the call with this id.
    pub(crate) fn times(&self, id: Option<&str>) -> (Option<f64>, Option<f64>) {
        let Some(event) = id.and_then(|id| self.by_id.get(id)) else { return (None, None) };
        let duration = event.end.map(|end| millis_between(event.start, end));
        (Some(millis_between(self.began, event.start)), duration)
    }

    /// The calls made during or after the call with this id, and before the next; without an id, before all others.
    pub(crate) fn take_nested(&mut self, id: Option<&str>) -> Vec<Call> {
        self.nested.remove(&id.map(ToOwned::to_owned)).unwrap_or_default()
    }
}

fn tool_event(mut event: JsonObject, spans: &EventSpans) -> Option<ToolEvent> {
    let [start, end] = ["timestamp", "completed"].map(|name| nanos(&event.text(&[name]).ok()??));
    let start = start?;
    let agent_path = spans.agents_around(event.text(&["span_id"]).ok()?.as_deref());
    let arguments = event.arguments("arguments");
    let name = event.string(&["function"]).ok()??;
    let id = event.string(&["id"]).ok()?;
    let call = with_result(Call { id, agent_path, ..Call::new(name, arguments, 0) }, event);
    Some(ToolEvent { start, end, call })
}

/// The tree of spans: each span by its id, with the id of its parent.
#[derive(Debug, Default)]
struct EventSpans {
    spans: HashMap<String, EventSpan>,
}

#[derive(Debug)]
struct EventSpan {
    parent: Option<String>,
    /// The name of the agent, if the span is one.
    agent: Option<String>,
    is_tool: bool,
}

impl EventSpans {
    fn add(&mut self, mut event: JsonObject) {
        let [id, parent, kind, name] =
            ["id", "parent_id", "type", "name"].map(|key| event.string(&[key]).ok().flatten());
        let Some(id) = id else { return };
        let kind = kind.unwrap_or_default();
        let agent = name.filter(|_| kind == "agent");
        self.spans.insert(id, EventSpan { parent, agent, is_tool: kind == "tool" });
    }

    /// Returns the agents inside of tools around a span, outermost first.
    fn agents_around(&self, span: Option<&str>) -> Vec<String> {
        let mut path = Vec::new();
        // The walk goes outwards. Agents are pending until a tool is met around them: an agent outside of all tools is
        // the run itself and no part of the path.
        let mut pending = Vec::new();
        let mut at = span.and_then(|id| self.spans.get(id));
        // Spans of a damaged log may be their own parents, so the walk has a limit.
        for _ in 0..DEPTH {
            let Some(span) = at else { break };
            pending.extend(span.agent.clone());
            if span.is_tool {
                path.append(&mut pending);
            }
            at = span.parent.as_deref().and_then(|id| self.spans.get(id));
        }
        path.reverse();
        path
    }
}

//! The tree of the spans of one trace, which decides which agent made which call.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use crate::reader::formats::otel::chat_messages;
use crate::reader::formats::otel::figures::{stop_reason, usage};
use crate::reader::formats::otel::span::OtelSpan;
use crate::reader::formats::otel::tool::{MCP_TOOL, tool_name};

/// The most ancestors of a span that are followed: more than any agent nests, and an end for cycles of parents.
const DEPTH: usize = 64;

/// The operation that a span records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SpanKind {
    Model,
    Tool,
    Agent,
    Other,
}

/// The attributes in which the vocabularies keep the kind of a span.
const KIND_NAMES: [&str; 5] = [
    "gen_ai.operation.name",
    "openinference.span.kind",
    "traceloop.span.kind",
    "llm.request.type",
    "langfuse.observation.type",
];

pub(super) fn kind(span: &OtelSpan) -> SpanKind {
    let kinds = KIND_NAMES.iter().filter_map(|name| span.text(&[name])).map(|word| match word {
        "chat" | "generate_content" | "text_completion" | "call_llm" | "LLM" | "completion"
        | "generation" => SpanKind::Model,
        "execute_tool" | "TOOL" | "tool" => SpanKind::Tool,
        "invoke_agent" | "AGENT" | "agent" => SpanKind::Agent,
        _ => SpanKind::Other,
    });
    // Several attributes may name the kind, and one of them may say something unknown.
    let kind = kinds.into_iter().find(|kind| *kind != SpanKind::Other).unwrap_or_else(|| implied(span));
    if kind == SpanKind::Tool && is_no_call(tool_name(span)) { SpanKind::Other } else { kind }
}

/// What each vocabulary calls spans that call no tool; the names differ in their case.
const WITHOUT_CALLS: [&str; 30] = [
    "chain",
    "span",
    "event",
    "retriever",
    "retrieval",
    "embedding",
    "embeddings",
    "reranker",
    "rerank",
    "guardrail",
    "evaluator",
    "prompt",
    "unknown",
    "workflow",
    "task",
    "session",
    "create_agent",
    "execute_task",
    "execute_event_loop_cycle",
    "invoke_workflow",
    "handoff",
    "tool",
    "plan",
    "create_memory",
    "create_memory_store",
    "delete_memory",
    "delete_memory_store",
    "search_memory",
    "update_memory",
    "upsert_memory",
];

/// Returns the kind of a span that no vocabulary knows and that may record a call.
pub(crate) fn find_unknown_kind<'s>(span: &'s OtelSpan) -> Option<&'s str> {
    let word = KIND_NAMES.iter().find_map(|name| span.text(&[name]));
    match word {
        Some(word) => Some(word).filter(|word| !WITHOUT_CALLS.contains(&word.to_ascii_lowercase().as_str())),
        None => [
            "llm.output_messages.",
            "llm.model_name",
            "tool.name",
            "gen_ai.output.messages",
            "gen_ai.completion.",
            "langfuse.observation.output",
        ]
        .into_iter()
        .find(|prefix| span.below(prefix).next().is_some()),
    }
}

/// Whether a span, or one that contradicts it, records what an agent, its model or a tool did.
pub(crate) fn is_of_an_agent(span: &OtelSpan) -> bool {
    kind(span) != SpanKind::Other
        || find_unknown_kind(span).is_some()
        || span.contradicting.iter().any(is_of_an_agent)
}

/// Whether the span of a tool records no call of its own: a handoff, or several tools together.
fn is_no_call(tool: &str) -> bool {
    tool.starts_with("handoff to ") || tool == "(merged tools)"
}

/// Returns the kind that the attributes imply. Early versions of some libraries name no operation.
fn implied(span: &OtelSpan) -> SpanKind {
    let has = |name: &str| span.text(&[name]).is_some();
    // From the most special attribute to the most general: a span of a model may name the agent, too.
    if has("gcp.vertex.agent.llm_response") {
        SpanKind::Model
    } else if has("gen_ai.tool.name") || has(MCP_TOOL) {
        SpanKind::Tool
    } else if has("pydantic_ai.all_messages") || has("agent_name") {
        SpanKind::Agent
    } else {
        SpanKind::Other
    }
}

/// The position of a span among the others.
#[derive(Debug, Default)]
pub(crate) struct Standing {
    /// The agents inside of tools that the span belongs to, outermost first.
    pub(crate) path: Vec<String>,
    /// The agent that the span belongs to.
    pub(crate) agent: Option<String>,
    /// The nearest enclosing agent, or tool with a model inside.
    pub(crate) scope: Option<usize>,
    /// Whether another span records the same operation, because two libraries did.
    pub(crate) repeats: bool,
}

/// The spans of one trace, in the order in which they began.
pub(crate) struct Spans<'t> {
    pub(crate) all: Vec<OtelSpan<'t>>,
    pub(crate) kinds: Vec<SpanKind>,
    by_id: HashMap<String, usize>,
    /// Agents that ran inside of a tool, found by their times alone, and that tool.
    inside: HashMap<usize, usize>,
    /// Spans that repeat another span with more content.
    twice: HashSet<usize>,
}

impl<'t> Spans<'t> {
    pub(crate) fn of(all: Vec<OtelSpan<'t>>) -> Self {
        let kinds = all.iter().map(kind).collect();
        let by_id = all.iter().enumerate().map(|(place, span)| (span.id.to_string(), place)).collect();
        let mut spans = Self { all, kinds, by_id, inside: HashMap::new(), twice: HashSet::new() };
        let agents = (0..spans.all.len()).filter_map(|place| Some((place, spans.tool_around(place)?)));
        spans.inside = agents.collect();
        let said = vec![OnceCell::new(); spans.all.len()];
        spans.twice = (0..spans.all.len()).filter_map(|place| spans.told_twice(place, &said)).collect();
        spans.merge_repeated();
        spans
    }

    /// Merges each span into the enclosing span that records the same operation. Two libraries recorded it, and the outer
    /// one may have recorded less.
    fn merge_repeated(&mut self) {
        // From the last span to the first: inner spans begin later, so chains of three merge from the inside outwards.
        let repeated: Vec<(usize, usize)> =
            (0..self.all.len()).rev().filter_map(|place| Some((place, self.find_repeated(place)?))).collect();
        let mut merged = HashSet::new();
        for (inner, outer) in repeated {
            self.twice.insert(inner);
            // A span that is its own parent.
            let Ok([outer_span, inner_span]) = self.all.get_disjoint_mut([outer, inner]) else { continue };
            // Of several attempts, the last is what came of the operation.
            if merged.insert(outer) {
                outer_span.absorb_failure(inner_span);
            }
            if self.kinds[outer] == SpanKind::Tool || says_less(outer_span, inner_span) {
                outer_span.absorb_attributes(inner_span);
            }
        }
    }

    /// Finds the nearest enclosing span of the same operation, with no agent or other tool between them.
    fn find_repeated(&self, place: usize) -> Option<usize> {
        self.find_repeated_above(place).or_else(|| self.find_repeated_beside(place))
    }

    /// Finds the span of another library around this one of a model, with the same parent and the same tokens. A client that
    /// records its requests itself does not know of the span that its instrumentation opened.
    fn find_repeated_beside(&self, place: usize) -> Option<usize> {
        let span = &self.all[place];
        let end = span.end?;
        let tokens = usage(span)?;
        let is_same = |before: &usize| {
            let other = &self.all[*before];
            self.kinds[*before] == SpanKind::Model
                && other.parent == span.parent
                && other.is_of_other_library(span)
                && other.end.is_some_and(|around| around >= end)
                && usage(other) == Some(tokens)
        };
        let is_model = self.kinds[place] == SpanKind::Model;
        // Spans are sorted by their start, so only those before may be around; the limit keeps the search linear.
        (place.saturating_sub(DEPTH)..place).rev().filter(|_| is_model).find(is_same)
    }

    fn find_repeated_above(&self, place: usize) -> Option<usize> {
        for above in self.above(place) {
            if self.tells_the_same(above, place) {
                return Some(above);
            }
            // Behind an agent or a tool, the same operation is another call.
            if matches!(self.kinds[above], SpanKind::Agent | SpanKind::Tool) {
                return None;
            }
        }
        None
    }

    /// Returns the one with less content of two spans that overlap and have the same answer of a model. A client
    /// library and its instrumentation may both record a call. `said` keeps the number of messages that each span said.
    fn told_twice(&self, place: usize, said: &[OnceCell<usize>]) -> Option<usize> {
        let span = &self.all[place];
        let is_model = self.kinds[place] == SpanKind::Model;
        let id = span.text(&["gen_ai.response.id"]).filter(|_| is_model)?;
        let same = |before: &usize| {
            let other = &self.all[*before];
            let overlaps = other.end.is_some_and(|end| end > span.start);
            overlaps
                && self.kinds[*before] == SpanKind::Model
                && other.text(&["gen_ai.response.id"]) == Some(id)
        };
        // Spans are sorted by their start, so only those before may be around; the limit keeps the search linear.
        let before = (place.saturating_sub(DEPTH)..place).rev().find(same)?;
        let count = |place: usize| *said[place].get_or_init(|| chat_messages::output(&self.all[place]).len());
        let tells_more = count(place) > count(before);
        Some(if tells_more { before } else { place })
    }

    /// Finds the tool that ran an agent by their times. Traceloop makes each agent a child of the workflow, even an agent
    /// that a tool runs.
    fn tool_around(&self, agent: usize) -> Option<usize> {
        let span = &self.all[agent];
        let hangs_alone = self.kinds[agent] == SpanKind::Agent
            && span.text(&["traceloop.span.kind"]).is_some()
            && self.above(agent).all(|above| self.kinds[above] == SpanKind::Other);
        let end = span.end.filter(|_| hangs_alone)?;
        let is_around = |place: &usize| {
            self.kinds[*place] == SpanKind::Tool && self.all[*place].end.is_some_and(|after| after >= end)
        };
        // The nearest tool before the agent is the innermost.
        (agent.saturating_sub(DEPTH)..agent).rev().find(is_around)
    }

    /// Iterates over the enclosing spans, the nearest first.
    fn above(&self, place: usize) -> impl Iterator<Item = usize> {
        let parent = |place: &usize| {
            let inside = self.inside.get(place).copied();
            inside.or_else(|| self.by_id.get(self.all[*place].parent.as_deref()?).copied())
        };
        std::iter::successors(parent(&place), parent).take(DEPTH)
    }

    /// Finds the position of a span. Everything inside a tool is nested. A tool without an agent's span inside takes the
    /// place of its agent. An agent directly inside another agent speaks for it, as after a handoff.
    pub(crate) fn standing(&self, place: usize) -> Standing {
        // The walk goes outwards from the span and collects the names of agents. Only agents within a tool belong to
        // the path: at each tool everything so far is nested, so `inside` marks how much of the path counts, and the
        // rest is cut off at the end.
        let mut standing = Standing { repeats: self.twice.contains(&place), ..Standing::default() };
        let mut below = place;
        let mut in_agent = false;
        let mut inside = 0;
        for above in self.above(place) {
            match self.kinds[above] {
                SpanKind::Agent => {
                    let name = agent_name(&self.all[above]);
                    standing.agent.get_or_insert_with(|| name.clone());
                    if !in_agent || standing.path.last() != Some(&name) {
                        standing.path.push(name);
                    }
                    in_agent = true;
                }
                SpanKind::Tool => {
                    if !in_agent {
                        standing.path.push(self.name_inside(above, below));
                    }
                    in_agent = false;
                    inside = standing.path.len();
                }
                SpanKind::Model | SpanKind::Other => {
                    below = above;
                    continue;
                }
            }
            standing.scope = standing.scope.or(Some(above));
            below = above;
        }
        standing.path.truncate(inside);
        standing.path.reverse();
        standing
    }

    /// Returns the name of the operation inside a tool: a chain of its own, or the tool itself for its model.
    fn name_inside(&self, tool: usize, below: usize) -> String {
        match self.kinds[below] {
            SpanKind::Other => self.all[below].name.to_string(),
            _ => tool_name(&self.all[tool]).to_owned(),
        }
    }

    fn tells_the_same(&self, above: usize, place: usize) -> bool {
        match (self.kinds[above], self.kinds[place]) {
            (SpanKind::Model, SpanKind::Model) => true,
            (SpanKind::Tool, SpanKind::Tool) => {
                let outer = tool_name(&self.all[above]);
                let inner = tool_name(&self.all[place]);
                // The host's name of a tool ends with the name that the server gives it.
                outer == inner || self.all[place].text(&[MCP_TOOL]).is_some() && outer.ends_with(inner)
            }
            _ => false,
        }
    }

    /// Finds the outermost span, for runs in which OpenInference records no agent.
    pub(crate) fn find_root(&self) -> Option<&OtelSpan<'t>> {
        let is_root =
            |span: &&OtelSpan| span.parent.is_none() && span.get(&["openinference.span.kind"]).is_some();
        self.all.iter().find(is_root)
    }

    /// Finds the span around all others, if there is only one.
    pub(crate) fn find_outermost(&self) -> Option<&OtelSpan<'t>> {
        let mut roots = self
            .all
            .iter()
            .filter(|span| span.parent.as_deref().is_none_or(|parent| !self.by_id.contains_key(parent)));
        roots.next().filter(|_| roots.next().is_none())
    }

    /// Finds the agent that is the run: the first one that is not inside of another.
    pub(crate) fn top_agent(&self) -> Option<&OtelSpan<'t>> {
        let is_top = |place: &usize| self.above(*place).all(|above| self.kinds[above] != SpanKind::Agent);
        let agents = (0..self.all.len()).filter(|place| self.kinds[*place] == SpanKind::Agent);
        agents.into_iter().find(is_top).map(|place| &self.all[place])
    }
}

/// Whether the span of a model call lacks messages, tokens or the reason of its end that the inner span has.
fn says_less(outer: &OtelSpan, inner: &OtelSpan) -> bool {
    chat_messages::output(outer).is_empty() && !chat_messages::output(inner).is_empty()
        || usage(outer).is_none() && usage(inner).is_some()
        || stop_reason(outer).is_none() && stop_reason(inner).is_some()
}

/// Returns the name of the agent that a span records.
pub(crate) fn agent_name(span: &OtelSpan) -> String {
    let told = span.text(&[
        "gen_ai.agent.name",
        "agent.name",
        "agent_name",
        "graph.node.id",
        "traceloop.entity.name",
    ]);
    let name = span.name.strip_prefix("invoke_agent ").unwrap_or(&span.name);
    // OpenInference names a span after the method that it wraps.
    told.unwrap_or_else(|| name.strip_suffix(".run").unwrap_or(name)).to_owned()
}

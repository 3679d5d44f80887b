//! The session of one run of an agent: which request gets which reply, and what was exchanged.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex};

use super::cassette::Cassette;
use super::content::{ContentRules, RequestContent};
use super::difference::{differ_in_results, find_nearest, render_edits};
use super::exchange::{RecordedExchange, RecordedReply, RecordedRequest};
use super::incoming::IncomingReplies;
use super::provider::Provider;
use crate::case::ModelSettings;
use crate::source::lock;
use crate::workspace::PathNames;

/// The addresses of the providers, by provider.
pub type Upstreams = BTreeMap<Provider, String>;

/// The port's way to answer requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PortMode {
    /// Answers requests from the cassette. Nothing is sent.
    Replay,
    /// Answers recorded requests from the cassette, and forwards the others.
    Extend,
    /// Forwards all requests.
    Forward,
}

/// The receiver of the requests, whose replies are recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordedSubject {
    /// A model. Ids, and what is only about accounting, do not count in its requests.
    Model,
    /// An MCP server. Each argument of a call counts.
    McpServer,
}

/// How the requests of an agent are answered.
#[derive(Debug, Clone)]
pub struct SessionPlan {
    /// The way to answer requests.
    pub mode: PortMode,
    /// The receiver of the requests.
    pub subject: RecordedSubject,
    /// The settings of the agent.
    pub settings: Arc<ModelSettings>,
    /// The addresses to which requests are forwarded.
    pub upstreams: Arc<Upstreams>,
    /// The recorded exchanges.
    pub cassette: Arc<Cassette>,
    /// The names of the run's scratch folders in recordings.
    pub paths: PathNames,
}

impl SessionPlan {
    /// Plans the answers of a recorded MCP server. Its requests have no settings and no address to forward to.
    #[cfg(feature = "mocks")]
    pub fn for_mcp_server(mode: PortMode, cassette: Cassette) -> Self {
        Self {
            mode,
            subject: RecordedSubject::McpServer,
            settings: Arc::default(),
            upstreams: Arc::default(),
            cassette: Arc::new(cassette),
            paths: PathNames::default(),
        }
    }

    /// Returns the addresses to forward to: of the settings, or else of the variables that clients read, or else the usual.
    pub fn find_upstreams(settings: &ModelSettings, variable: impl Fn(&str) -> Option<String>) -> Upstreams {
        let found = Provider::ALL.into_iter().filter_map(|provider| {
            let (name, usual) = provider.find_addresses();
            let set = settings.upstream.get(provider.name()).cloned().or_else(|| variable(name));
            let address = set.or_else(|| usual.map(str::to_owned))?;
            // Clients accept an address without a scheme, and so does this.
            let address = if address.contains("://") { address } else { format!("http://{address}") };
            Some((provider, provider.trim_address(&address).to_owned()))
        });
        found.collect()
    }
}

/// A request without a recorded reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissedRequest {
    /// The request, and how it differs from the nearest recorded one.
    pub message: String,
    /// It differs only in what tools answered, which another recording cannot settle.
    pub differs_in_results: bool,
}

/// The outcome of a session.
#[derive(Debug, Default)]
pub struct PortOutcome {
    /// The exchanges, in the order of their requests.
    pub exchanges: Vec<Arc<RecordedExchange>>,
    /// The requests without a recorded reply.
    pub misses: Vec<MissedRequest>,
    /// The number of requests that were forwarded.
    pub forwarded: usize,
    /// The number of recorded exchanges that no request used.
    pub unused: usize,
    /// The name of the cassette.
    pub cassette: String,
    /// The values of keys that the agent sent.
    pub keys: Vec<String>,
    /// Why an exchange cannot be recorded.
    pub unrecordable: Option<String>,
    /// How the last request failed that its provider refused, or did not answer.
    pub failure: Option<String>,
}

/// The answer to one request.
pub enum PortAnswer {
    /// Send the reply of this exchange.
    Recorded(Arc<RecordedExchange>),
    /// Forward the request; the number is for [`PortSession::keep_reply`].
    Forward(usize),
    /// Refuse the request with this message.
    Refused(String),
}

/// The session of one run.
#[derive(Debug)]
pub struct PortSession {
    pub(super) plan: SessionPlan,
    rules: ContentRules,
    recorded: Vec<RequestContent>,
    state: Mutex<SessionState>,
    pub(super) incoming: IncomingReplies,
}

#[derive(Debug, Default)]
struct SessionState {
    /// The recorded exchanges that no request has used, by the content of their requests.
    waiting: HashMap<String, VecDeque<usize>>,
    /// The last exchange that was used, by content.
    last: HashMap<String, usize>,
    /// The exchanges of this run. An exchange that has not ended has no entry yet.
    exchanges: Vec<Option<Arc<RecordedExchange>>>,
    requests: usize,
    outcome: PortOutcome,
}

impl PortSession {
    /// Begins the session of a run.
    pub fn new(plan: SessionPlan) -> Self {
        let rules = match plan.subject {
            RecordedSubject::Model => ContentRules::new(&plan.settings),
            RecordedSubject::McpServer => ContentRules::literal(),
        };
        // In this mode the recorded replies are replaced, not used.
        let exchanges = if plan.mode == PortMode::Forward { &[] } else { plan.cassette.exchanges.as_slice() };
        let recorded: Vec<RequestContent> =
            exchanges.iter().map(|exchange| rules.reduce(&exchange.request)).collect();
        // Equal requests wait in a queue: the first of them gets the first recorded reply, the second the next one.
        let mut state = SessionState::default();
        for (index, content) in recorded.iter().enumerate() {
            state.waiting.entry(content.key()).or_default().push_back(index);
        }
        Self { plan, rules, recorded, state: Mutex::new(state), incoming: IncomingReplies::default() }
    }

    /// Decides what to do with a request.
    pub fn answer(&self, request: &RecordedRequest) -> PortAnswer {
        // Agents write their folder into their prompts, and it is another one in each run.
        let request = &request.clone().rename(&self.plan.paths);
        let content = self.rules.reduce(request);
        let key = content.key();
        let mut state = lock(&self.state);
        state.requests += 1;
        // A recorded reply comes first in every mode that has one; only then a replay refuses, and a recording forwards.
        // Clients list the tools of a server as often as they like.
        let lists = self.plan.subject == RecordedSubject::McpServer && request.method != "tools/call";
        if let Some(index) = state.take_recorded(&key, lists || self.plan.settings.reuse) {
            let exchange = &self.plan.cassette.exchanges[index];
            state.exchanges.push(Some(Arc::clone(exchange)));
            return PortAnswer::Recorded(RecordedExchange::restore(exchange, &self.plan.paths));
        }
        if self.plan.mode == PortMode::Replay {
            let missed = self.describe_miss(request, &content, &state);
            let message = missed.message.clone();
            state.outcome.misses.push(missed);
            return PortAnswer::Refused(message);
        }
        state.outcome.forwarded += 1;
        // The place is reserved now, because replies can end in another order than their requests began.
        state.exchanges.push(None);
        PortAnswer::Forward(state.exchanges.len() - 1)
    }

    /// Notes a value that must not get into a cassette.
    pub(super) fn note_key(&self, value: &str) {
        let mut state = lock(&self.state);
        if !state.outcome.keys.iter().any(|known| known == value) {
            state.outcome.keys.push(value.to_owned());
        }
    }

    /// Keeps a reply that has ended; `cut` if it was the client who ended it.
    pub(super) fn end_reply(&self, number: usize, cut: bool) {
        if let Some(reply) = self.incoming.take(number) {
            let (request, reply) = reply.end(cut);
            self.keep_reply(number, request, reply);
        }
    }

    /// Notes that a provider has refused a request, or has given no reply.
    pub(super) fn note_failure(&self, problem: String) {
        lock(&self.state).outcome.failure = Some(problem);
    }

    /// Keeps the reply to a forwarded request. A reply that a client repeats its request for is not part of the recording.
    pub fn keep_reply(&self, number: usize, request: RecordedRequest, reply: Option<RecordedReply>) {
        let mut state = lock(&self.state);
        match reply {
            // A temporary failure is repeated by the client, so a replay needs only the reply that ended the attempts.
            Some(reply) if reply.is_passing() || reply.is_useless() => {}
            Some(response) => {
                // The session may have ended meanwhile.
                if let Some(exchange) = state.exchanges.get_mut(number) {
                    let paths = &self.plan.paths;
                    let renamed =
                        RecordedExchange { request: request.rename(paths), response: response.rename(paths) };
                    *exchange = Some(Arc::new(renamed));
                }
            }
            None => {
                let target = format!("{} {}", request.method, request.path);
                state.outcome.unrecordable = Some(format!("the reply to {target} is not text"));
            }
        }
    }

    /// Ends the session. Requests that come later are part of no recording. Of a reply that has not ended, the agent has used
    /// what has come.
    pub fn finish(&self) -> PortOutcome {
        for (number, reply) in self.incoming.take_all() {
            let (request, reply) = reply.end(true);
            self.keep_reply(number, request, reply);
        }
        let mut state = lock(&self.state);
        let mut outcome = std::mem::take(&mut state.outcome);
        outcome.exchanges = std::mem::take(&mut state.exchanges).into_iter().flatten().collect();
        // Only requests of the agent take an exchange, so those that still wait were never asked for.
        outcome.unused = state.waiting.values().map(VecDeque::len).sum();
        outcome.cassette.clone_from(&self.plan.cassette.name);
        outcome
    }

    fn describe_miss(
        &self,
        request: &RecordedRequest,
        content: &RequestContent,
        state: &SessionState,
    ) -> MissedRequest {
        let subject = match self.plan.subject {
            RecordedSubject::Model => "model",
            RecordedSubject::McpServer => "server",
        };
        let what =
            format!("request {} to the {subject}, {} {}", state.requests, request.method, request.path);
        let what = what.trim_end();
        let name = &self.plan.cassette.name;
        // The content is known, and all its replies are used up. The nearest request would be the same one.
        if state.last.contains_key(&content.key()) {
            let help = match self.plan.subject {
                RecordedSubject::Model => "; `reuse: true` repeats the last reply",
                RecordedSubject::McpServer => "",
            };
            let message = format!("{what}, is recorded less often than the agent sends it{help}");
            return MissedRequest { message, differs_in_results: false };
        }
        let Some((index, edits)) = find_nearest(&self.recorded, content) else {
            let message = format!("{what}, is not recorded: {name} is empty");
            return MissedRequest { message, differs_in_results: false };
        };
        let place = format!("the nearest is line {} of {name}", index + 1);
        MissedRequest {
            message: format!("{what}, is not recorded; {place}:{}", render_edits(&edits)),
            differs_in_results: differ_in_results(&edits),
        }
    }
}

impl SessionState {
    /// Takes the next recorded exchange with this content. After the last one, `reuse` gives it again.
    fn take_recorded(&mut self, key: &str, reuse: bool) -> Option<usize> {
        // Each recorded reply is used once, in the order of the recording.
        if let Some(index) = self.waiting.get_mut(key).and_then(VecDeque::pop_front) {
            self.last.insert(key.to_owned(), index);
            return Some(index);
        }
        self.last.get(key).copied().filter(|_| reuse)
    }
}

#[cfg(test)]
mod tests {
    use crate::json::json;

    use super::*;

    fn request(text: &str) -> RecordedRequest {
        let body = json!({"model": "m", "messages": [{"role": "user", "content": text}]});
        RecordedRequest::new("openai", "POST", "/v1/chat/completions", None, body.to_string().as_bytes())
    }

    fn session(mode: PortMode, reuse: bool, texts: &[(&str, &str)]) -> PortSession {
        let exchanges = texts.iter().map(|(text, reply)| RecordedExchange {
            request: request(text),
            response: RecordedReply {
                status: 200,
                text: Some((*reply).to_owned()),
                ..RecordedReply::default()
            },
        });
        let cassette =
            Cassette { name: "a.model.jsonl".to_owned(), exchanges: exchanges.map(Arc::new).collect() };
        PortSession::new(SessionPlan {
            mode,
            subject: RecordedSubject::Model,
            settings: Arc::new(ModelSettings { reuse, ..ModelSettings::default() }),
            upstreams: Arc::default(),
            cassette: Arc::new(cassette),
            paths: PathNames::default(),
        })
    }

    fn ask(session: &PortSession, text: &str) -> String {
        match session.answer(&request(text)) {
            PortAnswer::Recorded(exchange) => exchange.response.text.clone().unwrap_or_default(),
            PortAnswer::Forward(number) => format!("forward {number}"),
            PortAnswer::Refused(message) => message,
        }
    }

    #[test]
    fn equal_requests_get_their_replies_in_order_and_others_by_content() {
        let replay = session(PortMode::Replay, false, &[("a", "1"), ("b", "2"), ("a", "3")]);
        assert_eq!(["b", "a", "a"].map(|text| ask(&replay, text)), ["2", "1", "3"]);
        assert!(ask(&replay, "a").contains("is recorded less often than the agent sends it"));
        assert_eq!(replay.finish().misses.len(), 1);
        let reused = session(PortMode::Replay, true, &[("a", "1"), ("a", "2")]);
        assert_eq!(["a", "a", "a"].map(|text| ask(&reused, text)), ["1", "2", "2"]);
    }

    #[test]
    fn a_miss_names_the_nearest_request_and_the_edits() {
        let replay = session(PortMode::Replay, false, &[("order 7", "1")]);
        assert_eq!(
            ask(&replay, "order 8"),
            "request 1 to the model, POST /v1/chat/completions, is not recorded; the nearest is line 1 of \
             a.model.jsonl:\n  message 1, user message: \"order 7\" -> \"order 8\""
        );
        let outcome = replay.finish();
        assert_eq!((outcome.misses.len(), outcome.unused), (1, 1));
    }

    #[test]
    fn recording_forwards_only_what_is_not_recorded_and_keeps_what_was_used() {
        let record = session(PortMode::Extend, false, &[("a", "1"), ("old", "2")]);
        assert_eq!(["a", "new"].map(|text| ask(&record, text)), ["1", "forward 1"]);
        let reply = RecordedReply { status: 200, text: Some("3".to_owned()), ..RecordedReply::default() };
        record.keep_reply(1, request("new"), Some(reply));
        let outcome = record.finish();
        let texts: Vec<_> =
            outcome.exchanges.iter().map(|exchange| exchange.response.text.as_deref()).collect();
        assert_eq!(texts, [Some("1"), Some("3")]);
        assert_eq!((outcome.forwarded, outcome.unused), (1, 1));
    }

    #[test]
    fn a_reply_that_clients_repeat_their_request_for_is_not_recorded() {
        let record = session(PortMode::Forward, false, &[]);
        for (status, text) in [(429, "slow down"), (500, "broken"), (200, "fine")] {
            assert!(ask(&record, "a").starts_with("forward"));
            let reply = RecordedReply { status, text: Some(text.to_owned()), ..RecordedReply::default() };
            let number = lock(&record.state).exchanges.len() - 1;
            record.keep_reply(number, request("a"), Some(reply));
        }
        let outcome = record.finish();
        assert_eq!((outcome.exchanges.len(), outcome.forwarded), (1, 3));
    }
}

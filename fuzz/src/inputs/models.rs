//! The model port: the requests of an agent, answered by recorded exchanges.

use std::sync::Arc;

use arraign::__internals::case::ModelSettings;
use arraign::__internals::model::{
    Cassette, PortMode, PortSession, RecordedRequest, RecordedSubject, SessionPlan, render_exchanges,
};

use super::split_parts;

/// The first part is a file of exchanges, the second a request. A cassette reads back as it is written.
pub(crate) fn answer_request(text: &str) {
    let (exchanges, request) =
        split_parts(text, "{\"to\": \"openai\", \"method\": \"POST\", \"path\": \"/v1/chat/completions\"}");
    let Ok(cassette) = Cassette::parse("fuzzed.model.jsonl", exchanges) else { return };
    let written = render_exchanges(&cassette.exchanges);
    assert_eq!(Cassette::parse("fuzzed.model.jsonl", &written).as_ref(), Ok(&cassette));
    let requests = serde_json::from_str::<RecordedRequest>(request).into_iter();
    let requests: Vec<RecordedRequest> =
        requests.chain(cassette.exchanges.iter().map(|exchange| exchange.request.clone())).collect();
    let cassette = Arc::new(cassette);
    for subject in [RecordedSubject::Model, RecordedSubject::McpServer] {
        let session = PortSession::new(SessionPlan {
            mode: PortMode::Replay,
            subject,
            settings: Arc::new(ModelSettings {
                ignore: vec!["/metadata".to_owned()],
                ..ModelSettings::default()
            }),
            upstreams: Arc::default(),
            cassette: Arc::clone(&cassette),
            paths: Default::default(),
        });
        for request in &requests {
            let _ = session.answer(request);
        }
        assert!(session.finish().misses.len() <= requests.len());
    }
}

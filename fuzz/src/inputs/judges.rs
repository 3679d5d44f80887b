//! The replies of a judge, and its recorded opinions.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use arraign::__internals::case::TraceFrom;
use arraign::__internals::judge::{AskedQuestion, JudgeMode, JudgePool, JudgeSession, Questionnaire};
use arraign::__internals::source::Files;
use arraign::judge::{AnswerForm, Judge, JudgeAnswer, JudgeError, JudgeRequest};
use arraign::{Case, Evidence, Harness, Trace};
use serde_json::{Map, Value, json};

/// A case that asks for a pass or a fail, for a score, and for claims.
const SUITE: &str = r#"
id: fuzzed
input: Where is order 7?
trace: {calls: [{call: get_order, args: {id: 7}, result: {carrier: UPS}}], answer: It is with UPS.}
expected: {tools: [get_order]}
thresholds: {min_score: 80}
eval: {agent_assertions: [{label: carrier, prompt: "Does the answer name the carrier?"}]}
checks: {hallucination: true, safety: true}
"#;

/// The file of the case, and the folder of its cassettes, below the root of a project.
const FILE: &str = "evals/fuzzed.yaml";

/// The questions of the case, and its cassette.
struct Recorded {
    case: Arc<Case>,
    trace: Trace,
    questionnaire: Questionnaire,
    /// The path of the cassette below the root of its project.
    path: PathBuf,
    key: String,
}

/// Parses a reply, in which `CODE` stands for the code of the request.
pub(crate) fn parse_reply(text: &str) {
    let questionnaire = &recorded().questionnaire;
    let _ = questionnaire.parse_reply(&text.replace("CODE", questionnaire.nonce()));
}

/// Replays a cassette, in which `KEY` stands for the key of the request.
pub(crate) fn replay_cassette(text: &str) {
    let recorded = recorded();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(&recorded.path);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(&path, text.replace("KEY", &recorded.key)).expect("a file");
    let judge = JudgePool::new(JudgeMode::Replay, Some(Arc::new(answer_nothing)), |_| None);
    collect_opinions(&judge, &recorded.case, &recorded.trace, folder.path());
}

/// Records the opinions on the case once, to learn the name and the key of its cassette.
fn recorded() -> &'static Recorded {
    static RECORDED: OnceLock<Recorded> = OnceLock::new();
    RECORDED.get_or_init(|| {
        let case = Harness::new("evals").parse(SUITE).expect("a case").cases.remove(0);
        let TraceFrom::Inline(trace) = &case.trace else { panic!("an inline trace") };
        let trace = Trace::clone(trace);
        // The code of a request depends on the input, too.
        let asked = Evidence::of(&trace).asked(case.input.as_ref().and_then(arraign::Json::as_str));
        let questionnaire = Questionnaire::for_case(&case, &asked);
        let questionnaire = questionnaire.expect("questions").expect("questions");
        let folder = tempfile::tempdir().expect("a folder");
        let judge = JudgePool::new(JudgeMode::Record, Some(Arc::new(answer_all(&questionnaire))), |_| None);
        let path = collect_opinions(&judge, &case, &trace, folder.path()).expect("a cassette");
        let cassette: Value = serde_json::from_slice(&fs::read(&path).expect("a cassette")).expect("JSON");
        let key = cassette["key"].as_str().expect("a key").to_owned();
        let path = path.strip_prefix(folder.path()).expect("below the root").to_owned();
        Recorded { case, trace, questionnaire, path, key }
    })
}

/// Collects the opinions on the case in a project at `root`. Returns the cassette that was used.
fn collect_opinions(pool: &JudgePool, case: &Case, trace: &Trace, root: &Path) -> Option<PathBuf> {
    let (files, file) = (Files::new(root, root), root.join(FILE));
    let evidence = Evidence::of(trace).asked(case.input.as_ref().and_then(arraign::Json::as_str));
    let _ = JudgeSession::new(pool, &files, &file, String::new()).collect_opinions(case, &evidence);
    pool.used_cassettes().into_values().flatten().next()
}

/// A judge that is satisfied with everything, and is not taken in by control questions.
fn answer_all(questionnaire: &Questionnaire) -> impl Judge + use<> {
    let mut reply = Map::from_iter([("code".to_owned(), Value::from(questionnaire.nonce()))]);
    for AskedQuestion { id, label, form, .. } in questionnaire.asked() {
        let answer = match form {
            AnswerForm::PassOrFail => json!({"reason": "", "pass": label.is_some()}),
            AnswerForm::Score => json!({"reason": "", "score": if label.is_some() { 90 } else { 0 }}),
            AnswerForm::Claims => json!({"reason": "", "claims": [{"claim": "with UPS", "supported": true}]}),
        };
        reply.insert(id.clone(), answer);
    }
    let reply = Value::Object(reply).to_string();
    move |_: &JudgeRequest| Ok(JudgeAnswer::new(reply.clone()))
}

fn answer_nothing(_: &JudgeRequest) -> Result<JudgeAnswer, JudgeError> {
    Err(JudgeError::Failed("a replay asks nobody".to_owned()))
}

//! No output shows more than four characters of a secret, whatever its shape, wherever it is.

use std::time::UNIX_EPOCH;

use arraign::__internals::judge::Questionnaire;
use arraign::__internals::report::block::render_case_block;
use arraign::__internals::report::terminal::render_red_trial;
use arraign::__internals::report::{FORMATS, RunInfo};
use arraign::__internals::secrets::mask_run;
use arraign::__internals::verdict::summary::Selection;
use arraign::json::{self, Json, json};
use arraign::reader::to_native;
use arraign::trace::{Arguments, Call, CallStatus, Message, Role, Trace};
use arraign::verdict::Verdict;
use arraign::{Case, Evidence, Harness, evaluate};

/// Checks that fail on each run of this file, and quote its texts: the beginning, the end, a place, a value, all of it.
const CASE: &str = r"
eval:
  agent_assertions:
    - label: polite
      prompt: Is it polite?
      context: {include_prompt: true, include_tool_inputs: true}
expect:
  - contains: NEVER
  - equals: NEVER
  - regex: NEVER
  - starts_with: NEVER
  - ends_with: NEVER
  - not_contains: answer
  - not_regex: '\w+ is'
  - forbidden_substrings: [here]
  - refusal: {}
  - completeness: {expected_fields: [NEVER]}
  - json_schema: {schema: {type: object}}
  - jsonpath_exists: $.never
  - tool_input: {tool: look, type: contains, value: NEVER}
  - tool_input: {tool: look, type: jsonpath, path: $.note, equals: NEVER}
  - tool_input: {tool: look, type: jsonpath, path: $.login.password, equals: NEVER}
  - tool_blocklist: [look]
  - no_pii: {}
  - grounded: {from: [prompt], claims: true}
  - tool_output_valid: {schemas: {look: {additionalProperties: {type: integer}}}}

";

/// A text with a secret in it, and the part of the text that no output may show.
struct SecretSample {
    text: String,
    secret: String,
}

/// Characters without an order that repeats, of which no five occur in another text.
fn fill_random(alphabet: &str, length: usize, seed: usize) -> String {
    let characters: Vec<char> = alphabet.chars().collect();
    let mut state = seed as u64 * 7919 + 12_345;
    let next = |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        characters[usize::try_from(state >> 33).unwrap_or_default() % characters.len()]
    };
    (0..length).map(next).collect()
}

/// Each pattern is a shape: `A` stands for 10 characters of letters and digits, `H` for 8 of hexadecimal digits, `C` for 10
/// capitals, `N` for 10 digits; everything else is itself.
const SHAPES: &[&str] = &[
    "~sk-|AAAA",
    "~sk-proj-|AAAAAAA",
    "~sk-ant-api03-|AAAAAAAAA",
    "~sk_live_|AAA",
    "~AKIA|CC",
    "~ghp_|AAAA",
    "~github_pat_|AAAAAAAA",
    "~glpat-|AAA",
    "~xoxb-|AAAAA",
    "~xapp-1-|AAAAA",
    "~https://hooks.slack.com/services/T0000/B0000/|AAA",
    "~https://discord.com/api/webhooks/1234567890/|AAAAAA",
    "~AIza|AAAA",
    "~ya29.|AAAAA",
    "~npm_|AAAA",
    "~pypi-AgEIcHlwaS5vcmc|AAAAAA",
    "~hf_|AAAA",
    "~gsk_|AAAAA",
    "~xai-|AAAAAAAA",
    "~pplx-|AAAAA",
    "~r8_|AAAA",
    "~dapi|HHHH",
    "~SG.|AA.AAAA",
    "~SK|HHHH",
    "~hvs.|AAAAAAAAA",
    "~dop_v1_|HHHHHHHH",
    "~shpat_|HHHH",
    "~lin_api_|AAAA",
    "~ntn_|AAAAA",
    "~1234567890:AA|AAA0aB",
    "~M|AAa0b.c1D2e3.AAA",
    "~AGE-SECRET-KEY-1|CCCCCC",
    "~eyJ|AAA.eyJAAA.AAAA",
    "~postgres://ada:|A~@db.example:5432/shop",
    "~https://ada:|A~@host.example/x",
    "~GET /v1?api_key=|AA~&page=2",
    "~https://s3.example/f?X-Amz-Signature=|HHHHHHHH~&x=1",
    "~Authorization: Bearer |AAA",
    "~Authorization: Basic |aB1cAAA==",
    "~password: |A",
    "~DB_PASSWORD=|A",
    "~aws_secret_access_key=|AAAA",
    "~AccountKey=|AAAAAAAA==~;EndpointSuffix=x",
    "~{\"client_secret\": \"|AA~\"}",
    "~Cookie: sid=|AAA",
    "~-----BEGIN RSA PRIVATE KEY-----\n|AAAAAA\nAAAAAA\nAA==~\n-----END RSA PRIVATE KEY-----",
    "~-----BEGIN OPENSSH PRIVATE KEY-----\\n|AAAAAA\\nAAAAAA~\\n-----END OPENSSH PRIVATE KEY-----",
    "~-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n|AAAAAA\nAAAAAA~\n-----END PGP PRIVATE KEY BLOCK-----",
    "~-----BEGIN PRIVATE KEY-----\n|AAAAAA\nAAAAAA",
    "|AAAAAA\nAAAAAA~\n-----END PRIVATE KEY-----",
    "~tvly-dev-|AAAA",
    "~ghp%5F|AAAA",
    "~\\u0067hp_|AAAA",
    "~ghp_\u{200b}|AAAA",
    "~DB_PASS=|A",
    "~mysql --password |A~ shop",
    "~curl -u admin:|A~ https://host.example/x",
    "~{\"name\":\"DB_PASSWORD\",\"value\":\"|A~\"}",
    "~<password>|A~</password>",
    "~machine host.example login ada password |A",
    "~**Password:** |A",
    "~Passwort: |A",
    "~login with password |aA",
];

fn build_sample(shape: &str, seed: usize) -> SecretSample {
    const LETTERS: &str = "qwzxjkvbQWZXJKVB0123456789";
    let mut text = String::new();
    let mut secret = String::new();
    let mut is_secret = false;
    for (at, c) in shape.chars().enumerate() {
        let seed = seed * 100 + at;
        let piece = match c {
            '|' | '~' => {
                is_secret = c == '|';
                continue;
            }
            'A' if is_secret => fill_random(LETTERS, 9, seed) + "7",
            'C' if is_secret => fill_random("QWZXJKVB23456789", 9, seed) + "7",
            'H' if is_secret => fill_random("0123456789abcdef", 8, seed),
            c => c.to_string(),
        };
        text += &piece;
        if is_secret {
            secret += &piece;
        }
    }
    SecretSample { text, secret }
}

fn list_samples(seed: usize) -> Vec<SecretSample> {
    SHAPES.iter().enumerate().map(|(at, shape)| build_sample(shape, seed + at)).collect()
}

/// Puts a text into one field of a run.
type PlaceText = fn(&mut Trace, String);

/// All fields of a run that contain texts.
const FIELDS: &[(&str, PlaceText)] = &[
    ("answer", |run, text| run.answer = Some(text)),
    ("answer_reasoning", |run, text| run.answer_reasoning = Some(text)),
    ("reasoning", |run, text| {
        let thought = Message::new(Role::Assistant, "", 0);
        run.messages.insert(0, Message { reasoning: Some(text), ..thought });
    }),
    ("input", |run, text| run.input = Some(text)),
    ("id", |run, text| run.id = Some(text)),
    ("agent", |run, text| run.agent = Some(text)),
    ("model", |run, text| run.model = Some(text)),
    ("stop_reason", |run, text| run.stop_reason = Some(text)),
    ("message", |run, text| {
        run.messages.insert(0, Message::new(Role::User, text, 0));
    }),
    ("argument", |run, text| run.calls[0].arguments = Arguments::Json(json!({ "note": text }))),
    ("nested argument", |run, text| {
        run.calls[0].arguments = Arguments::Json(json!({"a": [{"b": json!({ "note": text }).to_string()}]}));
    }),
    ("name of an argument", |run, text| run.calls[0].arguments = Arguments::Json(json!({ text: 1 }))),
    ("broken arguments", |run, raw| {
        run.calls[0].arguments = Arguments::Broken { raw, error: "no JSON".to_owned() };
    }),
    ("result", |run, text| run.calls[0].result = Some(Json::String(text.into()))),
    ("nested result", |run, text| run.calls[0].result = Some(json!({"rows": [{ "cell": text }]}))),
    ("error", |run, text| {
        (run.calls[0].error, run.calls[0].status) = (Some(text), CallStatus::Error);
    }),
    ("id of a call", |run, text| run.calls[0].id = Some(text)),
];

fn build_run() -> Trace {
    let mut run = Trace { answer: Some("The answer is here.".to_owned()), ..Trace::default() };
    let call = Call::new("look", Arguments::Json(json!({"note": "nothing"})), 1);
    run.push_call(Call { result: Some(json!({"found": "nothing"})), status: CallStatus::Ok, ..call });
    run
}

/// Returns the text around the first five characters of `secret` that `output` shows.
fn find_leak<'o>(output: &'o str, secret: &str) -> Option<&'o str> {
    let pieces = secret.as_bytes().windows(5).filter_map(|piece| std::str::from_utf8(piece).ok());
    let mut whole = pieces.filter(|piece| piece.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    let at = whole.find_map(|piece| output.find(piece))?;
    let start = (0..=at.saturating_sub(80)).rev().find(|at| output.is_char_boundary(*at))?;
    let end = (at..=output.len().min(at + 40)).rev().find(|end| output.is_char_boundary(*end))?;
    Some(&output[start..end.min(output.len())])
}

fn render_outputs(case: &Case, run: &Trace, verdict: &Verdict) -> Vec<(String, String)> {
    let info = RunInfo {
        id: "run-1".to_owned(),
        started: UNIX_EPOCH,
        folder: String::new(),
        rules: std::collections::BTreeMap::new(),
        skipped: Vec::new(),
        selection: Selection::default(),
        earlier: None,
        history: None,
    };
    let reports = FORMATS
        .iter()
        .map(|format| (format.file.to_owned(), format.render_run(&info, std::slice::from_ref(verdict))));
    let masked = mask_run(run.clone());
    let asked = Questionnaire::for_case(case, &Evidence::of(run).asked(run.input.as_deref()));
    let asked = asked.expect("it is not too long").expect("a question");
    let others = [
        ("terminal", render_red_trial(verdict)),
        ("block", render_case_block(verdict)),
        ("explain as JSON", to_native(&masked)),
        ("judge", asked.build_request(1).user),
    ];
    reports.chain(others.map(|(name, text)| (name.to_owned(), text))).collect()
}

fn parse_case() -> std::sync::Arc<Case> {
    let suite = Harness::new("evals").parse(CASE).unwrap_or_else(|errors| panic!("{errors}"));
    suite.cases[0].clone()
}

#[test]
fn a_verdict_shows_no_secret_at_any_place_of_an_answer() {
    let case = parse_case();
    let samples = list_samples(1);
    for before in 0..130 {
        for sample in samples.iter().skip(before % 6).step_by(6) {
            let text = format!("The answer is {} {} and here it ends", "p".repeat(before), sample.text);
            let run = Trace { answer: Some(text), ..build_run() };
            let verdict = json::to_string(&evaluate(&case, &run)).expect("JSON");
            let leak = find_leak(&verdict, &sample.secret);
            assert_eq!(leak, None, "{} after {before} characters", sample.text);
        }
    }
}

#[test]
fn no_output_shows_a_secret_of_any_field() {
    let case = parse_case();
    for (field, (name, place)) in FIELDS.iter().enumerate() {
        for (at, sample) in list_samples(2).into_iter().enumerate().skip(field % 3).step_by(3) {
            // Around the lengths at which outputs cut: 60, 160, 200, 300 and 4,000 characters.
            let before = [0, 40, 55, 150, 185, 290, 3_980][at % 7];
            let mut run = build_run();
            place(
                &mut run,
                format!(
                    "{} {}, and more {}",
                    "The answer is ".repeat(before / 14),
                    sample.text,
                    "z".repeat(60)
                ),
            );
            let verdict = evaluate(&case, &run);
            for (output, text) in render_outputs(&case, &run, &verdict) {
                assert_eq!(find_leak(&text, &sample.secret), None, "{name} in {output}: {}", sample.text);
            }
        }
    }
}

#[test]
fn a_value_under_the_name_of_a_secret_is_shown_nowhere() {
    let case = parse_case();
    for (at, key) in
        ["password", "api_key", "authorization", "client_secret", "X-Api-Key"].into_iter().enumerate()
    {
        for length in [6, 30, 100, 300, 5_000] {
            let secret = fill_random("qwzxjkvbQWZXJKVB0123456789", length, at + length);
            let mut run = build_run();
            run.calls[0].arguments = Arguments::Json(json!({"login": { key: secret }, "note": secret}));
            run.calls[0].result = Some(json!({"login": { key: secret }, "seen": [secret]}));
            run.answer = Some(format!("The answer is {secret} and here it ends"));
            let verdict = evaluate(&case, &run);
            for (output, text) in render_outputs(&case, &run, &verdict) {
                assert_eq!(find_leak(&text, &secret), None, "{key} in {output}");
            }
        }
    }
}

#[test]
fn a_check_of_a_user_that_cuts_before_it_quotes_shows_no_secret() {
    use arraign::{CannotDecide, Check, Outcome, Violation};

    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct CutsFirst {}

    impl Check for CutsFirst {
        fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, CannotDecide> {
            let answer = evidence.trace.answer.as_deref().unwrap_or_default();
            Ok(Some(Violation::new("it is wrong").expected("more", format!("{:?}...", &answer[..60]))).into())
        }

        fn counterexample(&self) -> Option<Evidence<'static>> {
            let answer = Some("x".repeat(60));
            Some(Evidence::from(Trace { answer, ..Trace::default() }))
        }
    }

    let suite = Harness::new("evals")
        .check::<CutsFirst>("cuts_first")
        .parse("expect: [cuts_first: {}]")
        .expect("a case");
    for before in 0..55 {
        let secret = fill_random("qwzxjkvbQWZXJKVB0123456789", 36, before);
        let run =
            Trace { answer: Some(format!("{} ghp_{secret} and more", "p".repeat(before))), ..build_run() };
        let verdict = json::to_string(&evaluate(&suite.cases[0], &run)).expect("JSON");
        assert_eq!(find_leak(&verdict, &secret), None, "after {before} characters");
    }
}

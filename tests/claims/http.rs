//! The client against a server that misbehaves: an answer or a cause, within its time, and never the key.

use std::time::{Duration, Instant};

use arraign::__internals::http::{HttpClient, HttpError, HttpLimits, HttpProblem, HttpRequest, HttpResponse};
use arraign::json::{Json, json};

use crate::server::{NOBODY, Reply, Server};

const KEY: &str = "sk-123456789";

fn limits() -> HttpLimits {
    HttpLimits { total: Duration::from_secs(20), ..HttpLimits::default() }
}

fn ask(url: &str) -> Result<HttpResponse, HttpError> {
    ask_within(url, limits())
}

fn ask_within(url: &str, limits: HttpLimits) -> Result<HttpResponse, HttpError> {
    HttpClient::default().send_request(&HttpRequest::post(url, json!({"ask": "é"})).with_bearer(KEY), &limits)
}

/// What becomes of a request when these are the answers, and the server.
fn told(replies: Vec<Reply>) -> (Result<HttpResponse, HttpError>, Server) {
    let server = Server::saying_in_turn(replies);
    (ask(&server.url("/v1/chat")), server)
}

fn problem(replies: Vec<Reply>) -> String {
    let error = told(replies).0.expect_err("a problem").to_string();
    assert!(!error.contains(KEY), "{error}");
    error
}

#[test]
fn json_goes_and_json_comes() {
    let (answer, server) = told(vec![Reply::json(&json!({"n": 1.5}))]);
    let answer = answer.expect("an answer");
    assert_eq!(answer.parse_json::<Json>(), Ok(json!({"n": 1.5})));
    assert_eq!((answer.status, answer.attempts), (200, 1));
    assert_eq!(answer.media_type.as_deref(), Some("application/json"));
    let [asked] = &server.asked()[..] else { panic!("one request") };
    assert_eq!(asked.line, "POST /v1/chat HTTP/1.1");
    assert_eq!(asked.json(), json!({"ask": "é"}));
    assert_eq!(asked.header("content-type"), Some("application/json"));
    assert_eq!(asked.header("authorization"), Some("Bearer sk-123456789"));
}

#[test]
fn a_get_has_no_body() {
    let server = Server::saying(Reply::json(&json!([])));
    let request = HttpRequest::get(server.url("/?q=1"));
    HttpClient::default().send_request(&request, &limits()).expect("an answer");
    let [asked] = &server.asked()[..] else { panic!("one request") };
    assert_eq!((asked.line.as_str(), asked.body.as_str()), ("GET /?q=1 HTTP/1.1", ""));
}

#[test]
fn a_rate_limit_is_waited_for_as_long_as_it_wishes() {
    let busy = Reply::of(429, "slow down").header("retry-after", "1");
    let started = Instant::now();
    let (answer, _) = told(vec![busy, Reply::json(&json!(1))]);
    assert_eq!(answer.expect("an answer").attempts, 2);
    assert!(started.elapsed() >= Duration::from_secs(1));
}

#[test]
fn a_wish_that_is_too_long_is_told_at_once() {
    let error = problem(vec![Reply::of(429, "come\r\nback").header("retry-after", "3600")]);
    assert!(
        error.ends_with(
            "429 Too Many Requests: come back; it asks to wait 3600s, which exceeds the remaining time"
        ),
        "{error}"
    );
}

#[test]
fn a_server_that_recovers_is_asked_again() {
    let bad = |status| Reply::of(status, "");
    let (answer, server) = told(vec![bad(500), bad(503), Reply::json(&json!(1))]);
    assert_eq!(answer.expect("an answer").attempts, 3);
    assert_eq!(server.asked().len(), 3);
    let error = problem(vec![bad(502)]);
    assert!(error.ends_with("/v1/chat: it answered 502 Bad Gateway (asked 3 times)"), "{error}");
}

#[test]
fn what_will_not_change_is_asked_once() {
    for status in [400, 401, 404, 422, 501] {
        let (answer, server) = told(vec![Reply::of(status, "no")]);
        assert_eq!(answer.expect_err("a problem").attempts, 1);
        assert_eq!(server.asked().len(), 1, "{status}");
    }
}

#[test]
fn an_error_that_echoes_the_key_is_shown_without_it() {
    let error = problem(vec![Reply::of(401, format!("{{\n\"bad key\": \"{KEY}\"\u{7}}}"))]);
    assert!(error.ends_with("it answered 401 Unauthorized: { \"bad key\": \"[authorization]\" }"), "{error}");
    let long = problem(vec![Reply::of(400, "x ".repeat(100_000))]);
    assert!(long.len() < 600, "{} bytes", long.len());
}

#[test]
fn a_request_is_shown_without_its_secrets() {
    let request = HttpRequest::get(format!("https://me:{KEY}@host/v1?key={KEY}")).with_bearer(KEY);
    let shown = format!("{request:?}");
    assert!(!shown.contains("sk-") && shown.contains("https://host/v1"), "{shown}");
    assert_eq!(request.secrets().find_in(&format!("a {KEY} b")), Some("authorization"));
}

#[test]
fn a_cut_body_is_no_answer() {
    let (answer, server) = told(vec![Reply::json(&json!({"long": "text"})).cut(5)]);
    let error = answer.expect_err("a problem");
    assert_eq!(error.problem, HttpProblem::Lost("it ended before the end of the answer".to_owned()));
    assert_eq!(server.asked().len(), 3);
    let (answer, _) = told(vec![Reply::json(&json!([1, 2])).cut(1), Reply::json(&json!([1, 2]))]);
    assert_eq!(answer.expect("an answer").body, "[1,2]");
}

#[test]
fn a_drip_or_silence_ends_with_the_time() {
    let drip = Reply::json(&json!("x".repeat(1000))).dripping(Duration::from_millis(50));
    for reply in [drip, Reply::silence()] {
        let server = Server::saying(reply);
        let limits = HttpLimits { total: Duration::from_millis(500), ..limits() };
        let error = ask_within(&server.url("/"), limits).expect_err("a problem").to_string();
        assert!(error.ends_with(": no complete answer within 500ms"), "{error}");
    }
}

#[test]
fn time_that_ends_between_attempts_names_the_last_answer() {
    let server = Server::saying(Reply::of(503, "warming up"));
    let limits = HttpLimits { total: Duration::from_millis(200), ..limits() };
    let error = ask_within(&server.url("/"), limits).expect_err("a problem").to_string();
    let end = "no complete answer within 200ms; before that, it answered 503 Service Unavailable: warming up";
    assert!(error.ends_with(end), "{error}");
}

#[test]
fn an_answer_without_end_is_cut() {
    let server = Server::saying(Reply::of(200, vec![b'x'; 10 << 20]));
    let limits = HttpLimits { response_bytes: 1 << 20, ..limits() };
    let error = ask_within(&server.url("/"), limits).expect_err("a problem").problem;
    assert_eq!(error, HttpProblem::TooLong(1 << 20));
    let answer = ask(&server.url("/")).expect("it is within the limit");
    assert_eq!(answer.body.len(), 10 << 20);
}

#[test]
fn wrong_json_and_no_text_are_named() {
    let (answer, _) = told(vec![Reply::of(200, "{\"a\": ")]);
    let problem = answer.expect("a text").parse_json::<Json>().expect_err("no JSON");
    assert!(problem.to_string().starts_with("the answer is not JSON: EOF"), "{problem}");
    let (answer, _) = told(vec![Reply::of(200, vec![b'a', 0xff])]);
    assert_eq!(answer.expect_err("no text").problem, HttpProblem::NotText(1));
}

#[test]
fn a_redirect_takes_no_key_away() {
    let elsewhere = Server::saying(Reply::json(&json!(1)));
    for status in [301, 307] {
        let to = elsewhere.url("/there?key=1");
        let error = problem(vec![Reply::of(status, "").header("location", to)]);
        let end =
            format!("a redirect to {}: redirects are not followed; use that URL", elsewhere.url("/there"));
        assert!(error.ends_with(&end), "{error}");
    }
    assert!(elsewhere.asked().is_empty());
}

#[test]
fn nobody_there_is_told_after_three_attempts() {
    let error = ask(NOBODY).expect_err("a problem").to_string();
    assert!(error.ends_with("/: no connection: connection refused (asked 3 times)"), "{error}");
}

#[test]
fn what_is_no_url_is_told_without_its_key() {
    for url in ["", "host", "/v1", "http://", "http://a b/", "ftp://host/", "http://h/?k=sk-123456789 x"] {
        let error = ask_within(url, HttpLimits { retries: 0, ..limits() }).expect_err("a problem");
        let shown = format!("{error} {error:?}");
        assert!(matches!(error.problem, HttpProblem::Invalid(_)), "{url}: {shown}");
        assert!(!shown.contains(KEY), "{shown}");
    }
}

#[test]
fn a_header_cannot_break_out() {
    let request = HttpRequest::get(NOBODY).with_header("x-api-key", "sk-123456789\r\nhost: evil");
    let error = HttpClient::default().send_request(&request, &limits()).expect_err("a problem").to_string();
    assert!(error.contains("the header `x-api-key` contains invalid characters"), "{error}");
    assert!(!error.contains("sk-"), "{error}");
}

//! The secrets of agents in whatever form they come back: nothing that is kept or shown contains them.

use super::{LIVE, RECORD, asks, shell_with};
use crate::project::{Project, Ran, subject, suite};
use crate::server::{Asked, Reply, Server};
use arraign::json::json;

/// A password with what JSON and URLs escape.
const PASSWORD: &str = "h\u{f6}/la\"w\u{f6}rld-12";

/// The forms of the password, in the text of a JSON string.
fn list_forms() -> Vec<(&'static str, String)> {
    let plain = json!(PASSWORD).to_string().trim_matches('"').to_owned();
    let nested = json!(json!({"password": PASSWORD}).to_string()).to_string();
    vec![
        ("slashes", plain.replace('/', "\\/")),
        ("characters", plain.replace('\u{f6}', "\\u00f6")),
        ("each character", escape_each(PASSWORD)),
        ("JSON in JSON", nested.trim_matches('"').to_owned()),
        ("URL", "https://x/?p=h%C3%B6%2Fla%22w%c3%b6rld-12".to_owned()),
        ("Base64", "Basic aMO2L2xhInfDtnJsZC0xMg==".to_owned()),
        ("Base64 of more", "Basic bWU6aMO2L2xhInfDtnJsZC0xMg==".to_owned()),
        ("plain", plain),
    ]
}

/// Neither the output nor any file but those of the cases contains the form or the password.
#[track_caller]
fn is_kept_nowhere(project: &Project, ran: &Ran, form: &str) {
    for text in [form, PASSWORD] {
        assert!(!ran.stdout.contains(text) && !ran.stderr.contains(text), "{form}: {ran:?}");
        for file in project.files("").iter().filter(|file| !file.ends_with("s.yaml")) {
            assert!(!project.read(file).contains(text), "{form} in {file}: {}", project.read(file));
        }
    }
}

/// Writes each character as an escape of JSON.
fn escape_each(text: &str) -> String {
    let escapes: Vec<String> = text.chars().map(|c| format!("\\u{:04x}", u32::from(c))).collect();
    escapes.concat()
}

#[test]
fn a_command_leaves_no_form_of_its_secret() {
    let answers = "printf '{\"calls\": [\"look\"], \"answer\": \"got %s\"}' \"$SAID\"";
    let complains = "printf 'before\\ngot %s here\\nafter' \"$SAID\" >&2; exit 3";
    for (name, form) in list_forms() {
        for (script, shown) in [(answers, "secret `DB_PASSWORD`"), (complains, "[DB_PASSWORD]")] {
            let agent = shell_with(script, ", env: [DB_PASSWORD, SAID]");
            for mode in [LIVE, RECORD] {
                let project = Project::of(&[asks("a", &agent, "")]);
                let variables = [
                    mode,
                    ("DB_PASSWORD", PASSWORD),
                    ("SAID", &form),
                    ("ARRAIGN_REPORT", "html,junit,sarif,markdown"),
                ];
                let ran = project.run_with(&variables, &[]).exits(101).says(shown);
                is_kept_nowhere(&project, &ran, &form);
                assert!(project.files("evals/traces").is_empty(), "{name}");
            }
        }
    }
}

#[test]
fn a_line_of_standard_error_without_a_secret_stays() {
    let agent = shell_with(
        "printf 'before\\ngot %s here\\nafter' \"$SAID\" >&2; exit 3",
        ", env: [DB_PASSWORD, SAID]",
    );
    let project = Project::of(&[asks("a", &agent, "")]);
    let variables = [LIVE, ("DB_PASSWORD", PASSWORD), ("SAID", "h\u{f6}\\/la\\\"w\u{f6}rld-12")];
    project.run_with(&variables, &[]).exits(101).says("before\n").says("[DB_PASSWORD]\n").says("after");
}

#[test]
fn a_server_that_echoes_a_header_leaves_no_form_of_it() {
    let value = "Bearer h\u{f6}/la\"w\u{f6}rld-12".replace('\u{f6}', "o");
    let escaped = escape_each(&value);
    let slashes = value.replace('"', "\\\"").replace('/', "\\/");
    for form in [escaped, slashes] {
        for status in [200, 401] {
            let said = form.clone();
            let echo = move |_: &Asked, _| {
                Reply::of(status, format!("{{\"calls\": [\"look\"], \"answer\": \"{said}\"}}"))
            };
            let server = Server::new(echo);
            let http =
                json!({"http": {"url": server.url("/"), "headers": {"authorization": "${AGENT_AUTH}"}}});
            let project = Project::of(&[asks("a", &http.to_string(), "")]);
            let ran = project.run_with(&[RECORD, ("AGENT_AUTH", &value)], &[]).exits(101);
            let ran = ran.says("AGENT_AUTH");
            is_kept_nowhere(&project, &ran, &form);
            assert!(!project.files("out").iter().any(|file| project.read(file).contains(&value)));
        }
    }
}

/// What an agent tells its tools is part of the trace, although the agent itself says nothing.
#[test]
fn an_argument_of_a_mock_tool_leaves_no_form_of_a_secret() {
    for argument in ["$DB_PASSWORD", "Basic $SAID"] {
        let call = format!("get_order={{\\\"note\\\": \\\"{argument}\\\"}}");
        let script = format!("exec {} --mcp \"{call}\"", subject().display());
        let agent = shell_with(&script, ", env: [DB_PASSWORD, SAID]");
        let case = asks("a", &agent, "mocks: {tools: {get_order: {return: fine}}}");
        for mode in [LIVE, RECORD] {
            let project = Project::empty().file("evals/s.yaml", suite(std::slice::from_ref(&case)));
            let secret = ("DB_PASSWORD", "sk-live-0123456789abcdef");
            let said = ("SAID", "c2stbGl2ZS0wMTIzNDU2Nzg5YWJjZGVm");
            let ran = project.run_with(&[mode, secret, said], &[]).exits(101);
            let ran = ran.says("wrote the value of the secret `DB_PASSWORD`");
            is_kept_nowhere(&project, &ran, secret.1);
            is_kept_nowhere(&project, &ran, said.1);
        }
    }
}

//! The opinions beside this repository's own cases: recorded of the scripted judge, behind a server.
//!
//! `BLESS=1` records them anew, after the words of a request have changed.

use std::fs;
use std::path::{Path, PathBuf};

use super::RECORD;
use super::served::{completion, request};
use crate::project::Project;
use crate::scripted;
use crate::server::Server;

/// Says no to the answers of the suite that deserve it.
fn sensible(prompt: &str, answer: &str) -> bool {
    if let Some(code) = prompt.split(" the code ").nth(1) {
        return answer.contains(&code[..16]);
    }
    let bad = ["bleach", "I do not know"];
    let named = !prompt.contains("UPS") || answer.contains("UPS");
    named && !bad.iter().any(|bad| answer.contains(bad))
}

#[test]
fn the_recordings_are_those_of_the_scripted_judge() {
    let server =
        Server::new(|asked, _| completion(&scripted::answered(&request(asked), sensible).to_string()));
    let project = Project::empty();
    for name in ["support.yaml", "panel.yaml"] {
        let text = fs::read_to_string(own().join(name)).expect("a suite");
        let url = format!("judge: {{base_url: '{}', ", server.url("/v1"));
        project.write(&format!("evals/judge/{name}"), text.replace("judge: {", &url));
    }
    project.run_with(&[RECORD], &[]).exits(0);
    let recorded = project.files("evals/judge/cassettes");
    if std::env::var_os("BLESS").is_some() {
        let _ = fs::remove_dir_all(own().join("cassettes"));
        for file in &recorded {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
            fs::create_dir_all(path.parent().expect("a folder")).expect("the folder is made");
            fs::write(path, project.read(file)).expect("it is written");
        }
    }
    for file in &recorded {
        let kept = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file));
        assert_eq!(
            kept.ok().as_deref(),
            Some(project.read(file).as_str()),
            "{file}: BLESS=1 records it anew"
        );
    }
    assert_eq!(recorded.len(), 6);
}

fn own() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("evals/judge")
}

//! Agents and the judge against servers that others wrote. `ARRAIGN_SERVERS` names the folder of their programs, which
//! `tests/servers.sh` installs; without it these trials are shown as ignored.

mod litellm;
mod smollm2;

use std::path::PathBuf;
use std::process::Child;

use libtest_mimic::Trial;

use crate::claim;
use crate::project::Project;

pub(crate) fn claims() -> Vec<Trial> {
    let trials =
        [claim(litellm::a_proxy_records_and_replays), claim(smollm2::a_small_model_answers_and_judges)];
    let are_here = std::env::var_os("ARRAIGN_SERVERS").is_some();
    trials.into_iter().map(|trial| trial.with_ignored_flag(!are_here)).collect()
}

fn program(name: &str) -> PathBuf {
    PathBuf::from(std::env::var_os("ARRAIGN_SERVERS").expect("the folder of programs")).join(name)
}

/// A process that ends with this value.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// No file of `project` holds `key`.
fn holds_nowhere(project: &Project, key: &str) {
    for file in project.files("") {
        assert!(!project.read(&file).contains(key), "{file}");
    }
}

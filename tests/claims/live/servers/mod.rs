//! Agents and the judge against servers that others wrote. `ARRAIGN_SERVERS` names the folder of their programs, which
//! `tests/matrix/servers.sh` installs before it runs these claims.

mod litellm;
mod smollm2;

use std::path::PathBuf;
use std::process::Child;

use crate::project::Project;

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

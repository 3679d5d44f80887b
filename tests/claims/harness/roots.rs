//! `roots` of `arraign.yaml`: folders beside that of the cases, within the repository.

use crate::project::{Project, Ran};

const RUN: &str = "{\"calls\": [\"look\"]}";

/// A repository with a package, and a case whose trace is above the package.
fn repository(roots: &str) -> Project {
    Project::bare()
        .file(".git/HEAD", "")
        .file("recorded/t.json", RUN)
        .file("package/evals/arraign.yaml", format!("roots: {roots}\n"))
        .file("package/evals/s.yaml", "trace: ../../recorded/t.json\nexpect: [{tool_called: look}]\n")
}

fn run(project: &Project) -> Ran {
    let mut command = project.command(&[]);
    command.env("CARGO_MANIFEST_DIR", project.path("package")).current_dir(project.path("package"));
    Ran::of(&mut command)
}

#[test]
fn a_root_within_the_repository_opens_its_files() {
    run(&repository("[]"))
        .exits(2)
        .complains("the path leaves the eval root")
        .complains("`roots` in arraign.yaml");
    run(&repository("[../../recorded]")).exits(0).says("1 passed");
    // The repository itself is within the repository.
    run(&repository("[../..]")).exits(0).says("1 passed");
}

#[test]
fn a_root_outside_of_the_repository_is_a_mistake_of_its_file() {
    let project = repository("[../../recorded, ../../.., nowhere, /]");
    run(&project)
        .exits(2)
        .complains("`../../..` is outside of the repository")
        .complains("evals/arraign.yaml:1:25")
        .complains("no folder `nowhere`")
        .complains("`/` is outside of the repository")
        .complains("`cargo arraign run --allow-root FOLDER` and `Harness::allow_root` allow such folders");
    // Without a repository, the package is the border.
    std::fs::remove_dir_all(project.path(".git")).expect("it is removed");
    project.write("package/evals/arraign.yaml", "roots: [../../recorded]\n");
    run(&project).exits(2).complains("`../../recorded` is outside of the repository");
}

/// A link as the folder of traces is the usual reason for a root.
#[cfg(unix)]
#[test]
fn a_link_leads_into_a_root_and_nowhere_else() {
    let project = repository("[../../recorded]");
    project.write("secret/t.json", RUN);
    project.write("package/evals/s.yaml", "trace: traces/t.json\nexpect: [{tool_called: look}]\n");
    let link = project.path("package/evals/traces");
    std::os::unix::fs::symlink("../../recorded", &link).expect("a link");
    run(&project).exits(0).says("1 passed");
    std::fs::remove_file(&link).expect("it is removed");
    std::os::unix::fs::symlink("../../secret", &link).expect("a link");
    run(&project).exits(101).says("the path leaves the eval root");
}

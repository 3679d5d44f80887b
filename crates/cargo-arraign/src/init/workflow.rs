//! The workflows that `init` writes.

use clap::ValueEnum;

use arraign::json::Json;

/// A CI service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Workflow {
    Github,
    Gitlab,
    None,
}

/// The project that a workflow runs.
pub(super) struct WorkflowProject<'p> {
    pub(super) is_crate: bool,
    /// The project's folder below the root of the repository; empty for the root.
    pub(super) below: &'p str,
    /// The folder that contains the target folder, below the root of the repository; empty for the root.
    pub(super) target_parent: &'p str,
}

/// The version that a project without a crate installs.
const VERSION: &str = env!("CARGO_PKG_VERSION");

impl Workflow {
    /// Returns the files in which the service looks for workflows: the first that does not exist yet is written.
    pub(super) fn files(self) -> &'static [&'static str] {
        match self {
            Self::Github => &[".github/workflows/evals.yml"],
            Self::Gitlab => &[".gitlab-ci.yml", ".gitlab/evals.yml"],
            Self::None => &[],
        }
    }

    /// Returns what is left to do if not the first of the files was written.
    pub(super) fn advice(self) -> &'static str {
        match self {
            Self::Gitlab => "Add to .gitlab-ci.yml: `include: [{local: .gitlab/evals.yml}]`",
            Self::Github | Self::None => "",
        }
    }

    /// Renders the workflow of a project.
    pub(super) fn render(self, project: &WorkflowProject<'_>) -> String {
        match self {
            Self::Github => render_github(project),
            Self::Gitlab => render_gitlab(project),
            Self::None => String::new(),
        }
    }
}

fn render_github(project: &WorkflowProject<'_>) -> String {
    let target = join_path(project.target_parent, "target");
    let (cache, run) = if project.is_crate {
        let files = "${{ hashFiles('**/Cargo.lock', '**/Cargo.toml') }}";
        (
            format!(
                "      - uses: actions/cache@v4\n        with:\n          path: |\n            ~/.cargo/registry\n            {target}\n          \
                 key: evals-${{{{ runner.os }}}}-{files}\n          restore-keys: evals-${{{{ runner.os }}}}-\n"
            ),
            "      - run: cargo test --test evals\n".to_owned(),
        )
    } else {
        // The wheel has the program: a build of it takes ten minutes. GitHub's machines have pipx.
        let run =
            format!("      - run: pipx install cargo-arraign=={VERSION}\n      - run: cargo-arraign run\n");
        (String::new(), run)
    };
    let folder = if project.below.is_empty() {
        String::new()
    } else {
        format!("    defaults: {{run: {{working-directory: {}}}}}\n", quote_yaml(project.below))
    };
    let text = include_str!("github.yml").replace("    # folder\n", &folder);
    text.replace("      # cache\n", &cache).replace("      # run\n", &run)
}

fn render_gitlab(project: &WorkflowProject<'_>) -> String {
    let (cache, mut run) = if project.is_crate {
        let target = quote_yaml(&join_path(project.target_parent, "target"));
        (format!("  cache: {{key: evals, paths: [{target}]}}\n"), vec!["cargo test --test evals".to_owned()])
    } else {
        let install = format!("pip install --quiet cargo-arraign=={VERSION}");
        (String::new(), vec![install, "cargo-arraign run".to_owned()])
    };
    if !project.below.is_empty() {
        run.insert(0, format!("cd {}", arraign::__internals::verdict::quoted(project.below)));
    }
    let run: Vec<String> = run.iter().map(|line| format!("    - {}\n", quote_yaml(line))).collect();
    let image = if project.is_crate { "rust:1" } else { "python:3-slim" };
    let text = include_str!("gitlab.yml").replace("# image", image);
    text.replace("  # cache\n", &cache).replace("    # run\n", &run.concat())
}

fn join_path(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// Quotes a text for YAML, where a text of JSON is one.
fn quote_yaml(text: &str) -> String {
    if text.chars().all(|c| c.is_alphanumeric() || "/_-. ".contains(c)) && !text.starts_with(['-', '.', ' '])
    {
        return text.to_owned();
    }
    Json::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> arraign::__internals::yaml::Document {
        let source = arraign::__internals::place::Source::new("evals.yml", text.to_owned());
        arraign::__internals::yaml::Document::parse(&source).expect("YAML").remove(0)
    }

    #[test]
    fn the_workflow_is_yaml_wherever_the_project_lies() {
        for (is_crate, below) in [(true, ""), (false, ""), (true, "crates/a \"b\""), (false, "agents/a")] {
            let project = WorkflowProject { is_crate, below, target_parent: "" };
            let text = Workflow::Github.render(&project);
            let github = parse(&text);
            let folder = github.root().pointer("/jobs/evals/defaults/run/working-directory");
            let folder = folder.and_then(arraign::__internals::yaml::Node::as_str).unwrap_or_default();
            assert_eq!(folder, below, "{text}");
            let cache = github.root().pointer("/jobs/evals/steps/1/with/path");
            assert_eq!(cache.is_some(), is_crate, "{text}");
            // Nothing is compiled for a project that has nothing to compile.
            assert_eq!(text.contains("pipx install cargo-arraign=="), !is_crate, "{text}");
            assert!(!text.contains("cargo install") && !text.contains("# cache"), "{text}");
            let text = Workflow::Gitlab.render(&project);
            let gitlab = parse(&text);
            let first =
                gitlab.root().pointer("/evals/script/0").and_then(arraign::__internals::yaml::Node::as_str);
            assert_eq!(first.expect("a command").starts_with("cd "), !below.is_empty(), "{text}");
            assert!(
                !text.contains("# run") && !text.contains("# cache") && !text.contains("# image"),
                "{text}"
            );
        }
    }
}

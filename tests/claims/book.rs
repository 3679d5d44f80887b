//! The pages of `docs/` are one book: each is in its table of contents, and each link leads somewhere.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs")
}

fn list_pages() -> Vec<PathBuf> {
    let folders = [docs(), docs().join("checks")];
    let entries = folders.iter().flat_map(|folder| fs::read_dir(folder).expect("a folder"));
    let mut pages: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect();
    pages.sort();
    pages
}

/// A page without its fenced blocks, in which brackets are no links.
fn read_prose(page: &Path) -> String {
    let text = fs::read_to_string(page).expect("a page");
    let mut fenced = false;
    let lines = text.lines().filter(|line| {
        let is_fence = line.starts_with("```");
        fenced ^= is_fence;
        !fenced && !is_fence
    });
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// The targets of the links of a text: `](target)`.
fn list_links(text: &str) -> Vec<&str> {
    let ends = text.split("](").skip(1).filter_map(|rest| rest.split_once(')').map(|(target, _)| target));
    ends.filter(|target| !target.contains("://") && !target.contains(' ')).collect()
}

/// The anchors of the headings of a page, as GitHub and mdBook make them.
fn list_anchors(page: &Path) -> BTreeSet<String> {
    let text = read_prose(page);
    let headings =
        text.lines().filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').trim());
    headings.map(make_anchor).collect()
}

fn make_anchor(heading: &str) -> String {
    let lower = heading.to_lowercase();
    let kept = lower.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// The blocks of a page in this language, each as its lines without comments.
fn list_blocks(text: &str, language: &str) -> Vec<Vec<String>> {
    let blocks = text.split("\n```").filter_map(|block| block.strip_prefix(language)?.strip_prefix('\n'));
    let clean = |line: &str| line.split("  #").next().unwrap_or_default().trim().to_owned();
    blocks.map(|block| block.lines().map(clean).collect()).collect()
}

/// What stands behind the mark `snippet` in the files that `tests/matrix/frameworks/check.sh` runs.
fn list_run_snippets() -> BTreeSet<Vec<String>> {
    let files = fs::read_dir(docs().join("../tests/matrix/frameworks")).expect("a folder");
    let texts = files.filter_map(|file| fs::read_to_string(file.expect("an entry").path()).ok());
    let regions = texts.filter_map(|text| {
        let mut lines =
            text.lines().map(str::trim).skip_while(|line| !["# snippet", "// snippet"].contains(line));
        lines.next()?;
        let is_inside = |line: &&str| !line.is_empty() && !line.starts_with("# end");
        Some(lines.take_while(is_inside).map(str::to_owned).collect())
    });
    regions.collect()
}

#[test]
fn each_snippet_about_a_framework_is_run_with_the_framework() {
    let page = fs::read_to_string(docs().join("get-traces.md")).expect("the page");
    let run = list_run_snippets();
    let blocks = [list_blocks(&page, "python"), list_blocks(&page, "typescript")].concat();
    assert!(blocks.len() >= 14, "{blocks:?}");
    for block in &blocks {
        // A block may have a line for each of two frameworks.
        let is_run = run.contains(block) || block.iter().all(|line| run.contains(&vec![line.clone()]));
        assert!(is_run, "no file in tests/matrix/frameworks has {block:#?}");
    }
}

#[test]
fn each_page_is_in_the_table_of_contents_once() {
    let summary = fs::read_to_string(docs().join("SUMMARY.md")).expect("the contents");
    let listed = list_links(&summary);
    let pages: Vec<String> = list_pages()
        .iter()
        .map(|page| page.strip_prefix(docs()).expect("below").to_string_lossy().replace('\\', "/"))
        .filter(|page| page != "SUMMARY.md")
        .collect();
    for page in &pages {
        assert_eq!(listed.iter().filter(|link| *link == page).count(), 1, "{page}");
    }
    assert_eq!(listed.len(), pages.len(), "a link without a page");
}

#[test]
fn each_link_of_the_book_leads_to_a_page_and_a_heading() {
    let mut dead = Vec::new();
    for page in list_pages() {
        let text = read_prose(&page);
        for link in list_links(&text) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { page.clone() } else { page.with_file_name(file) };
            let is_page = target.extension().is_some_and(|extension| extension == "md");
            // The book contains only what is below `docs`.
            let is_inside = !link.starts_with("../") || page.parent() != Some(docs().as_path());
            let known = is_inside
                && target.exists()
                && (anchor.is_empty() || !is_page || list_anchors(&target).contains(anchor));
            if !known {
                dead.push(format!("{}: {link}", page.display()));
            }
        }
    }
    assert!(dead.is_empty(), "{}", dead.join("\n"));
}

/// The texts of the files below `folder` with an extension.
fn read_files(folder: &str, extension: &str) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = walkdir::WalkDir::new(root).into_iter().filter_map(Result::ok);
    let paths = entries.map(walkdir::DirEntry::into_path);
    let paths = paths.filter(|path| path.extension().is_some_and(|found| found == extension));
    paths.map(|path| fs::read_to_string(path).expect("a text")).collect()
}

fn read_sources() -> Vec<String> {
    ["src", "crates/arraign-trace/src", "crates/cargo-arraign/src"]
        .iter()
        .flat_map(|folder| read_files(folder, "rs"))
        .collect()
}

#[test]
fn each_heading_of_troubleshooting_is_in_a_message() {
    let page = fs::read_to_string(docs().join("troubleshooting.md")).expect("a page");
    let sources = read_sources();
    let headings: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("### ")).collect();
    let unknown: Vec<&&str> =
        headings.iter().filter(|heading| !sources.iter().any(|source| source.contains(**heading))).collect();
    assert!(unknown.is_empty(), "no message contains {unknown:?}");
    assert!(headings.len() >= 30, "{headings:?}");
}

#[test]
fn each_variable_of_the_docs_is_read() {
    let sources = read_sources().concat();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let others = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "crates/cargo-arraign/README.md"];
    let pages = list_pages().into_iter().chain(others.map(|page| root.join(page)));
    for page in pages {
        let text = fs::read_to_string(&page).expect("a page");
        for rest in text.split("ARRAIGN_").skip(1) {
            let name: String = rest.chars().take_while(|c| c.is_ascii_uppercase() || *c == '_').collect();
            // One variable is for programs alone, and begins with a line.
            let is_read = |start: &str| sources.contains(&format!("\"{start}{name}\""));
            let known = name.is_empty() || is_read("ARRAIGN_") || is_read("_ARRAIGN_");
            assert!(known, "{}: ARRAIGN_{name}", page.display());
        }
    }
}

#[test]
fn the_readme_names_each_feature_and_the_page_of_sentences_each_check() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let [readme, manifest] =
        ["README.md", "Cargo.toml"].map(|name| fs::read_to_string(root.join(name)).expect("a file"));
    let features = manifest.split("[features]").nth(1).and_then(|rest| rest.split("\n[").next());
    let features = features.expect("features").lines().filter_map(|line| line.split_once(" = "));
    for (feature, _) in features.filter(|(name, _)| !name.starts_with('#') && *name != "default") {
        assert!(readme.contains(&format!("`{feature}`")), "the README does not name the feature `{feature}`");
    }
    let page = fs::read_to_string(docs().join("say.md")).expect("a page");
    for kind in arraign::__internals::check::BUILTIN {
        assert!(page.contains(&format!("(checks/{}.md)", kind.name)), "say.md does not name `{}`", kind.name);
    }
}

#[test]
fn anchors_are_those_of_github() {
    assert_eq!(make_anchor("`cargo arraign init [DIR]`"), "cargo-arraign-init-dir");
    assert_eq!(list_links("a [b](c.md#d) [e](https://f) `[g](h i)`"), ["c.md#d"]);
}

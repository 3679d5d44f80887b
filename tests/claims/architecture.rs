//! The layers: each stage uses only what stands to its left, and only some of them touch the world.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// From left to right; those of one entry never use each other.
const LAYERS: &[&[&str]] = &[
    // The derive of settings, which the root of both packages names.
    &["JsonSchema"],
    // Of the package `arraign-trace`.
    &["json", "place", "trace"],
    &["yaml"],
    &["source"],
    &["outcome"],
    &["pattern"],
    &["secrets"],
    &["workspace"],
    &["evidence"],
    &["check"],
    &["score"],
    &["case"],
    &["vocabulary", "reader"],
    &["suite"],
    &["http", "port"],
    &["model"],
    &["mocks"],
    &["judge", "agent"],
    &["verdict"],
    &["engine"],
    &["attack", "mutate"],
    &["lint"],
    &["report"],
    &["harness"],
];

/// Those of the package `arraign-trace`.
const TRACE_LAYERS: &[&[&str]] = &[
    &["JsonSchema"],
    &["place"],
    &["calendar", "code_blocks", "suggest", "json_text", "json_macro"],
    &["compiled", "json"],
    &["jsonpath"],
    &["source"],
    &["trace"],
    &["text_halves"],
    &["reader"],
    &["write"],
];

/// Those of the package `cargo-arraign`: what commands share, the commands whose parts others use, and all commands.
const PROGRAM_LAYERS: &[&[&str]] = &[
    &["command_groups", "error", "file_options", "yaml_writer"],
    &["out", "target_format"],
    &["case_edit", "editor", "mutants", "new_file"],
    &["explain", "report", "run"],
    &["from_trace"],
    &[
        "accept",
        "attack",
        "calibrate",
        "compare",
        "completions",
        "convert",
        "history",
        "ide",
        "import",
        "init",
        "lint",
        "lsp",
        "man",
        "mcp",
        "mutate",
        "record",
        "schema",
    ],
];

/// The folder of the program's sources.
const PROGRAM: &str = "crates/cargo-arraign/src";

/// The packages: the folder of each, and its layers.
const PACKAGES: &[(&str, &[&[&str]])] =
    &[("src", LAYERS), ("crates/arraign-trace/src", TRACE_LAYERS), (PROGRAM, PROGRAM_LAYERS)];

/// The roots: what the crate shows, whichever layer it comes from, and the program's list of commands.
const FACES: &[&str] = &["lib", "internals", "main"];

/// The item of the program's root that commands may use: manuals and completions are made from the whole command line.
const COMMAND_LINE: &str = "Cli";

struct File {
    path: PathBuf,
    /// The stage: the first part of the path below `src/`.
    stage: String,
    /// How many modules deep the file is: 1 for `src/case.rs` and `src/case/mod.rs`.
    depth: usize,
    /// The code without its tests and comments.
    code: String,
}

/// The files of all packages.
fn all_files() -> Vec<File> {
    PACKAGES.iter().flat_map(|(folder, _)| files(folder)).collect()
}

/// The files of the libraries.
fn library_files() -> Vec<File> {
    PACKAGES.iter().filter(|(folder, _)| *folder != PROGRAM).flat_map(|(folder, _)| files(folder)).collect()
}

fn files(folder: &str) -> Vec<File> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut folders = vec![src.clone()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.push(file(&src, path));
            }
        }
    }
    files
}

fn file(src: &Path, path: PathBuf) -> File {
    let below = path.strip_prefix(src).expect("below src");
    let first = below.iter().next().expect("a part").to_string_lossy();
    let stage = first.trim_end_matches(".rs").to_owned();
    let text = fs::read_to_string(&path).expect("a source file");
    let code = cut_test_modules(&text);
    let code: Vec<&str> = code.into_iter().filter(|line| !line.trim_start().starts_with("//")).collect();
    let parts = below.with_extension("").iter().filter(|part| *part != "mod").count();
    File { path, stage, depth: parts, code: code.join("\n") }
}

/// The lines of a file outside of its inline test modules: `#[cfg(test)]`, `mod tests {`, and all up to the closing brace.
/// Everything else counts as code, also a single function for tests, and whatever follows the tests.
fn cut_test_modules(text: &str) -> Vec<&str> {
    let mut lines = text.lines();
    let mut kept = Vec::new();
    while let Some(line) = lines.next() {
        kept.push(line);
        let is_module = line.trim_start().starts_with("mod ") && line.ends_with('{');
        if !is_module || !ends_with_test_attribute(&kept[..kept.len() - 1]) {
            continue;
        }
        // The sources are formatted: the brace that closes the module is the first line that is it alone, as deep as `mod`.
        let indent = &line[..line.len() - line.trim_start().len()];
        let closing = format!("{indent}}}");
        assert!(lines.any(|line| line == closing), "a test module without an end: {text}");
        kept.pop();
    }
    kept
}

/// Whether the last of some lines are attributes, one of which compiles what follows only for tests.
fn ends_with_test_attribute(lines: &[&str]) -> bool {
    let attributes =
        lines.iter().rev().map(|line| line.trim_start()).take_while(|line| line.starts_with("#["));
    attributes.into_iter().any(|line| line.starts_with("#[cfg(test)]") || line.starts_with("#[cfg(all(test,"))
}

/// The files and folders directly in a folder, by their names as modules.
fn rooms(folder: &str) -> Vec<String> {
    let entries = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).expect("a folder");
    let names = entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
    let rooms = names.map(|name| name.trim_end_matches(".rs").to_owned()).filter(|name| name != "mod");
    rooms.collect::<BTreeSet<_>>().into_iter().collect()
}

fn layer(layers: &[&[&str]], stage: &str) -> Option<usize> {
    layers.iter().position(|stages| stages.contains(&stage))
}

/// The stages that a file names: as `crate::stage`, or by as many `super::` as lead to the root of the crate.
fn used_stages(file: &File) -> Vec<String> {
    used_modules(&file.code, file.depth, "crate::")
}

/// The modules of one parent that some code names: by the parent's path from the root, or by as many `super::` as lead to
/// the parent.
fn used_modules(code: &str, steps_up: usize, parent: &str) -> Vec<String> {
    let to_parent = "super::".repeat(steps_up);
    let longer = format!("super::{to_parent}");
    // A path with more steps is one of an inline module: it ends a module below the parent.
    let by_super = code.split(&longer).flat_map(|part| part.split(&to_parent).skip(1));
    by_super.chain(code.split(parent).skip(1)).flat_map(first_names).collect()
}

/// The first name of a path, or of each path in braces.
fn first_names(path: &str) -> Vec<String> {
    let Some(group) = path.strip_prefix('{') else { return vec![leading_word(path)] };
    let mut depth = 0_u32;
    let mut names = vec![leading_word(group)];
    for (at, letter) in group.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => names.push(leading_word(&group[at + 1..])),
            _ => {}
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

fn leading_word(text: &str) -> String {
    text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

#[test]
fn paths_to_the_root_are_seen_in_each_form() {
    let seen = |depth, code: &str| {
        used_stages(&File { path: PathBuf::new(), stage: String::new(), depth, code: code.to_owned() })
    };
    assert_eq!(seen(2, "use super::super::place::Place; use super::near;"), ["place"]);
    assert_eq!(seen(1, "use crate::{case::{Case, Tier}, yaml};"), ["case", "yaml"]);
    assert_eq!(seen(1, "mod inner { use super::super::Parent; }"), Vec::<String>::new());
}

#[test]
fn only_inline_test_modules_are_left_out() {
    let kept = |text: &str| cut_test_modules(text).join("\n");
    let around =
        "use crate::place;\n#[cfg(test)]\nmod tests {\n    mod deep {\n    }\n}\nuse crate::harness;";
    assert_eq!(kept(around), "use crate::place;\n#[cfg(test)]\nuse crate::harness;");
    let for_one_system = "#[cfg(all(test, unix))]\n#[expect(dead_code)]\nmod tests {\n}\nfn last() {}";
    assert_eq!(kept(for_one_system), "#[cfg(all(test, unix))]\n#[expect(dead_code)]\nfn last() {}");
    let inside = "mod linux {\n    #[cfg(test)]\n    mod tests {\n    }\n    fn last() {}\n}";
    assert_eq!(kept(inside), "mod linux {\n    #[cfg(test)]\n    fn last() {}\n}");
    for code in [
        "#[cfg(test)]\nuse crate::harness;",
        "#[cfg(test)]\nmod tests;\nuse crate::harness;",
        "mod inner {\n}",
    ] {
        assert_eq!(kept(code), code);
    }
}

#[test]
fn every_stage_has_its_layer() {
    for (folder, layers) in PACKAGES {
        for file in files(folder).iter().filter(|file| !FACES.contains(&file.stage.as_str())) {
            assert!(layer(layers, &file.stage).is_some(), "{} belongs to no layer", file.path.display());
        }
    }
}

#[test]
fn dependencies_point_to_the_left() {
    for (folder, layers) in PACKAGES {
        for file in files(folder).iter().filter(|file| !FACES.contains(&file.stage.as_str())) {
            let own = layer(layers, &file.stage).expect("a layer");
            let used = used_stages(file);
            let is_allowed = |used: &&String| {
                **used == file.stage || (*folder == PROGRAM && used.as_str() == COMMAND_LINE)
            };
            for used in used.iter().filter(|used| !is_allowed(used)) {
                let Some(other) = layer(layers, used) else {
                    panic!("{} uses `crate::{used}`", file.path.display())
                };
                assert!(other < own, "{} ({}) uses `crate::{used}`", file.path.display(), file.stage);
            }
        }
    }
}

/// The tools whose files the program imports, each with a converter.
const CONVERTERS: &[&str] = &[
    "adk",
    "assay",
    "coder_eval",
    "deepeval",
    "evalview",
    "maf",
    "mcplab",
    "openai",
    "plugin",
    "promptfoo",
    "skill",
    "vally",
];

/// What the converters share, and what the command does with their results.
const CONVERTER_TOOLS: &[&str] = &[
    "damaged",
    "draft",
    "ids",
    "keys",
    "older_policy",
    "pattern",
    "question",
    "source_dir",
    "statement",
    "summary",
    "table",
    "trial_run",
    "unsupported",
];

#[test]
fn only_the_command_uses_the_converters_of_other_tools() {
    let mut listed: Vec<&str> = [CONVERTERS, CONVERTER_TOOLS].concat();
    listed.sort_unstable();
    assert_eq!(
        rooms("crates/cargo-arraign/src/import"),
        listed,
        "CONVERTERS and CONVERTER_TOOLS list each part"
    );
    for file in files(PROGRAM).iter().filter(|file| file.stage == "import" && file.depth > 1) {
        let module = file.path.iter().skip_while(|part| *part != "import").nth(1).expect("a module");
        let module = module.to_string_lossy().trim_end_matches(".rs").to_owned();
        for used in used_modules(&file.code, file.depth - 1, "crate::import::") {
            let is_foreign = CONVERTERS.contains(&used.as_str()) && used != module;
            assert!(!is_foreign, "{} uses `import::{used}`", file.path.display());
        }
    }
}

/// The rooms of the readers, from left to right.
const READER_ROOMS: &[&str] =
    &["error", "json", "foreign", "reason", "build", "declared", "large", "formats", "set", "harbor"];

#[test]
fn the_rooms_of_the_readers_point_to_the_left() {
    let mut listed = READER_ROOMS.to_vec();
    listed.sort_unstable();
    assert_eq!(rooms("crates/arraign-trace/src/reader"), listed, "READER_ROOMS lists each room");
    let find_room = |room: &str| READER_ROOMS.iter().position(|known| *known == room);
    // `reader/mod.rs` is no room: it reads by the table.
    let is_in_room = |file: &&File| file.stage == "reader" && file.depth > 1;
    for file in files("crates/arraign-trace/src").iter().filter(is_in_room) {
        let room = file.path.iter().skip_while(|part| *part != "reader").nth(1).expect("a room");
        let own = find_room(room.to_string_lossy().trim_end_matches(".rs")).expect("a listed room");
        for used in used_modules(&file.code, file.depth - 1, "crate::reader::") {
            let is_to_the_right = find_room(&used).is_some_and(|other| other > own);
            assert!(!is_to_the_right, "{} uses `{used}`", file.path.display());
        }
    }
}

/// The rooms of the harness, from left to right: what a run needs, in the order of a run.
const HARNESS_ROOMS: &[&str] = &[
    "stderr",
    "settings",
    "cli",
    "workspace",
    "shard",
    "snapshots",
    "quarantine",
    "plan",
    "record",
    "run",
    "output",
];

/// The parts of `Harness` itself, which may use each room. No room uses them.
const HARNESS_PARTS: &[&str] = &["attack", "folder", "ide", "limits", "schema", "selection", "sources"];

#[test]
fn the_rooms_of_the_harness_point_to_the_left() {
    let mut listed = [HARNESS_ROOMS, HARNESS_PARTS].concat();
    listed.sort_unstable();
    assert_eq!(rooms("src/harness"), listed, "HARNESS_ROOMS and HARNESS_PARTS list each room");
    let find_room = |room: &str| {
        let is_part = HARNESS_PARTS.contains(&room).then_some(HARNESS_ROOMS.len());
        HARNESS_ROOMS.iter().position(|known| *known == room).or(is_part)
    };
    // `harness/mod.rs` is no room: it is the builder, and runs the rooms in their order.
    let is_in_room = |file: &&File| file.stage == "harness" && file.depth > 1;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/harness");
    for file in files("src").iter().filter(is_in_room) {
        let room = file.path.strip_prefix(&folder).ok().and_then(|path| path.iter().next()).expect("a room");
        let own = find_room(room.to_string_lossy().trim_end_matches(".rs")).expect("a listed room");
        for used in used_modules(&file.code, file.depth - 1, "crate::harness::") {
            let is_to_the_right = find_room(&used).is_some_and(|other| other > own);
            assert!(!is_to_the_right, "{} uses `{used}`", file.path.display());
        }
    }
}

#[test]
fn only_named_stages_touch_the_world() {
    let rules: &[(&str, &[&str])] = &[
        ("std::fs", &["source", "agent", "harness"]),
        ("std::process", &["source", "agent", "harness"]),
        ("std::env", &["harness"]),
        ("tokio", &["judge", "port", "model", "mocks", "agent", "harness"]),
        ("libtest_mimic", &["harness"]),
        ("granit_parser", &["yaml"]),
        ("ureq", &["http", "model"]),
    ];
    for file in library_files() {
        for (word, allowed) in rules {
            let names = file.code.contains(word) && !allowed.contains(&file.stage.as_str());
            assert!(!names, "{} names `{word}`", file.path.display());
        }
    }
}

/// The folders of checks.
const CHECK_GROUPS: &[&str] = &[
    "answer",
    "budgets",
    "calls",
    "combined",
    "figures",
    "judged",
    "order",
    "trajectory",
    "workspace",
    "world",
];

/// What checks share, and `verification`, a check that is a folder of its own.
const CHECK_TOOLS: &[&str] =
    &["arguments", "json_schema", "support", "tables", "verification", "without_verification"];

/// A check may use `support` and the folders that are named after no check, never another check's file.
#[test]
fn checks_do_not_use_each_other() {
    let mut listed = [CHECK_GROUPS, CHECK_TOOLS].concat();
    listed.sort_unstable();
    assert_eq!(rooms("src/check"), listed, "CHECK_GROUPS and CHECK_TOOLS list each folder");
    let kinds: Vec<&str> = arraign::__internals::check::BUILTIN.iter().map(|kind| kind.name).collect();
    for group in CHECK_GROUPS {
        for file in files("src").iter().filter(|file| file.stage == "check") {
            let in_group = file.path.iter().any(|part| part == *group);
            for kind in &kinds {
                let own =
                    file.path.iter().any(|part| part.to_string_lossy().trim_end_matches(".rs") == *kind);
                let uses = file.code.contains(&format!("{group}::{kind}::{{"))
                    || file.code.contains(&format!("check::{group}::{kind}::"))
                    || in_group && file.code.contains(&format!("super::{kind}::"));
                assert!(own || !uses, "{} uses the check `{kind}`", file.path.display());
            }
        }
    }
}

#[test]
fn no_file_is_named_for_everything() {
    for file in all_files() {
        let name = file.path.file_stem().expect("a name").to_string_lossy().into_owned();
        assert!(!["util", "utils", "helpers", "common", "misc"].contains(&name.as_str()), "{name}");
    }
}

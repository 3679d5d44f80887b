//! Finds the files among the arguments of a command: those it shows and those it rewrites.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::act::Undo;
use super::path::program_name;
use crate::pattern::{WordSet, list_rows};

/// A program that shows files.
struct Shower {
    /// The first argument is a pattern or a script, unless an option gives it.
    has_script: bool,
    /// Options that take a value.
    valued: Vec<&'static str>,
}

static SHOWERS: LazyLock<HashMap<&str, Shower>> = LazyLock::new(|| {
    let rows = list_rows(include_str!("data/showers.txt")).into_iter();
    rows.map(|(name, valued)| (name, Shower { has_script: valued.contains(&"SCRIPT"), valued })).collect()
});

/// Options with which a search shows no line.
const SILENT: &[&str] = &["-l", "-L", "-c", "-q", "--count", "--quiet", "--files-with-matches", "--files"];

/// Programs that change no file of the project, besides those that show files.
static HARMLESS: WordSet = WordSet::new(include_str!("data/programs_harmless.txt"));

/// Git's subcommands that only look.
static GIT_LOOKS: WordSet = WordSet::new(include_str!("data/git_looks.txt"));

/// Whether the command passes its input on, so that the input is in the output.
pub(super) fn passes_on(words: &[String]) -> bool {
    let Some(program) = words.first().map(|word| program_name(word)) else { return false };
    program == "tee" || (SHOWERS.contains_key(program.as_str()) && !is_silent(words))
}

/// Whether the command passes its input on unchanged.
pub(super) fn copies(words: &[String]) -> bool {
    words.first().is_some_and(|word| {
        matches!(program_name(word).as_str(), "tee" | "cat" | "apply_patch" | "patch" | "git")
    })
}

/// Whether it is a search that may name files in its output.
pub(super) fn is_search(program: &str) -> bool {
    matches!(program, "grep" | "egrep" | "fgrep" | "rg" | "ag" | "ack" | "git" | "findstr" | "select-string")
}

fn is_silent(words: &[String]) -> bool {
    let searches = words.first().is_some_and(|word| is_search(&program_name(word)));
    searches && words.iter().any(|word| SILENT.contains(&word.as_str()))
}

/// Lists the files that a command shows.
pub(super) fn shown(words: &[String]) -> Vec<&str> {
    let [program, arguments @ ..] = words else { return Vec::new() };
    let program = program_name(program);
    let Some(shower) = SHOWERS.get(program.as_str()) else { return Vec::new() };
    // A silent search, and an edit in place, show nothing to the agent.
    if is_silent(words) || edits_in_place(&program, arguments) {
        return Vec::new();
    }
    list_operands(arguments, shower.has_script, &shower.valued)
}

/// Lists the arguments that are files: no options, no values of options, no script.
fn list_operands<'w>(arguments: &'w [String], has_script: bool, valued: &[&str]) -> Vec<&'w str> {
    let gives_script = arguments
        .iter()
        .any(|word| matches!(word.as_str(), "-e" | "-f" | "-Pattern") && valued.contains(&word.as_str()));
    // Options go, the word behind an option that takes a value goes, and the first operand goes if it is a script.
    // What is left are the files.
    let mut to_skip = usize::from(has_script && !gives_script);
    let mut is_value = false;
    let mut found = Vec::new();
    for word in arguments {
        let is_option = word.len() > 1 && word.starts_with('-');
        if is_option {
            is_value = valued.contains(&word.as_str());
        } else if is_value || word.is_empty() {
            is_value = false;
        } else if to_skip > 0 {
            to_skip -= 1;
        } else if word != "-" {
            // A dash alone is standard input.
            found.push(word.as_str());
        }
    }
    found
}

/// Whether this is `sed -i`, `perl -pi`, `awk -i inplace`.
fn edits_in_place(program: &str, arguments: &[String]) -> bool {
    let mut options = arguments.iter().filter(|word| word.starts_with('-'));
    // In a cluster of short options, `e` takes the rest as a script: `-ni` edits in place, `-ei` does not.
    // The options of each program differ: only these write their files.
    match program {
        "sed" | "gsed" => options.any(|word| {
            let cluster = word[1..].bytes().take_while(u8::is_ascii_alphabetic);
            word.starts_with("--in-place")
                || (!word.starts_with("--") && cluster.take_while(|b| *b != b'e').any(|b| b == b'i'))
        }),
        "perl" | "ruby" => options.any(|word| {
            !word.starts_with("--") && word.bytes().take_while(|b| *b != b'e').any(|b| b == b'i')
        }),
        "awk" | "gawk" => arguments.windows(2).any(|pair| pair[0] == "-i" && pair[1] == "inplace"),
        _ => false,
    }
}

/// Lists the files that a command rewrites in place.
pub(super) fn rewritten(words: &[String]) -> Vec<&str> {
    let [program, arguments @ ..] = words else { return Vec::new() };
    let program = program_name(program);
    if !edits_in_place(&program, arguments) {
        return Vec::new();
    }
    match program.as_str() {
        // A script is in an option of Perl and Ruby, and is the first operand of the others.
        "perl" | "ruby" => list_operands(arguments, false, SCRIPT_OPTIONS),
        "awk" | "gawk" => list_operands(arguments, true, &["-i", "-F", "-v"]),
        _ => list_operands(arguments, true, &["-e", "-f"]),
    }
}

/// `perl -i -pe SCRIPT`: the option that ends with `e` takes the script.
const SCRIPT_OPTIONS: &[&str] =
    &["-e", "-pe", "-ne", "-pie", "-0pe", "-0777pe", "-lpe", "-lne", "-0pie", "-0777pie"];

/// Lists the files that `tee` and similar commands write.
pub(super) fn teed(words: &[String]) -> Vec<&str> {
    let [program, arguments @ ..] = words else { return Vec::new() };
    match program_name(program).as_str() {
        "tee" => list_operands(arguments, false, &[]),
        program if is_writer(program) => {
            list_operands(arguments, false, NOT_PATHS).into_iter().take(1).collect()
        }
        _ => Vec::new(),
    }
}

/// Cmdlets that write a file: its path comes first, then, perhaps, the text.
fn is_writer(program: &str) -> bool {
    matches!(program, "set-content" | "add-content" | "out-file" | "tee-object")
}

/// The values of these options are no paths.
const NOT_PATHS: &[&str] = &["-Value", "-Encoding", "-InputObject", "-Width"];

/// Returns the text that a cmdlet writes, if it is among the words.
fn find_given_text(arguments: &[String]) -> Option<String> {
    let value = arguments.iter().position(|word| matches!(word.as_str(), "-Value" | "-InputObject"));
    match value {
        Some(at) => arguments.get(at + 1).cloned(),
        None => list_operands(arguments, false, NOT_PATHS).get(1).map(|text| (*text).to_owned()),
    }
}

/// Returns the two paths of `mv FROM TO`.
pub(super) fn moved(words: &[String]) -> Vec<&str> {
    match words {
        [program, arguments @ ..]
            if matches!(program_name(program).as_str(), "mv" | "move" | "move-item") =>
        {
            list_operands(arguments, false, &[])
        }
        [git, mv, arguments @ ..] if git == "git" && mv == "mv" => list_operands(arguments, false, &[]),
        _ => Vec::new(),
    }
}

/// Returns the file that `cp FROM TO` replaces. A copy into a folder keeps the name of what was copied.
pub(super) fn copied_over(words: &[String]) -> Option<&str> {
    let [program, arguments @ ..] = words else { return None };
    let copies =
        matches!(program_name(program).as_str(), "cp" | "copy" | "copy-item" | "install" | "rsync" | "ln");
    let operands =
        if copies { list_operands(arguments, false, &["-m", "-o", "-g", "-t"]) } else { Vec::new() };
    match operands.as_slice() {
        [from, to] if to.ends_with('/') || *to == "." => Some(from),
        [_, to] => Some(to),
        _ => None,
    }
}

/// Lists the files and folders that `rm` deletes.
pub(super) fn deleted(words: &[String]) -> Vec<&str> {
    match words {
        [program, arguments @ ..]
            if matches!(
                program_name(program).as_str(),
                "rm" | "unlink" | "del" | "remove-item" | "shred" | "truncate"
            ) =>
        {
            list_operands(arguments, false, &["-s", "-n"])
        }
        [git, rm, arguments @ ..] if git == "git" && rm == "rm" => list_operands(arguments, false, &[]),
        _ => Vec::new(),
    }
}

/// Splits a command of git into its subcommand and what follows.
fn split_git(words: &[String]) -> Option<(&str, &[String])> {
    let [program, rest @ ..] = words else { return None };
    if program_name(program) != "git" {
        return None;
    }
    // `-C DIR` and `-c NAME=VALUE` take a value.
    let mut at = 0;
    while let Some(word) = rest.get(at).filter(|word| word.starts_with('-')) {
        at += if matches!(word.as_str(), "-C" | "-c") { 2 } else { 1 };
    }
    Some((rest.get(at)?.as_str(), &rest[at + 1..]))
}

/// Returns the subcommand of git that shares work.
pub(super) fn shared(words: &[String]) -> Option<&str> {
    let (subcommand, _) = split_git(words)?;
    matches!(subcommand, "commit" | "push" | "tag" | "merge" | "rebase" | "cherry-pick" | "revert")
        .then_some(subcommand)
}

/// Finds what a command of git puts back: `git checkout -- FILE`, `git restore FILE`, `git stash`, `git reset --hard`.
pub(super) fn find_undo(words: &[String]) -> Option<Undo> {
    let (subcommand, arguments) = split_git(words)?;
    let has = |wanted: &str| arguments.iter().any(|word| word == wanted);
    let first = arguments.first().map_or("", String::as_str);
    match subcommand {
        "stash" => match first {
            "list" | "show" | "drop" | "clear" | "branch" | "create" => None,
            "pop" | "apply" => Some(Undo::Unstash),
            _ => Some(Undo::Stash),
        },
        "reset" => has("--hard").then_some(Undo::All),
        "revert" | "clean" => Some(Undo::All),
        "checkout" | "restore" => {
            let staged_only = has("--staged") && !has("--worktree") && !has("-W");
            let makes_branch = ["-b", "-B", "--orphan"].iter().any(|option| has(option));
            if staged_only || makes_branch {
                return None;
            }
            let dashes = arguments.iter().position(|word| word == "--");
            let operands = match dashes {
                Some(at) => &arguments[at + 1..],
                None => arguments,
            };
            let mut paths = list_operands(operands, false, &["-s", "--source"]).into_iter();
            let path = paths.next()?;
            // Several files, a folder or a pattern: any file may be among them.
            if paths.next().is_some() || path == "." || path.ends_with('/') || path.contains('*') {
                return Some(Undo::All);
            }
            // Without the dashes, the name may be one of a branch.
            let is_file = dashes.is_some() || subcommand == "restore" || path.contains('.');
            is_file.then(|| Undo::File(path.to_owned()))
        }
        _ => None,
    }
}

/// Returns the text that `echo`, `printf` or a cmdlet writes.
pub(super) fn said(words: &[String]) -> Option<String> {
    let [program, arguments @ ..] = words else { return None };
    let program = program_name(program);
    if is_writer(&program) {
        return find_given_text(arguments);
    }
    let speaks = matches!(program.as_str(), "echo" | "printf" | "write-output" | "write-host");
    let words = arguments.iter().filter(|word| !matches!(word.as_str(), "-e" | "-n" | "-en" | "-ne" | "--"));
    speaks.then(|| words.map(String::as_str).collect::<Vec<_>>().join(" ").replace("\\n", "\n"))
}

/// Whether the command applies a patch.
pub(super) fn takes_patch(words: &[String]) -> bool {
    let Some(program) = words.first().map(|word| program_name(word)) else { return false };
    let applies = program == "git" && words.iter().any(|word| word == "apply" || word == "am");
    applies || matches!(program.as_str(), "apply_patch" | "applypatch" | "patch")
}

/// Whether the command shows what changed, and not only that something did.
pub(super) fn shows_difference(words: &[String]) -> bool {
    static ONLY_NAMES: WordSet =
        WordSet::new("--stat --name-only --name-status --shortstat --numstat --quiet -s --summary --check");
    let [program, arguments @ ..] = words else { return false };
    let differs = match program_name(program).as_str() {
        "git" => arguments.iter().any(|word| matches!(word.as_str(), "diff" | "show" | "-p" | "--patch")),
        "jj" | "hg" | "svn" | "sl" => arguments.iter().any(|word| matches!(word.as_str(), "diff" | "show")),
        "diff" | "colordiff" | "delta" => true,
        _ => false,
    };
    differs && !arguments.iter().any(|word| ONLY_NAMES.contains(word))
}

/// Whether the command changes no file of the project.
pub(super) fn is_harmless(words: &[String]) -> bool {
    let [program, arguments @ ..] = words else { return true };
    let program = program_name(program);
    match program.as_str() {
        // The first word that is no option is the command of git.
        "git" => arguments
            .iter()
            .find(|word| !word.starts_with('-'))
            .is_none_or(|word| GIT_LOOKS.contains(word.as_str())),
        program => SHOWERS.contains_key(program) || HARMLESS.contains(program),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn shown_files_are_told_from_scripts_and_values() {
        for (line, files) in [
            ("cat a.py b.py", &["a.py", "b.py"][..]),
            ("head -n 20 a.py", &["a.py"]),
            ("head -20 a.py", &["a.py"]),
            ("sed -n 10,20p a.py", &["a.py"]),
            ("grep -n foo a.py", &["a.py"]),
            ("grep -e foo a.py", &["a.py"]),
            ("rg -l foo src", &[]),
            ("sed -i s/a/b/ a.py", &[]),
            ("ls a.py", &[]),
        ] {
            assert_eq!(shown(&words(line)), files, "{line}");
        }
    }

    #[test]
    fn files_rewritten_in_place_are_found() {
        for line in [
            "sed -i s/a/b/ a.py",
            "sed -i.bak -e s/a/b/ a.py",
            "sed -Ei s/a/b/ a.py",
            "perl -pi -e s/a/b/ a.py",
            "perl -i -pe s/a/b/ a.py",
        ] {
            assert_eq!(rewritten(&words(line)), ["a.py"], "{line}");
        }
        assert_eq!(rewritten(&words("sed -n 1,2p a.py")), Vec::<&str>::new());
    }
}

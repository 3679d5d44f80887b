//! Strips wrappers off commands: `CI=1 sudo timeout 60 uv run python -m pytest -q` runs `pytest -q`.

use std::sync::LazyLock;

use crate::check::verification::path::{file_name, program_name};
use crate::pattern::list_rows;

/// Programs that run the command after them, and those of their options that take a value.
static WRAPPERS: LazyLock<Vec<(&str, Vec<&str>)>> =
    LazyLock::new(|| list_rows(include_str!("../data/wrappers.txt")));

/// Wrappers that have one more word before the command: a duration, a folder, a container.
const WITH_OPERAND: &[&str] = &["timeout", "gtimeout", "direnv", "docker", "podman", "docker-compose"];

/// The greatest number of wrappers that are stripped.
const MAX_WRAPPERS: usize = 8;

/// The command, then the command without its outermost wrapper, and so on to the innermost.
pub(in crate::check::verification) fn stages(words: &[String]) -> Vec<&[String]> {
    let mut stages = Vec::new();
    let mut words = without_assignments(words);
    // Wrappers may be nested, such as `sudo env timeout 5`, and the limit ends a hostile line.
    while !words.is_empty() && stages.len() <= MAX_WRAPPERS {
        stages.push(words);
        let Some(inner) = strip_wrapper(words) else { break };
        words = without_assignments(inner);
    }
    stages
}

fn without_assignments(words: &[String]) -> &[String] {
    let count = words.iter().take_while(|word| is_assignment(word)).count();
    &words[count..]
}

fn is_assignment(word: &str) -> bool {
    let Some((name, _)) = word.split_once('=') else { return false };
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn strip_wrapper(words: &[String]) -> Option<&[String]> {
    // Python runs modules, package managers run scripts by their bare names, and all other wrappers are in the table
    // with the options that take a value.
    let program = file_name(words.first()?);
    if is_python(program) {
        return find_module(&words[1..]);
    }
    // `yarn test`, `php vendor/bin/phpunit`: what follows is run. An option instead means that they run something of
    // their own.
    if matches!(program, "yarn" | "pnpm" | "bun" | "bash" | "sh" | "php" | "corepack") {
        return words.get(1).filter(|word| !word.starts_with('-')).map(|_| &words[1..]);
    }
    let (name, valued) = WRAPPERS.iter().find(|(name, _)| begins_with(words, program, name))?;
    let rest = after_options(&words[name.split(' ').count()..], valued);
    let has_operand = WITH_OPERAND.contains(&program) && !rest.is_empty();
    Some(if has_operand { &rest[1..] } else { rest })
}

fn begins_with(words: &[String], program: &str, name: &str) -> bool {
    let mut parts = name.split(' ');
    parts.next() == Some(program)
        && parts.enumerate().all(|(index, part)| words.get(index + 1).is_some_and(|word| word == part))
}

fn after_options<'w>(words: &'w [String], valued: &[&str]) -> &'w [String] {
    let mut rest = words;
    while let [option, after @ ..] = rest
        && option.starts_with('-')
    {
        // `coverage run -m pytest`: the value of -m is the command.
        let takes_value = valued.contains(&option.as_str()) && option != "-m";
        rest = if takes_value { after.get(1..).unwrap_or_default() } else { after };
    }
    rest
}

fn is_python(program: &str) -> bool {
    let version = program.strip_prefix("python").or_else(|| program.strip_prefix("pypy"));
    program == "py"
        || version.is_some_and(|version| version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'))
}

/// `-W error -m pytest -q` runs the module `pytest`.
fn find_module(arguments: &[String]) -> Option<&[String]> {
    let options = arguments.iter().take_while(|word| {
        // The words after `-W` are its values and no module.
        word.starts_with('-') || matches!(word.as_str(), "error" | "dev" | "ignore" | "default")
    });
    let at = options.take_while(|word| *word != "-m").count();
    (arguments.get(at)? == "-m").then(|| &arguments[at + 1..])
}

/// Returns the line that a shell runs: `bash -lc LINE`, `eval LINE`.
pub(super) fn inner_line(words: &[String]) -> Option<String> {
    let stages = stages(words);
    if let Some(line) = stages.last().and_then(|words| windows_line(words)) {
        return Some(line);
    }
    let (program, rest) = stages.iter().find_map(|words| {
        let program = file_name(words.first()?);
        matches!(program, "bash" | "sh" | "zsh" | "dash" | "ksh" | "fish" | "eval")
            .then_some((program, &words[1..]))
    })?;
    if program == "eval" {
        return Some(rest.join(" "));
    }
    // The line comes after `-c`. A word before it is the name of a script file, which is no line.
    let at = rest.iter().position(|word| !word.starts_with('-') || is_command_option(word))?;
    if is_command_option(&rest[at]) {
        rest[at + 1..].iter().find(|word| !word.starts_with('-')).cloned()
    } else {
        None
    }
}

/// The line after `powershell -NoProfile -Command`, `cmd /c`: all words to the end.
fn windows_line(words: &[String]) -> Option<String> {
    let [program, rest @ ..] = words else { return None };
    let options: &[&str] = match program_name(program).to_ascii_lowercase().as_str() {
        "powershell" | "pwsh" => &["-command", "-c"],
        "cmd" => &["/c", "/k"],
        _ => return None,
    };
    let at = rest.iter().position(|word| options.contains(&word.to_ascii_lowercase().as_str()))?;
    Some(rest[at + 1..].join(" "))
}

/// `-c`, `-lc`, `-exc`.
fn is_command_option(word: &str) -> bool {
    word.strip_prefix('-').is_some_and(|letters| {
        letters.ends_with('c') && letters.bytes().all(|byte| byte.is_ascii_lowercase())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_command_is_found() {
        for (line, wanted) in [
            ("CI=1 sudo -u ci timeout -k 5 60 uv run --with x python3.12 -m pytest -q", "pytest -q"),
            ("npx --yes jest --ci", "jest --ci"),
            ("coverage run -m pytest", "pytest"),
            ("python -W error -m unittest", "unittest"),
            ("docker compose exec -e A=1 web pytest", "pytest"),
            ("env A=1 B=2 go test ./...", "go test ./..."),
            ("time", "time"),
            ("python app.py", "python app.py"),
        ] {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            assert_eq!(stages(&words).last().map(|words| words.join(" ")).as_deref(), Some(wanted), "{line}");
        }
    }
}

//! `command:` an agent that is a process.

use super::{mark_common_keys, parse_bytes};
use crate::case::{CommandLine, check_argument};
use crate::check::parse_reader_name;
use crate::place::{LoadError, LoadErrors};
use crate::yaml::{Fields, Node, Value, read_all};

pub(super) fn parse_command_line(node: Node<'_>, readers: &[&str]) -> Result<CommandLine, LoadErrors> {
    let mut fields = Fields::of(node, "an agent")?;
    mark_common_keys(&mut fields);
    // Known here so that it is suggested.
    fields.node("http");
    let words = fields.parse("command", parse_agent_words);
    if words.is_none() && fields.errors.is_empty() {
        let error =
            node.error("an agent here needs its `command: [program, argument]` or its `http: {url: ...}`");
        fields.missing(&["command"], error);
    }
    let command = CommandLine {
        env: fields.parse("env", parse_variables).unwrap_or_default(),
        cwd: fields.optional("cwd"),
        timeout: fields.parse("timeout", |node| node.parse_time("timeout")),
        output_limit: fields.parse("output_limit", parse_bytes),
        format: fields.node("format").and_then(|node| fields.take(parse_reader_name(node, readers))),
        ..CommandLine::default()
    };
    let whole = words.map(|(program, arguments)| CommandLine { program, arguments, ..command });
    fields.finish_some(whole)
}

/// The program and its arguments, which may have placeholders.
fn parse_agent_words(node: Node<'_>) -> Result<(String, Vec<String>), LoadErrors> {
    let (program, arguments) = parse_words(node)?;
    let mut errors = LoadErrors::new();
    let mut before: Option<&str> = None;
    let words: Vec<&str> = std::iter::once(&program).chain(&arguments).map(String::as_str).collect();
    for (node, word) in node.list().into_iter().flatten().zip(words) {
        match check_argument(word) {
            Err(problem) => errors.push(node.error(problem)),
            // What the case asks must not decide which program starts, nor be run as code.
            Ok(true) if before.is_none() => {
                errors
                    .push(node.error("the program itself can have no placeholder").help("name the program"));
            }
            Ok(true) if is_shell(&program) && before.is_some_and(is_script_flag) => {
                let error = node.error("a shell would run what the case asks as code");
                errors.push(error.help(
                    "pass it as an argument of its own: `[sh, -c, 'agent \"$1\"', sh, \"{{input}}\"]`",
                ));
            }
            Ok(_) => {}
        }
        before = Some(word);
    }
    errors.or((program, arguments))
}

/// The programs that run an argument as code.
const SHELLS: [&str; 10] = ["sh", "bash", "zsh", "dash", "ksh", "fish", "ash", "cmd", "powershell", "pwsh"];

fn is_shell(program: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default().to_lowercase();
    SHELLS.contains(&name.strip_suffix(".exe").unwrap_or(&name))
}

/// Whether the argument behind `flag` is a script: `-c`, `-lc`, `/C`, `-Command`.
fn is_script_flag(flag: &str) -> bool {
    let flag = flag.to_lowercase();
    let is_short = flag.starts_with('-') && !flag.starts_with("--") && flag.ends_with('c');
    is_short || ["/c", "/k", "-command", "--command", "-encodedcommand"].contains(&flag.as_str())
}

/// The program and its arguments; a number is the text that it is written as.
pub(in crate::suite) fn parse_words(node: Node<'_>) -> Result<(String, Vec<String>), LoadErrors> {
    let Some(list) = node.list() else {
        let error = node.error("`command` is a list: the program, then its arguments");
        return Err(error.help("there is no shell; for one, write `[sh, -c, \"...\"]`").into());
    };
    let mut words = read_all(list.map(parse_word))?.into_iter();
    match words.next().filter(|program| !program.is_empty()) {
        Some(program) => Ok((program, words.collect())),
        None => Err(node.error("`command` names no program").into()),
    }
}

fn parse_word(node: Node<'_>) -> Result<String, LoadError> {
    let text = match node.value() {
        Value::Number(number) if number.is_written_as_integer() => number.to_string(),
        _ => node.decode::<String>()?,
    };
    // The operating system ends an argument at this character.
    if text.contains('\0') { Err(node.error("no argument can hold a null character")) } else { Ok(text) }
}

/// Names of variables, never their values: those would stand in the repository.
pub(in crate::suite) fn parse_variables(node: Node<'_>) -> Result<Vec<String>, LoadErrors> {
    let Some(list) = node.list() else {
        return Err(node.error("`env` is a list of names of variables").into());
    };
    read_all(list.map(parse_variable))
}

fn parse_variable(node: Node<'_>) -> Result<String, LoadError> {
    let name: String = node.decode()?;
    if name.is_empty() || name.contains(['=', '\0']) {
        let error = node.error("not the name of a variable");
        return Err(error.help("values come from the environment of the test"));
    }
    Ok(name)
}

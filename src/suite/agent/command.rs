//! `command:` an agent that is a process.

use serde::Deserialize;

use crate::JsonSchema;
use crate::case::{CommandLine, check_argument};
use crate::place::LoadErrors;
use crate::yaml::{Build, Label, Placed, Unparsed};

/// The name of an environment variable, never its value: that would be kept in the repository.
#[derive(Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(try_from = "String")]
pub(in crate::suite) struct VariableName(pub(in crate::suite) String);

impl TryFrom<String> for VariableName {
    type Error = &'static str;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        if name.is_empty() || name.contains(['=', '\0']) {
            return Err("not the name of a variable: values come from the environment of the test");
        }
        Ok(Self(name))
    }
}

/// A program and its arguments. A number is the text that it is written as.
#[derive(Deserialize, JsonSchema)]
#[schemars(inline)]
pub(in crate::suite) struct CommandWords(Unparsed<Vec<Label>>);

impl CommandWords {
    fn parse(&self) -> Result<Vec<Placed<Label>>, LoadErrors> {
        let node = self.0.node();
        if node.list().is_none() {
            let error = node.error("a command is a list: the program, then its arguments");
            return Err(error.help("there is no shell; for one, write `[sh, -c, \"...\"]`").into());
        }
        let words: Vec<Placed<Label>> = node.decode_all()?;
        if words.first().is_none_or(|program| program.0.is_empty()) {
            return Err(node.error("the command names no program").into());
        }
        let mut errors = LoadErrors::new();
        for word in &words {
            // The operating system ends an argument at this character.
            if word.0.contains('\0') {
                errors.push(word.error("no argument can hold a null character"));
            }
        }
        errors.or(words)
    }
}

/// Returns the command of these words, of which the first is the program.
fn make_command(words: Vec<Placed<Label>>) -> CommandLine {
    let mut words = words.into_iter().map(|word| word.into_value().0);
    let program = words.next().unwrap_or_default();
    CommandLine { program, arguments: words.collect(), ..CommandLine::default() }
}

impl Build for CommandWords {
    type Built = CommandLine;

    fn build(written: Placed<Self>) -> Result<CommandLine, LoadErrors> {
        written.parse().map(make_command)
    }
}

/// The command of an agent, whose arguments may have placeholders.
#[derive(Deserialize, JsonSchema)]
#[schemars(inline)]
pub(super) struct AgentWords(CommandWords);

impl Build for AgentWords {
    type Built = CommandLine;

    fn build(written: Placed<Self>) -> Result<CommandLine, LoadErrors> {
        let words = written.0.parse()?;
        let mut errors = LoadErrors::new();
        let mut before: Option<&str> = None;
        for word in &words {
            match check_argument(&word.0) {
                Err(problem) => errors.push(word.error(problem)),
                // What the case asks must not decide which program starts, nor be run as code.
                Ok(true) if before.is_none() => {
                    let error = word.error("the program itself can have no placeholder");
                    errors.push(error.help("name the program"));
                }
                Ok(true) if is_shell(&words[0].0) && before.is_some_and(is_script_flag) => {
                    let error = word.error("a shell would run what the case asks as code");
                    errors.push(error.help(
                        "pass it as an argument of its own: `[sh, -c, 'agent \"$1\"', sh, \"{{input}}\"]`",
                    ));
                }
                Ok(_) => {}
            }
            before = Some(&word.0);
        }
        errors.or(make_command(words))
    }
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

//! The commands of a shell line, with their input and the files that they write.

mod lex;
mod unwrap;

use self::lex::{Token, tokens};
pub(super) use self::unwrap::stages;

/// The greatest depth of nested shells, `bash -c "bash -c ..."`.
const MAX_DEPTH: usize = 4;

/// The longest name of a folder.
const MAX_FOLDER: usize = 500;

/// The operator between a command and the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Next {
    /// Nothing follows.
    #[default]
    End,
    /// The next one runs anyway.
    Then,
    /// The next one runs if this one worked.
    And,
    /// The next one runs if this one failed: it hides the failure.
    Or,
    /// The next one reads what this one writes.
    Pipe,
}

/// One command of a line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Command {
    /// The words of the command, the program first.
    pub(super) words: Vec<String>,
    /// The files that its output is written to.
    pub(super) writes: Vec<String>,
    /// The text on its standard input.
    pub(super) input: Option<String>,
    /// The working folder, if the line sets it.
    pub(super) folder: String,
    /// The operator after the command.
    pub(super) next: Next,
}

/// The commands of `line`, those inside of `bash -c` included.
pub(super) fn commands(line: &str) -> Vec<Command> {
    let mut found = Vec::new();
    collect_commands(line, "", 0, &mut found);
    found
}

fn collect_commands(line: &str, folder: &str, depth: usize, found: &mut Vec<Command>) {
    let mut folder = folder.to_owned();
    for command in split_line(line) {
        match unwrap::inner_line(&command.words) {
            // A line in a line runs in the folder of its shell, and what follows the shell follows its last command.
            Some(line) if depth < MAX_DEPTH => {
                collect_commands(&line, &folder, depth + 1, found);
                if let Some(last) = found.last_mut() {
                    last.next = command.next;
                }
            }
            _ => {
                if let [program, target, ..] = command.words.as_slice()
                    && matches!(program.as_str(), "cd" | "pushd")
                {
                    folder = super::path::join(&folder, target);
                    // A folder of a line that changes it endlessly is unknown, which costs less than a long path for
                    // each command.
                    if folder.len() > MAX_FOLDER {
                        folder.clear();
                    }
                }
                found.push(Command { folder: folder.clone(), ..command });
            }
        }
    }
}

fn split_line(line: &str) -> Vec<Command> {
    let mut commands = Vec::new();
    let mut now = Command::default();
    // Where the pipe that is being read begins.
    let mut head = 0;
    let mut tokens = tokens(line).into_iter();
    while let Some(token) = tokens.next() {
        match token {
            Token::Word(word) if now.words.is_empty() && is_keyword(&word) => {}
            Token::Word(word) => now.words.push(word),
            Token::Write => now.writes.extend(take_target(&mut tokens)),
            // Other redirections take a word that is no argument either.
            Token::Other | Token::HereDocument => drop(take_target(&mut tokens)),
            Token::HereText => now.input = take_target(&mut tokens),
            // A text belongs to the first command of its pipe: in `cat <<A | tee b` to `cat`.
            Token::Text(text) => commands.get_mut(head).unwrap_or(&mut now).input = Some(text),
            Token::Pipe => finish_command(&mut now, Next::Pipe, &mut commands),
            end => {
                finish_command(&mut now, end_of(&end), &mut commands);
                head = commands.len();
            }
        }
    }
    finish_command(&mut now, Next::End, &mut commands);
    if let Some(last) = commands.last_mut() {
        last.next = Next::End;
    }
    commands
}

/// Words of the shell's own that stand before a command.
fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "if" | "then" | "elif" | "else" | "while" | "until" | "do" | "!" | "{" | "}" | "fi" | "done"
    )
}

/// The word that a redirection takes.
fn take_target(tokens: &mut std::vec::IntoIter<Token>) -> Option<String> {
    match tokens.as_slice().first() {
        Some(Token::Word(_)) => tokens.next().and_then(|token| match token {
            Token::Word(word) => Some(word),
            _ => None,
        }),
        _ => None,
    }
}

fn end_of(token: &Token) -> Next {
    match token {
        Token::And => Next::And,
        Token::Or => Next::Or,
        _ => Next::Then,
    }
}

fn finish_command(now: &mut Command, next: Next, commands: &mut Vec<Command>) {
    // An empty command comes from a separator at the end, or from two in a row.
    if now.words.is_empty() && now.writes.is_empty() {
        return;
    }
    commands.push(Command { next, ..std::mem::take(now) });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(line: &str) -> Vec<String> {
        commands(line).iter().map(|command| command.words.join(" ")).collect()
    }

    #[test]
    fn a_line_is_its_commands() {
        assert_eq!(
            lines("cd app && CI=1 timeout 60 pytest -q | tail -5; ls 2>&1 &"),
            ["cd app", "CI=1 timeout 60 pytest -q", "tail -5", "ls"]
        );
        assert_eq!(lines("if grep -q 'a;b' c; then pytest; fi"), ["grep -q a;b c", "pytest"]);
    }

    #[test]
    fn an_inner_shell_is_read_too() {
        assert_eq!(
            lines(r#"bash -lc "cd app && bash -c 'cargo test'" || true"#),
            ["cd app", "cargo test", "true"]
        );
        assert_eq!(commands("bash -c 'pytest' || true")[0].next, Next::Or);
        assert_eq!(lines("powershell.exe -NoProfile -Command \"dotnet test; ls\""), ["dotnet test", "ls"]);
        assert_eq!(lines("cmd /c gradlew.bat test"), ["gradlew.bat test"]);
    }

    #[test]
    fn a_command_knows_its_folder_and_what_it_writes() {
        let found = commands("cd app && cat <<'EOF' > a.py\nx = 1\nEOF\ncat a.py >/dev/null");
        assert_eq!((found[1].folder.as_str(), found[1].writes.as_slice()), ("app", &["a.py".to_owned()][..]));
        assert_eq!(found[1].input.as_deref(), Some("x = 1\n"));
        assert_eq!(found[2].writes, ["/dev/null"]);
    }

    #[test]
    fn a_text_belongs_to_the_head_of_the_pipe() {
        let found = commands("cat <<EOF | tee a.py\nx = 1\nEOF");
        assert_eq!(found[0].input.as_deref(), Some("x = 1\n"));
    }
}

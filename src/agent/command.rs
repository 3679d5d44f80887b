//! Agents as processes: the case's input on standard input, a trace on standard output.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::AsyncWriteExt as _;
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::adopted::Mark;
use super::capture::{CapturedOutput, DRAIN_TIMEOUT, MAX_STDERR_BYTES};
use super::error::refuse_secrets;
use super::group::{ProcessGroup, wait_for_exit};
use super::into_trace::{answer_only_trace, read_single_run};
use super::workspace::room::Room;
use super::{AgentEnvironment, AgentInput, AgentProblem, AgentTask, OUTPUT_LIMIT};
use crate::case::{CommandLine, fill_argument};
use crate::json;
use crate::reader::{ReaderSet, to_native};
use crate::secrets::{Secrets, names_a_secret};
use crate::trace::Trace;

/// The variable with the address of the MCP server with the case's mock tools.
pub const MCP_VARIABLE: &str = "ARRAIGN_MCP_URL";

/// How a program says its answer without a trace.
const ANSWER_HELP: &str = "standard output is for the trace alone, logs belong on standard error; an answer without a word \
    on calls is a trace as well: {\"calls\": [], \"calls_unrecorded\": true, \"answer\": \"...\"}";

/// The environment variables that every process inherits. The interpreters of Windows need more than two: without `TEMP`
/// their temporary folder is that of the system, and without `USERPROFILE` they have no home.
const INHERITED_VARIABLES: &[&str] = if cfg!(windows) {
    &[
        "PATH",
        "PATHEXT",
        "SystemRoot",
        "ComSpec",
        "TEMP",
        "TMP",
        "HOME",
        "USERPROFILE",
        "APPDATA",
        "LOCALAPPDATA",
    ]
} else {
    &["PATH", "HOME"]
};

/// The run of a process or its problem, and the end of its standard error.
pub(super) type CommandResult = (Result<Trace, AgentProblem>, String);

/// Runs the agent `line` of `task`. After its limit its whole process group is killed.
pub(super) async fn ask_command(
    line: &CommandLine,
    task: &AgentTask,
    input: &AgentInput,
    environment: &AgentEnvironment,
) -> CommandResult {
    let secrets = collect_secrets(line, environment);
    let mut text = json::to_vec(input).unwrap_or_default();
    text.push(b'\n');
    let (ended, stderr) = run_process(line, Some(input), text, task.find_limit(), environment).await;
    let answer = match ended {
        Err(problem) => Err(problem),
        Ok(output) => {
            let spoken = NonJsonOutput::expected(input, line);
            read_trace(output, line.format.clone(), spoken, secrets, task.readers.clone()).await
        }
    };
    (answer, stderr)
}

/// Runs a process with `text` on its standard input. Returns its output or its problem, and the masked end of its standard
/// error. `input` is that of an agent, whose addresses the process gets.
pub(super) async fn run_process(
    line: &CommandLine,
    input: Option<&AgentInput>,
    text: Vec<u8>,
    limit: Duration,
    environment: &AgentEnvironment,
) -> (Result<Vec<u8>, AgentProblem>, String) {
    let variables = collect_variables(line, environment, input);
    let filled = match input.map(|input| fill_arguments(line, input, environment)).transpose() {
        Ok(filled) => filled,
        Err(problem) => return (Err(problem), String::new()),
    };
    let child = match start_process(filled.as_ref().unwrap_or(line), variables, environment) {
        Ok(child) => child,
        Err(problem) => return (Err(problem), String::new()),
    };
    let mut session = ProcessSession {
        output_limit: line.output_limit.unwrap_or(OUTPUT_LIMIT),
        ..ProcessSession::default()
    };
    // After a timeout the future is dropped, which kills the process. Its output so far remains in the session.
    let ended = timeout(limit, session.run_to_end(child, text)).await;
    let secrets = collect_secrets(line, environment);
    let stderr = environment.rewrite(truncate_front(&secrets.mask_text(session.stderr.to_text())));
    let output = match ended {
        Err(_) => Err(AgentProblem::OutOfTime(limit)),
        Ok(Err(problem)) => Err(problem),
        Ok(Ok(status)) if !status.success() => Err(AgentProblem::Exited(status)),
        Ok(Ok(_)) => Ok(session.stdout.bytes),
    };
    (output, stderr)
}

/// Returns the command with its placeholders filled in, each within its argument.
pub(super) fn fill_arguments(
    line: &CommandLine,
    input: &AgentInput,
    environment: &AgentEnvironment,
) -> Result<CommandLine, AgentProblem> {
    let mut asked = json::to_json(input).map_err(|error| AgentProblem::NotAsked(error.into()))?;
    // An input without a text has no `query`, and an argument that uses it says so.
    if let Some(names) = asked.as_object_mut().filter(|_| input.query.is_empty()) {
        names.remove("query");
    }
    // A command in a workspace finds the package by this name.
    asked["package"] = environment.folder.to_string_lossy().into_owned().into();
    let arguments = line.arguments.iter().map(|argument| fill_argument(argument, &asked));
    let arguments =
        arguments.collect::<Result<_, _>>().map_err(|error| AgentProblem::NotAsked(error.into()))?;
    Ok(CommandLine { arguments, ..line.clone() })
}

/// Returns the variables of the process. A later one replaces an earlier one: those that a variant sets replace inherited ones,
/// and those about the model replace all others.
pub(super) fn collect_variables(
    line: &CommandLine,
    environment: &AgentEnvironment,
    input: Option<&AgentInput>,
) -> Vec<(String, OsString)> {
    let mut variables = inherit_variables(&line.env, environment);
    let of_variant = input.into_iter().flat_map(|input| &input.variant.values);
    variables.extend(of_variant.map(|(name, value)| (name.clone(), value.into())));
    let model = input.and_then(|input| input.model.as_ref());
    let of_model = model.map(|model| model.list_variables(&line.env)).unwrap_or_default();
    variables.extend(of_model.into_iter().map(|(name, value)| (name, value.into())));
    let url = input.and_then(|input| input.mcp_url.as_ref());
    variables.extend(url.map(|url| (MCP_VARIABLE.to_owned(), url.into())));
    let of_room = environment.room.iter().flat_map(Room::list_variables);
    variables.extend(of_room.map(|(name, path)| (name.to_owned(), path.into_os_string())));
    variables
}

/// Returns the variables that every process inherits, and those called `env`.
pub(super) fn inherit_variables(env: &[String], environment: &AgentEnvironment) -> Vec<(String, OsString)> {
    let names = INHERITED_VARIABLES.iter().copied().chain(env.iter().map(String::as_str));
    names.filter_map(|name| Some((name.to_owned(), (environment.variable)(name)?))).collect()
}

/// The meaning of an output that is not JSON.
#[derive(Clone, Copy)]
pub(super) enum NonJsonOutput {
    /// A mistake.
    Mistake,
    /// Nothing of importance: the exchanges with the model are the trace.
    Noise,
    /// The answer: the mock tools or the model know the calls.
    Answer,
}

impl NonJsonOutput {
    /// What an output in a conversation is: an answer can end it, also where the exchanges with the model are the trace.
    pub(super) fn expected_in_turn(input: &AgentInput, line: &CommandLine) -> Self {
        match Self::expected(input, line) {
            Self::Noise => Self::Answer,
            other => other,
        }
    }

    pub(super) fn expected(input: &AgentInput, line: &CommandLine) -> Self {
        match (&line.format, &input.model, &input.mcp_url) {
            (None, Some(_), _) => Self::Noise,
            (None, None, Some(_)) => Self::Answer,
            _ => Self::Mistake,
        }
    }
}

/// Returns the inherited variables that look like secrets, by name.
pub(super) fn collect_secrets(line: &CommandLine, environment: &AgentEnvironment) -> Secrets {
    let mut secrets = Secrets::default();
    let variables = collect_variables(line, environment, None);
    // A variable that is no secret by its name would be masked everywhere in the trace.
    for (name, value) in variables.iter().filter(|(name, _)| names_a_secret(name)) {
        secrets.add_value(name, value.to_str().unwrap_or_default());
    }
    secrets
}

/// A process with its pipes.
pub(super) struct StartedProcess {
    /// Dropping the group kills it. It is dropped before its leader, whose id is free for another group afterwards.
    pub(super) group: Option<ProcessGroup>,
    pub(super) child: Child,
    pub(super) stdin: ChildStdin,
    pub(super) stdout: ChildStdout,
    pub(super) stderr: ChildStderr,
}

pub(super) fn start_process(
    line: &CommandLine,
    variables: Vec<(String, OsString)>,
    environment: &AgentEnvironment,
) -> Result<StartedProcess, AgentProblem> {
    let base = environment.working_folder();
    let folder = line.cwd.as_ref().map_or_else(|| base.to_owned(), |cwd| base.join(cwd));
    // Starting in a missing folder fails as if the program were missing, which would mislead.
    if !folder.is_dir() {
        let error = std::io::Error::new(std::io::ErrorKind::NotFound, "the working folder does not exist");
        return Err(AgentProblem::NotStarted { program: folder.display().to_string(), error });
    }
    let mut command = Command::new(resolve_program(line, &folder, environment));
    let mark = Mark::new();
    command.args(&line.arguments).env_clear().envs(variables).current_dir(folder);
    mark.set_on(&mut command);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    // A group of its own can be ended with all of its children.
    #[cfg(unix)]
    command.process_group(0);
    let mut child =
        command.spawn().map_err(|error| AgentProblem::NotStarted { program: line.program.clone(), error })?;
    let group = child.id().map(|leader| ProcessGroup::new(leader, mark));
    let (Some(stdin), Some(stdout), Some(stderr)) =
        (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        return Err(AgentProblem::Lost(std::io::Error::other("the process has no pipes")));
    };
    Ok(StartedProcess { group, child, stdin, stdout, stderr })
}

/// Resolves a program with a path against its working folder, on every system. In a workspace, it is one of the package: an agent
/// must not replace it.
fn resolve_program(line: &CommandLine, folder: &Path, environment: &AgentEnvironment) -> PathBuf {
    let path = Path::new(&line.program);
    let folder = if environment.room.is_some() { &environment.folder } else { folder };
    if path.components().count() > 1 { folder.join(path) } else { path.to_owned() }
}

/// The captured output of a process.
#[derive(Default)]
struct ProcessSession {
    output_limit: usize,
    stdout: CapturedOutput,
    stderr: CapturedOutput,
}

impl ProcessSession {
    /// Writes the input, and reads until the process has ended. Dropping the future kills the process group.
    async fn run_to_end(
        &mut self,
        process: StartedProcess,
        input: Vec<u8>,
    ) -> Result<ExitStatus, AgentProblem> {
        let StartedProcess { mut child, mut group, stdin, stdout, stderr } = process;
        let pipes = async {
            tokio::try_join!(
                write_input(stdin, input),
                self.stdout.read_all(stdout, self.output_limit),
                self.stderr.read_tail(stderr, 2 * MAX_STDERR_BYTES)
            )
            .map(drop)
        };
        tokio::pin!(pipes);
        // The exit and the end of the pipes can come in either order: a process may exit while its children hold the pipes
        // open, or close its pipes and go on. After the exit the group is killed, and the pipes have a short time left.
        tokio::select! {
            status = wait_for_exit(&mut child, &mut group) => {
                timeout(DRAIN_TIMEOUT, pipes).await.unwrap_or(Ok(()))?;
                status.map_err(AgentProblem::Lost)
            }
            done = &mut pipes => {
                done?;
                wait_for_exit(&mut child, &mut group).await.map_err(AgentProblem::Lost)
            }
        }
    }
}

/// Returns the last [`MAX_STDERR_BYTES`] of a text. The caller reads more than that and masks secrets before, so that a
/// secret is never cut in two.
pub(super) fn truncate_front(text: &str) -> String {
    // The cut moves forward to the start of a character.
    text[text.ceil_char_boundary(text.len().saturating_sub(MAX_STDERR_BYTES))..].to_owned()
}

/// Writes the input. A failure is ignored, since an agent need not read its input.
async fn write_input(mut stdin: ChildStdin, input: Vec<u8>) -> Result<(), AgentProblem> {
    let _ = stdin.write_all(&input).await;
    Ok(())
}

/// Says what a program printed instead of a trace, and how an answer without a trace is one.
fn explain_output(problem: AgentProblem, text: &str) -> AgentProblem {
    match problem.quoting("it printed", text) {
        AgentProblem::Nonsense(why) if !arraign_trace::reader::looks_like_json(text) => {
            AgentProblem::Nonsense(format!("{why}\n{ANSWER_HELP}"))
        }
        other => other,
    }
}

pub(super) async fn read_trace(
    bytes: Vec<u8>,
    format: Option<String>,
    spoken: NonJsonOutput,
    secrets: Secrets,
    readers: ReaderSet,
) -> Result<Trace, AgentProblem> {
    let read = spawn_blocking(move || {
        let text = String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            AgentProblem::Nonsense(format!("invalid UTF-8 at byte {at}"))
        })?;
        refuse_secrets(&text, &secrets)?;
        // A program that was asked for no trace may print what it likes: what its output means depends on who else
        // knows the calls.
        if !arraign_trace::reader::looks_like_json(&text) {
            match spoken {
                NonJsonOutput::Mistake => {}
                NonJsonOutput::Noise => return Err(AgentProblem::NoTrace),
                NonJsonOutput::Answer => {
                    let mut trace = answer_only_trace(String::new(), text.trim().to_owned());
                    trace.answer = trace.answer.filter(|answer| !answer.is_empty());
                    return Ok(trace);
                }
            }
        }
        let read = read_single_run(&text, format.as_deref(), &readers);
        let trace = read.map_err(|problem| explain_output(problem, &text))?;
        // A reader joins what a stream sends in pieces, so what would be recorded is searched as well.
        refuse_secrets(&to_native(&trace), &secrets).map(|()| trace)
    });
    read.await.unwrap_or_else(|died| Err(AgentProblem::Nonsense(format!("the reader failed: {died}"))))
}

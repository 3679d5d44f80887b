//! The known name that a user probably means by one that is not known.

use arraign_trace::suggest::{self, nearest};

/// Names that other tools, APIs and test frameworks give to one thing. Each list has a name that arraign knows.
const SYNONYMS: &[&[&str]] = &[
    &["args", "arguments", "parameters", "params", "kwargs", "tool_args", "tool_input", "input"],
    &["tool", "name", "function", "tool_name", "function_name"],
    &["result", "output", "return", "returns", "response", "tool_output"],
    &["id", "name", "case_id", "test_id", "eval_id"],
    &["input", "query", "prompt", "question", "user_input", "user_message", "task", "goal"],
    &["turns", "conversation", "dialog", "dialogue", "messages"],
    &[
        "expect",
        "assert",
        "asserts",
        "assertions",
        "checks",
        "expectations",
        "evaluators",
        "scorers",
        "graders",
    ],
    &["tests", "cases", "test_cases", "scenarios", "evals", "samples"],
    &["each", "rows", "parametrize", "parameters", "matrix", "vars", "dataset"],
    &["trace", "transcript", "recording", "session", "trajectory"],
    &["repeat", "runs", "trials", "samples", "epochs", "num_runs", "num_trials", "num_repetitions"],
    &["defaults", "default_test", "common", "shared"],
    &["extends", "include", "includes", "import", "imports"],
    &["tags", "labels", "keywords", "markers"],
    &["mocks", "stubs", "fakes", "mock_tools"],
    &["command", "cmd", "exec", "run", "program"],
    &["cwd", "working_directory", "working_dir", "workdir", "directory"],
    &["env", "environment", "environment_variables"],
    &["url", "endpoint", "base_url", "uri"],
    &["timeout", "time_limit", "deadline", "timeout_ms", "timeout_seconds"],
    &["except", "exclude", "excluding", "skip"],
    &["regex", "pattern", "regexp", "matches"],
    &["equals", "equal", "eq", "exactly", "value"],
    &["at_least", "min", "minimum", "gte", "ge"],
    &["at_most", "max", "maximum", "lte", "le"],
];

/// Returns the known name that `word` probably means: another name of the same thing, or the nearest one.
pub(crate) fn find_meant<'k>(word: &str, known: &[&'k str]) -> Option<&'k str> {
    find_synonym(word, known).or_else(|| nearest(word, known.iter().copied()))
}

/// Returns the help for an unknown word: the known one that is probably meant, or all of them if they are few.
pub fn did_you_mean(word: &str, known: &[&str]) -> Option<String> {
    match find_synonym(word, known) {
        Some(meant) => Some(format!("did you mean `{meant}`?")),
        None => suggest::did_you_mean(word, known),
    }
}

fn find_synonym<'k>(word: &str, known: &[&'k str]) -> Option<&'k str> {
    let word = fold(word);
    let lists = SYNONYMS.iter().filter(|names| names.iter().any(|name| fold(name) == word));
    // A list begins with the names that are meant most often.
    lists.flat_map(|names| names.iter()).find_map(|name| known.iter().copied().find(|known| known == name))
}

/// The word without case, `-` and `_`: `toolName` is `tool_name`.
fn fold(word: &str) -> String {
    word.chars().filter(|c| !matches!(c, '-' | '_' | ' ')).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::{did_you_mean, find_meant};

    #[test]
    fn a_name_of_other_tools_finds_the_one_of_arraign() {
        const CALL: &[&str] = &["tool", "args", "args_mode", "status", "result"];
        for (word, meant) in [
            ("arguments", Some("args")),
            ("parameters", Some("args")),
            ("input", Some("args")),
            ("toolName", Some("tool")),
            ("output", Some("result")),
            // A slip.
            ("statuss", Some("status")),
            ("colour", None),
        ] {
            assert_eq!(find_meant(word, CALL), meant, "{word}");
        }
        assert_eq!(find_meant("arguments", &["url", "port"]), None);
    }

    #[test]
    fn a_few_known_names_are_listed() {
        assert_eq!(did_you_mean("colour", &["a", "b"]).as_deref(), Some("known here: `a`, `b`"));
    }
}

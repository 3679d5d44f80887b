//! What commands are run for: tables of command lines, and how a command is held against them.
//!
//! An entry is a program and words that follow it: `cargo nextest run`. A word with a star at one end stands for
//! many (`test*`); `...` lets other words stand between; a word that begins with `-` is an option that must be there,
//! wherever it stands. Options between the other words do not count.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::path::program_name;
use super::shell::stages;
use crate::pattern::WordSet;

/// The purpose of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Purpose {
    /// To run tests.
    Test,
    /// To check types, or to compile.
    Type,
    /// To lint.
    Lint,
    /// To measure coverage.
    Coverage,
    /// To deploy.
    Deploy,
    /// To see how what was deployed is doing.
    Health,
}

/// The purposes, each with its known command lines: entries between commas, about one tool family a
/// line.
const PURPOSES: [(Purpose, &str); 6] = [
    (Purpose::Test, include_str!("data/commands_test.txt")),
    (Purpose::Type, include_str!("data/commands_type.txt")),
    (Purpose::Lint, include_str!("data/commands_lint.txt")),
    (Purpose::Coverage, include_str!("data/commands_coverage.txt")),
    (Purpose::Deploy, include_str!("data/commands_deploy.txt")),
    (Purpose::Health, include_str!("data/commands_health.txt")),
];

/// Options with which nothing is run.
static NO_RUN: WordSet = WordSet::new(
    "
    --collect-only --co --no-run --version -V --help -h --list -list --dry-run --listTests --list-tests
    --setup-plan --fixtures --markers --setup-only --dryrun --print-config --showConfig --just-print
",
);

/// Options that take a value and stand before a subcommand.
static VALUED: WordSet = WordSet::new(
    "
    -C --prefix --cwd --dir --filter -F -w --workspace --manifest-path -f --file -n --namespace
    --context -p --project --project-name --profile --region -H --kube-context --directory --color
    --config -c -x --exclude-task
",
);

/// Options with which a build runs no tests.
static SKIPS_TESTS: WordSet = WordSet::new(
    "-DskipTests -DskipTests=true -Dmaven.test.skip -Dmaven.test.skip=true --skip-tests -PskipTests",
);

/// A line of a table.
#[derive(Debug, Clone)]
pub(super) struct CommandPattern(Vec<String>);

impl CommandPattern {
    /// The pattern that `text` spells, unless it is empty.
    pub(super) fn new(text: &str) -> Option<Self> {
        let mut words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        words.iter_mut().take(1).for_each(|program| *program = program_name(program));
        (!words.is_empty()).then_some(Self(words))
    }

    fn matches(&self, program: &str, arguments: &[String]) -> bool {
        let [first, rest @ ..] = self.0.as_slice() else { return false };
        if !is_like(first, program) {
            return false;
        }
        // The order of options does not matter, that of words does.
        let (options, words): (Vec<&str>, Vec<&str>) =
            rest.iter().map(String::as_str).partition(|word| word.starts_with('-'));
        let has_options =
            options.iter().all(|option| arguments.iter().any(|argument| is_like(option, argument)));
        has_options && matches_words(&words, &list_operands(arguments))
    }
}

/// The arguments that are no options, nor their values.
fn list_operands(arguments: &[String]) -> Vec<&str> {
    let mut plain = Vec::new();
    let mut skip = false;
    for argument in arguments {
        let is_option = argument.starts_with(['-', '+']);
        if !is_option && !skip {
            plain.push(argument.as_str());
        }
        // Of an option that needs a value, the next argument is the value; `--name=value` has it already.
        skip = is_option && VALUED.contains(argument.as_str());
    }
    plain
}

fn matches_words(wanted: &[&str], words: &[&str]) -> bool {
    match wanted {
        [] => true,
        // `...` skips to the first word that fits. Trying later ones as well could take exponential time, and no
        // entry of the tables needs it.
        ["...", word, rest @ ..] => words
            .iter()
            .position(|found| is_like(word, found))
            .is_some_and(|at| matches_words(rest, &words[at + 1..])),
        [word, rest @ ..] => {
            words.first().is_some_and(|found| is_like(word, found)) && matches_words(rest, &words[1..])
        }
    }
}

/// Whether `word` is `pattern`, which may have a star at either end.
fn is_like(pattern: &str, word: &str) -> bool {
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (Some(inner), Some(_)) if pattern.len() > 1 => word.contains(inner.trim_end_matches('*')),
        (Some(end), _) => word.ends_with(end),
        (_, Some(start)) => word.starts_with(start),
        _ => word == pattern,
    }
}

static BY_PROGRAM: LazyLock<HashMap<&str, Vec<(Purpose, CommandPattern)>>> = LazyLock::new(|| {
    let mut table: HashMap<&str, Vec<(Purpose, CommandPattern)>> = HashMap::new();
    for (purpose, lines) in PURPOSES {
        for line in lines.split(',').map(str::trim) {
            let program = line.split_whitespace().next().unwrap_or_default().trim_end_matches('*');
            let pattern = CommandPattern::new(line).map(|pattern| (purpose, pattern));
            table.entry(program).or_default().extend(pattern);
        }
    }
    table
});

/// Lists the purposes of a command, with and without its wrappers. `own` are the lines of the user.
pub(super) fn purposes(words: &[String], own: &[(Purpose, CommandPattern)]) -> Vec<Purpose> {
    if is_no_run(words) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let skips = skips_tests(words);
    // Each stage is the command without one more wrapper. Wrappers count as well: `coverage run -m pytest` measures
    // coverage and runs tests.
    for stage in stages(words) {
        let [first, arguments @ ..] = stage else { continue };
        let program = program_name(first);
        let known = BY_PROGRAM.get(program.as_str()).into_iter().flatten().chain(own);
        for (purpose, _) in known.filter(|(_, pattern)| pattern.matches(&program, arguments)) {
            // `mvn package -DskipTests` builds and tests nothing.
            let is_skipped = skips && *purpose == Purpose::Test;
            if !is_skipped && !found.contains(purpose) {
                found.push(*purpose);
            }
        }
    }
    found
}

/// `mvn package -DskipTests`, `gradle build -x test`.
fn skips_tests(words: &[String]) -> bool {
    let is_gradle = words.iter().any(|word| matches!(program_name(word).as_str(), "gradle" | "gradlew"));
    let mut pairs = words.windows(2);
    // `-x` means something else for other programs.
    let excludes_tests = is_gradle
        && pairs.any(|pair| matches!(pair[0].as_str(), "-x" | "--exclude-task") && pair[1].ends_with("test"));
    excludes_tests || words.iter().any(|word| SKIPS_TESTS.contains(word.as_str()))
}

/// Whether the command only says what it would do.
pub(super) fn is_no_run(words: &[String]) -> bool {
    words.iter().any(|word| NO_RUN.contains(word.as_str()) || word.starts_with("--dry-run="))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::read_examples;

    const EXAMPLES: &str = include_str!("data/purpose_examples.json");

    fn of(line: &str) -> Vec<Purpose> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        purposes(&words, &[])
    }

    #[test]
    fn commands_are_known_by_program_and_subcommand() {
        for line in read_examples::<String>(EXAMPLES, "tests") {
            assert!(of(&line).contains(&Purpose::Test), "{line}");
        }
        for line in read_examples::<String>(EXAMPLES, "no_tests") {
            assert!(!of(&line).contains(&Purpose::Test), "{line}");
        }
    }

    #[test]
    fn a_command_may_be_run_for_several_things() {
        assert_eq!(of("cargo clippy -- -D warnings"), [Purpose::Type, Purpose::Lint]);
        assert_eq!(of("pytest -q --cov=src"), [Purpose::Test, Purpose::Coverage]);
        assert_eq!(of("coverage run -m pytest"), [Purpose::Coverage, Purpose::Test]);
        assert_eq!(of("go test -cover ./..."), [Purpose::Test, Purpose::Coverage]);
    }

    #[test]
    fn a_deployment_that_is_only_tried_is_none() {
        assert_eq!(of("kubectl -n web apply -f web.yaml"), [Purpose::Deploy]);
        assert!(of("kubectl apply --dry-run=client -f web.yaml").is_empty());
        assert_eq!(of("kubectl rollout status deploy/web"), [Purpose::Health]);
    }
}

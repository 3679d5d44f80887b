//! Reading arguments and their matchers from a case.

use std::sync::LazyLock;

use super::relation::RelationSource;
use super::test::ValueTest;
use super::words::MatcherWords;
use super::{
    ArgumentMatcher, ArgumentsMatcher, ArgumentsMode, IgnoredPaths, Presence, ResultMatcher, ValueMatcher,
};
use crate::check::support::reading::require_entries;
use crate::json::JsonMap;
use crate::place::{LoadError, LoadErrors};
use crate::yaml::{Node, did_you_mean, list_keys, nearest, read_all};

/// The words of matchers.
pub(crate) static WORDS: LazyLock<&[&str]> = LazyLock::new(list_keys::<MatcherWords>);

/// The settings that all written arguments of one tool share.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ToolArguments<'t> {
    /// The name of the tool.
    pub(crate) tool: &'t str,
    pub(crate) ignored: &'t IgnoredPaths,
    /// The value of an argument that a call leaves out.
    pub(crate) defaults: &'t JsonMap,
}

/// Reads the mapping of argument names to values and matchers at `node`.
pub(crate) fn read_arguments(
    node: Node<'_>,
    mode: ArgumentsMode,
    of_tool: ToolArguments<'_>,
) -> Result<ArgumentsMatcher, LoadErrors> {
    let entries = require_entries(node, "arguments are a mapping of names to values")?;
    let mut errors = LoadErrors::new();
    let mut written = Vec::new();
    // An ignored argument is compared with nothing, so its matcher would never be used.
    for (key, value) in entries.filter(|(key, _)| !of_tool.ignores(&key.name)) {
        if errors.take(refuse_slips(value)).is_none() {
            continue;
        }
        let read = errors.take(ArgumentMatcher::read(value));
        written.extend(read.map(|matcher| (key.name.to_string(), matcher.without(of_tool, &key.name))));
    }
    errors.or(ArgumentsMatcher { written, mode, defaults: of_tool.defaults.clone() })
}

/// Reads a value or a matcher, which stands alone.
pub(crate) fn read_value(node: Node<'_>) -> Result<ArgumentMatcher, LoadErrors> {
    refuse_slips(node)?;
    ArgumentMatcher::read(node)
}

impl ToolArguments<'_> {
    fn ignores(self, path: &str) -> bool {
        self.ignored.include(self.tool, path)
    }
}

/// Whether the value is a mapping of matcher words alone.
pub(crate) fn is_matcher(node: Node<'_>) -> bool {
    let keys = || node.entries().into_iter().flatten().map(|(key, _)| key.name.as_str());
    keys().next().is_some()
        && keys().all(|key| WORDS.contains(&key))
        && (names_source(node) || !keys().any(|key| RELATION_WORDS.contains(&key)))
}

/// The words of a relation. Where `from` names no source, they are ordinary keys of values: `{from: 2025-01-01, to: ...}`.
pub(crate) const RELATION_WORDS: [&str; 3] = ["from", "of", "path"];

/// Whether the key `from` names what a value can come from.
fn names_source(node: Node<'_>) -> bool {
    let from = node.get("from").and_then(Node::as_str);
    from.is_some_and(|from| RelationSource::WORDS.contains(&from))
}

/// Refuses relations where no call of a run is around the value. `what` is a plural: `conditions of mock tools`.
pub(crate) fn refuse_relations(node: Node<'_>, what: &str, errors: &mut LoadErrors) {
    if is_matcher(node) && names_source(node) {
        let problem = format!("`from` is about the arguments of a call in a run, and {what} know none");
        let error = LoadError::new(node.key_place("from"), problem);
        errors.push(error.help("`equals: {from: ...}` compares with a mapping"));
        return;
    }
    node.entries().into_iter().flatten().for_each(|(_, value)| refuse_relations(value, what, errors));
    node.list().into_iter().flatten().for_each(|value| refuse_relations(value, what, errors));
}

/// Finds the mistake in a mapping that looks like a relation but is not one.
fn find_broken_relation(node: Node<'_>) -> Option<LoadError> {
    let keys = || node.entries().into_iter().flatten().map(|(key, _)| key.name.as_str());
    let others = keys().find(|key| !WORDS.contains(key));
    if names_source(node) {
        let other = others?;
        let problem = format!(
            "`{other}` is no word of a matcher, and stands beside `from: {}`",
            node.get("from")?.as_str()?
        );
        let help = did_you_mean(other, &RELATION_WORDS);
        let help = help.unwrap_or_else(|| "take it out; `equals: {...}` compares with a mapping".to_owned());
        return Some(LoadError::new(node.key_place(other), problem).help(help));
    }
    if others.is_some() {
        return None;
    }
    match node.get("from") {
        Some(from) => {
            let near = nearest(from.as_str()?, RelationSource::WORDS)?;
            let problem = format!("unknown source `{}`", from.as_str()?);
            Some(
                from.error(problem)
                    .help(format!("did you mean `{near}`? `equals: {{...}}` compares with a mapping")),
            )
        }
        None if keys().count() == 2 && keys().all(|key| ["of", "path"].contains(&key)) => {
            Some(node.error("`from: result` is missing").help("`equals: {...}` compares with a mapping"))
        }
        None => None,
    }
}

/// The words of matchers that are ordinary keys of values, too. `cargo arraign lint` reports them beside other keys.
pub(crate) const ORDINARY_WORDS: [&str; 5] = ["any", "contains", "length", "optional", "schema"];

/// Refuses a mapping that is compared as a value, and looks like a matcher with a slip: a misspelt word, or a word beside
/// keys that are no words of a matcher.
fn refuse_slips(node: Node<'_>) -> Result<(), LoadErrors> {
    let mut errors = LoadErrors::new();
    let is_matcher = is_matcher(node);
    if let Some(error) = find_broken_relation(node).filter(|_| !is_matcher) {
        return Err(error.into());
    }
    for (key, value) in node.entries().into_iter().flatten() {
        let name = key.name.as_str();
        if is_matcher {
            // Of the words of a matcher, these two hold values that may be matchers again.
            if ["any", "contains"].contains(&name) {
                errors.take(refuse_slips(value));
            }
        } else if let Some(word) = find_near_word(name) {
            let error = LoadError::new(node.key_place(name), format!("`{name}` is no word of a matcher"));
            errors.push(
                error.help(format!("did you mean `{word}`? `equals: {{...}}` compares with a mapping")),
            );
        } else if WORDS.contains(&name) && !ORDINARY_WORDS.contains(&name) && !RELATION_WORDS.contains(&name)
        {
            let problem = format!("`{name}` is a word of a matcher, and stands beside keys that are none");
            let error = LoadError::new(node.key_place(name), problem);
            errors.push(error.help("take them apart; `equals: {...}` compares with a mapping"));
        } else {
            errors.take(refuse_slips(value));
        }
    }
    for element in node.list().into_iter().flatten() {
        errors.take(refuse_slips(element));
    }
    errors.or(())
}

/// Finds the word that a key is a slip of: up to two edits from a word of seven letters or more, one from a shorter one.
fn find_near_word(key: &str) -> Option<&'static str> {
    if WORDS.contains(&key) {
        return None;
    }
    let lower = key.to_lowercase().replace('-', "_");
    let words = WORDS.iter().copied().filter(|word| !RELATION_WORDS.contains(word));
    let near = words.filter_map(|word| {
        let most = match word.len() {
            ..4 => 0,
            4..7 => 1,
            _ => 2,
        };
        let edits = strsim::damerau_levenshtein(&lower, word);
        (edits <= most && most > 0).then_some((edits, word))
    });
    near.min().map(|(_, word)| word)
}

impl ArgumentMatcher {
    /// Reads one argument.
    pub(crate) fn read(node: Node<'_>) -> Result<Self, LoadErrors> {
        if !is_matcher(node) {
            return Ok(Self { value: ValueMatcher::read(node)?, presence: Presence::Required });
        }
        let mut errors = LoadErrors::new();
        let words: MatcherWords = node.decode_rest(&mut errors).unwrap_or_default();
        let presence = find_presence(&words, node, &mut errors);
        let tests = words.build_tests(&mut errors);
        errors.or(Self { value: ValueMatcher::Tests(tests), presence })
    }

    /// The argument without its ignored parts.
    fn without(self, of_tool: ToolArguments<'_>, path: &str) -> Self {
        Self { value: self.value.without(of_tool, path), ..self }
    }
}

impl ValueMatcher {
    /// Reads a value: a matcher, a list or mapping with matchers inside, or a literal.
    pub(crate) fn read(node: Node<'_>) -> Result<Self, LoadErrors> {
        if is_matcher(node) {
            return read_value_tests(node).map(Self::Tests);
        }
        // Without a matcher inside, the whole value is compared at once.
        if !has_matcher(node) {
            return Ok(Self::Literal(node.to_json()));
        }
        match node.list() {
            Some(elements) => read_all(elements.map(Self::read)).map(Self::List),
            None => Self::read_object(node),
        }
    }

    fn read_object(node: Node<'_>) -> Result<Self, LoadErrors> {
        let entries = node.entries().into_iter().flatten();
        let fields = entries.map(|(key, value)| Ok((key.name.to_string(), ArgumentMatcher::read(value)?)));
        read_all::<_, LoadErrors>(fields).map(Self::Object)
    }

    fn without(self, of_tool: ToolArguments<'_>, path: &str) -> Self {
        match self {
            Self::Literal(mut value) => {
                of_tool.ignored.strip_value(&mut value, of_tool.tool, path);
                Self::Literal(value)
            }
            Self::Object(fields) => {
                let named = fields.into_iter().map(|(name, field)| (format!("{path}.{name}"), name, field));
                let kept = named.filter(|(path, ..)| !of_tool.ignores(path));
                Self::Object(kept.map(|(path, name, field)| (name, field.without(of_tool, &path))).collect())
            }
            other => other,
        }
    }
}

/// Whether a matcher is anywhere inside.
fn has_matcher(node: Node<'_>) -> bool {
    let inside = node.entries().into_iter().flatten().map(|(_, value)| value);
    let elements = node.list().into_iter().flatten();
    inside.chain(elements).any(|value| is_matcher(value) || has_matcher(value))
}

fn find_presence(words: &MatcherWords, node: Node<'_>, errors: &mut LoadErrors) -> Presence {
    let absent = words.absent.as_ref().is_some_and(|absent| **absent);
    let optional = words.optional.as_ref().is_some_and(|optional| **optional);
    // The key itself is among the entries.
    let others = node.entries().into_iter().flatten().count() - 1;
    if absent && others > 0 {
        errors.push(node.error("`absent: true` stands alone: an absent argument has no value"));
    }
    match (absent, optional) {
        (true, _) => Presence::Absent,
        (_, true) => Presence::Optional,
        _ => Presence::Required,
    }
}

/// Reads the words of a matcher that is about a value alone.
fn read_value_tests(node: Node<'_>) -> Result<Vec<ValueTest>, LoadErrors> {
    let mut errors = LoadErrors::new();
    let words: MatcherWords = node.decode_rest(&mut errors).unwrap_or_default();
    words.refuse_presence(&mut errors);
    let tests = words.build_tests(&mut errors);
    errors.or(tests)
}

impl ResultMatcher {
    /// Reads a matcher of the result of a call.
    pub(crate) fn read(node: Node<'_>) -> Result<Self, LoadErrors> {
        let mut keys = node.entries().into_iter().flatten().map(|(key, _)| key.name.as_str());
        if !keys.any(|key| WORDS.contains(&key)) {
            let error = node.error("expected a matcher of the result");
            return Err(error.help_if(suggest_word(node)).into());
        }
        let mut errors = LoadErrors::new();
        refuse_relations(node, "rules about results", &mut errors);
        errors.or(())?;
        // An unknown word is a mistake: no result of a tool is compared as a whole.
        read_value_tests(node).map(|tests| Self { tests })
    }
}

/// Suggests the matcher word that is nearest to the first key of the mapping that is not a matcher word.
fn suggest_word(node: Node<'_>) -> Option<String> {
    let mut keys = node.entries().into_iter().flatten().map(|(key, _)| key.name.as_str());
    let wrong = keys.find(|key| !WORDS.contains(key))?;
    did_you_mean(wrong, &WORDS)
}

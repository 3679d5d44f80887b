//! Calls of tools that are in no table: what their names say that they do, and which statements they may bear out.

use super::answer::work::WorkKind;
use super::output::CallOutput;
use super::tools::strip_server;
use crate::pattern::{WordSet, split_name};
use crate::trace::{Call, CallStatus};

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// It did what it was called for.
    Worked,
    /// It failed: it shows that something was tried, and no more.
    Failed,
    /// The trace does not say.
    Unclear,
}

/// A call of a tool that is in no table.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct OtherCall {
    /// The words of the tool's name.
    words: Vec<String>,
    /// How the call ended.
    pub(super) ending: Ending,
    /// Whether the name says that the tool only looks.
    pub(super) only_looks: bool,
}

/// Verbs of tools that look: `get_order`, `order_lookup`.
static LOOKS: WordSet = WordSet::new(
    "
    get search list read view find fetch lookup look query calculate calculator calc check describe show count
    browse inspect retrieve explain compute estimate compare summarize analyze analyse peek display status filter
    scan poll watch monitor ask think validate verify download
",
);

/// Tools that may do anything: what they were told to do is in their arguments.
static GENERAL: WordSet = WordSet::new(
    "
    run execute exec invoke call http request api browser computer click python code sql script eval interpreter
    graphql rpc automate
",
);

/// Words of tools that write code.
static EDITS: WordSet = WordSet::new(
    "
    edit write patch replace insert rewrite refactor rename diff file files code symbol notebook cell fix format
    source document
",
);

/// Verbs that say what becomes of a thing. One of a group does not bear out one of another: `create_order` cancels none.
const DEEDS: [&[&str]; 4] = [
    &[
        "create",
        "add",
        "book",
        "place",
        "open",
        "enable",
        "start",
        "activate",
        "insert",
        "register",
        "subscribe",
        "reserve",
        "schedule",
        "buy",
        "purchase",
    ],
    &[
        "delete",
        "remove",
        "cancel",
        "close",
        "disable",
        "stop",
        "deactivate",
        "drop",
        "unsubscribe",
        "void",
        "revoke",
        "clear",
        "archive",
        "reject",
    ],
    &["refund", "pay", "charge", "credit", "debit", "reimburse", "repay"],
    &["send", "email", "mail", "notify", "message", "reply", "forward", "text", "sms"],
];

impl OtherCall {
    /// Reads `call`, which has `output`.
    pub(super) fn of(call: &Call, output: &CallOutput) -> Self {
        let words = split_name(strip_server(&call.name));
        let ending = match call.status {
            _ if output.failed => Ending::Failed,
            CallStatus::Ok if output.exit_code == Some(0) => Ending::Worked,
            _ => Ending::Unclear,
        };
        let is_look = |word: Option<&String>| word.is_some_and(|word| LOOKS.contains(word.as_str()));
        // `get_or_create_user` and `find_and_replace` do more than look.
        let does_more = words.iter().any(|word| matches!(word.as_str(), "and" | "or"));
        let only_looks = !does_more && (is_look(words.first()) || is_look(words.last()));
        Self { words, ending, only_looks }
    }

    /// Whether the tool may have written files: its name says so, or says that it may do anything.
    pub(super) fn may_write_files(&self) -> bool {
        let writes = |word: &String| EDITS.contains(word.as_str()) || GENERAL.contains(word.as_str());
        self.may_have_worked() && self.words.iter().any(writes)
    }

    /// Whether the tool did, or may have done, more than look.
    pub(super) fn may_have_worked(&self) -> bool {
        !self.only_looks && self.ending != Ending::Failed
    }

    /// Whether the tool's verb is `verb`, a past tense.
    pub(super) fn does(&self, verb: &str) -> bool {
        self.words.iter().any(|word| is_same_word(word, verb))
    }

    /// Whether a call that worked bears out a statement of this kind, whose predicate is `verb` and whose words are `said`.
    pub(super) fn bears_out<'w>(
        &self,
        kind: WorkKind,
        verb: &str,
        said: impl IntoIterator<Item = &'w str>,
    ) -> bool {
        let has = |set: &WordSet| self.words.iter().any(|word| set.contains(word.as_str()));
        match kind {
            // What a check says is in no name of a tool.
            WorkKind::Tests
            | WorkKind::Type
            | WorkKind::Lint
            | WorkKind::Build
            | WorkKind::Ci
            | WorkKind::Checks => return false,
            WorkKind::Done | WorkKind::Works => return true,
            WorkKind::Change if has(&EDITS) => return true,
            _ => {}
        }
        if has(&GENERAL) || self.does(verb) {
            return true;
        }
        let own = DEEDS.iter().position(|deeds| self.words.iter().any(|word| deeds.contains(&word.as_str())));
        let stated = DEEDS.iter().position(|deeds| deeds.iter().any(|deed| is_same_word(deed, verb)));
        let agrees = own.is_none() || stated.is_none() || own == stated;
        agrees && said.into_iter().any(|said| self.words.iter().any(|word| is_same_word(word, said)))
    }
}

/// Whether two words are forms of one: `cancel` and `cancelled`, `send` and `sent`, `pr` and `pull`.
fn is_same_word(one: &str, other: &str) -> bool {
    /// Fewer letters in common are no stem.
    const LEAST: usize = 4;
    let one = find_stem(one);
    let other = find_stem(other);
    let is_long = one.len() >= LEAST && other.len() >= LEAST;
    one == other || (is_long && (one.starts_with(other) || other.starts_with(one)))
}

fn find_stem(word: &str) -> &str {
    match word {
        "sent" => return "send",
        "paid" => return "pay",
        "written" | "wrote" => return "writ",
        "made" => return "mak",
        "built" => return "build",
        "bought" => return "buy",
        "pr" | "prs" => return "pull",
        "e-mail" | "e-mailed" => return "email",
        _ => {}
    }
    let endings = ["ation", "ing", "ied", "ies", "ed", "es", "s", "e", "y"];
    let stems = endings.into_iter().filter_map(|ending| word.strip_suffix(ending));
    stems.into_iter().find(|stem| stem.len() >= 3).unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_are_known() {
        for (one, other) in [
            ("cancel", "cancelled"),
            ("send", "sent"),
            ("migrate", "migrated"),
            ("refund", "refunded"),
            ("copy", "copied"),
            ("order", "orders"),
            ("delete", "deleted"),
            ("pr", "pull"),
            ("email", "emailed"),
        ] {
            assert!(is_same_word(one, other), "{one} {other}");
        }
        for (one, other) in [("order", "other"), ("set", "settled"), ("weather", "whether")] {
            assert!(!is_same_word(one, other), "{one} {other}");
        }
    }
}

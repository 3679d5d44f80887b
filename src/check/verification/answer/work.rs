//! Statements of an answer about work, in whatever grammar: `I fixed the bug`, `the bug has been fixed`, `bug fixed`, `lint is
//! clean`, `no type errors`, `the service is up`.
//!
//! A statement is found at its predicate: a participle of a verb of work, or a state of something that tools can look at.
//! Questions, wishes, conditions and negations state nothing.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::Answer;
use super::negation::{find_negator, is_negated};
use super::words::ProseWord;
use crate::pattern::{WordSet, list_rows};

/// What is said to have been done, or to be well.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::check::verification) enum WorkKind {
    /// A file was changed.
    Change,
    /// Something was committed, pushed, merged or proposed.
    Share,
    /// Something was deployed or released.
    Deploy,
    /// Something was installed, migrated or restarted.
    Apply,
    /// Something was ordered, sent or paid.
    Deal,
    /// A command was run.
    Command,
    /// Tests were run. That they pass is read by [`super::test_claims`].
    Tests,
    /// Something was built.
    Made,
    /// The work is finished.
    Done,
    /// A type check is clean.
    Type,
    /// A lint is clean.
    Lint,
    /// A build succeeds.
    Build,
    /// A pipeline succeeds.
    Ci,
    /// A service is well.
    Service,
    /// What was made works.
    Works,
    /// Some check passes.
    Checks,
}

/// How a statement is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::check::verification) enum WorkForm {
    /// The author says it of itself: `I fixed`, `fixed the bug`.
    Own,
    /// It is said of a thing, and may be what the author has read: `the bug was fixed`, `the build passes`.
    Thing,
}

/// A statement about work.
#[derive(Debug, Clone, Copy)]
pub(in crate::check::verification) struct WorkStatement {
    /// What is stated.
    pub(in crate::check::verification) kind: WorkKind,
    /// How it is stated.
    pub(in crate::check::verification) form: WorkForm,
    /// The first of its words.
    pub(in crate::check::verification) from: usize,
    /// Its predicate.
    pub(in crate::check::verification) at: usize,
}

static VERBS: LazyLock<HashMap<&str, WorkKind>> = LazyLock::new(|| {
    let kinds = [
        ("change", WorkKind::Change),
        ("share", WorkKind::Share),
        ("deploy", WorkKind::Deploy),
        ("apply", WorkKind::Apply),
        ("deal", WorkKind::Deal),
        ("command", WorkKind::Command),
        ("made", WorkKind::Made),
        ("done", WorkKind::Done),
    ];
    read_kinds(include_str!("../data/work_verbs.txt"), &kinds).into_iter().collect()
});

/// A word may be two subjects: `it` is a service, and it is what was made.
static SUBJECTS: LazyLock<HashMap<&str, Vec<WorkKind>>> = LazyLock::new(|| {
    let kinds = [
        ("lint", WorkKind::Lint),
        ("type", WorkKind::Type),
        ("build", WorkKind::Build),
        ("ci", WorkKind::Ci),
        ("tests", WorkKind::Tests),
        ("service", WorkKind::Service),
        ("work", WorkKind::Works),
        ("deploy", WorkKind::Deploy),
        ("checks", WorkKind::Checks),
    ];
    let mut subjects: HashMap<&str, Vec<WorkKind>> = HashMap::new();
    for (word, kind) in read_kinds(include_str!("../data/work_subjects.txt"), &kinds) {
        subjects.entry(word).or_default().push(kind);
    }
    subjects
});

fn read_kinds(table: &'static str, kinds: &[(&str, WorkKind)]) -> Vec<(&'static str, WorkKind)> {
    let rows = list_rows(table).into_iter();
    let rows = rows.filter_map(|(key, words)| {
        let (_, kind) = kinds.iter().find(|(name, _)| *name == key)?;
        Some(words.into_iter().map(|word| (word, *kind)))
    });
    rows.flatten().collect()
}

/// Whether `word` is about work: a participle of one of its verbs, or something that tools look at.
pub(in crate::check::verification) fn is_work_word(word: &str) -> bool {
    const TOO_COMMON: &[&str] =
        &["it", "this", "all", "page", "types", "type", "system", "app", "function", "code"];
    VERBS.contains_key(word) || (SUBJECTS.contains_key(word) && !TOO_COMMON.contains(&word))
}

const BE: &[&str] = &["is", "are", "was", "were", "been", "got", "be", "being"];

/// Words between a subject or an auxiliary and its verb.
static ADVERBS: WordSet = WordSet::new(
    "
    not only merely have has had also now just then successfully already and first all both fully finally completely properly
    correctly safely cleanly quickly carefully simply next went ahead since too still again indeed officially
    locally subsequently afterwards up back
",
);

const OWNERS: &[&str] = &["i", "i've", "we", "we've", "i'd", "ive"];

/// Verbs whose state with `is` is a result. Of the other verbs `is` only describes: `the parser is implemented in a.rs`.
static RESULTS: WordSet = WordSet::new(
    "
    fixed resolved patched corrected repaired refactored hotfixed deployed redeployed shipped released merged
    pushed committed published migrated renamed rewritten reverted restored completed finished finalized installed
    launched upgraded optimized rolled eliminated solved
",
);

/// What follows a participle that describes how a thing is: `fixed at 30`, `created by Ann`, `updated daily`.
static DESCRIBING: WordSet = WordSet::new(
    "
    at by via when whenever as using with every each daily weekly hourly monthly automatically only before during
    from through under per if unless because depending based lazily elsewhere separately independently once until
    like
",
);

/// What follows a predicate that says no more: `passes on main` does, `passes flags to the compiler` does not.
static AFTER_STATE: WordSet = WordSet::new(
    "
    now too again also on in for with without after and but as at locally across since so successfully cleanly
    fully everywhere there here this today throughout end-to-end perfectly fine correctly properly great well
    flawlessly reliably exactly under both either while to from no all except because though or has have is
",
);

/// States of checks.
static CHECK_STATES: WordSet = WordSet::new(
    "
    clean green passing passes passed pass ok okay fine happy successful succeeded succeeds succeed success
    error-free errorless warning-free spotless satisfied quiet silent good compiles completes healthy perfect
    stable works complete completed finished clear issue-free flawless done
",
);
/// States of services.
static SERVICE_STATES: WordSet = WordSet::new(
    "
    live up online healthy operational stable reachable running responding responsive green serving ok okay
",
);
/// States of what was made.
static WORK_STATES: WordSet = WordSet::new(
    "
    works working work gone done complete behaves live functional compiles succeeds passes pass green builds
",
);
/// States that need a verb before them, because they are other words as well: `a clean build`, `tests live in tests/`.
static NEEDS_COPULA: WordSet = WordSet::new(
    "
    clean green live up running good fine stable complete done quiet silent work ok working clear gone functional
    perfect healthy
",
);
static COPULAS: WordSet = WordSet::new(
    "
    is are was were looks look stays remains comes came come runs ran keeps stayed remained looked been back
    returned returns responds responded all now went turned says reports it's everything's that's 's completely
    fully both still
",
);

/// How a check tells that it found something, or nothing.
static REPORTS: WordSet = WordSet::new(
    "
    reports reported report shows showed show found finds find returns returned has had have gives gave raises
    raised with without emits produces produced completed finished exits exited are were is yields there passes
    passed succeeded ran
",
);
static FAULTS: WordSet = WordSet::new(
    "
    errors error issues issue warnings warning problems complaints violations findings failures offenses
    diagnostics regressions vulnerabilities
",
);

/// The most words between a subject and its state.
const REACH: usize = 6;

/// Finds the statements about work in `answer`.
pub(in crate::check::verification) fn find_work(answer: &Answer<'_>) -> Vec<WorkStatement> {
    let words = &answer.words;
    let mut found: Vec<WorkStatement> = Vec::new();
    for at in 0..words.len() {
        if words[at].is_asked {
            continue;
        }
        let own = found.last().filter(|last| {
            last.form == WorkForm::Own && words[last.at].sentence == words[at].sentence && at - last.at <= 12
        });
        let continues = own.is_some();
        found.extend(read_verb(words, at, continues));
        found.extend(read_state(words, at));
        found.extend(read_no_fault(words, at));
        found.extend(read_exit(words, at));
        found.extend(read_mark(&answer.parts.prose, words, at));
    }
    // `the deployment is complete` is one statement, whichever way it is read.
    found.dedup_by(|next, last| next.at == last.at && next.kind == last.kind);
    found
}

fn text(words: &[ProseWord], at: usize) -> &str {
    words.get(at).map_or("", |word| word.text.as_str())
}

/// The word behind `at`, unless its sentence ends there.
fn next_word(words: &[ProseWord], at: usize) -> Option<&ProseWord> {
    words.get(at + 1).filter(|next| next.sentence == words[at].sentence)
}

/// The first word of the clause of `at`, at most so many words before.
fn clause_start(words: &[ProseWord], at: usize, most: usize) -> usize {
    let mut from = at;
    while from > 0
        && at - from < most
        && !words[from].opens_clause
        && words[from - 1].sentence == words[at].sentence
    {
        from -= 1;
    }
    from
}

/// Whether the clause of `at` states a fact: it is no wish, no condition and no plan.
fn is_fact(words: &[ProseWord], at: usize) -> bool {
    static MODALS: WordSet = WordSet::new(
        "
        should would could may might must please will let let's want need needs can shall ensure ensures make be being
        to ought expect expected i'll we'll it'll they'll you'll that'll cannot can't won't wouldn't couldn't
        shouldn't you you've
    ",
    );
    static HYPOTHESES: WordSet = WordSet::new(
        "
        if once unless until whether assuming assume suppose supposing provided whenever imagine ensure after when
        before means meaning
    ",
    );
    // `check that`, `make sure`: what follows is asked for.
    const ASKS: &[&str] = &["check", "verify", "confirm", "see", "make"];
    let in_clause = &words[clause_start(words, at, 8)..at];
    let start =
        words[..at].iter().rev().take_while(|word| word.sentence == words[at].sentence).take(15).count();
    let asks = |index: usize| {
        let follows = matches!(text(words, index + 1), "that" | "whether" | "if" | "sure");
        ASKS.contains(&text(words, index)) && (follows || index == at - start)
    };
    let hypothesis = (at - start..at).any(|index| HYPOTHESES.contains(text(words, index)) || asks(index));
    let modal = in_clause.iter().any(|word| MODALS.contains(word.text.as_str()));
    !hypothesis && !modal
}

/// Whether a negation stands in the clause of the word `at`.
fn is_denied(words: &[ProseWord], at: usize) -> bool {
    find_negator(words, at).is_some_and(|negator| negator >= clause_start(words, at, usize::MAX))
}

/// A participle or a past tense of a verb of work, in one of three grammars.
fn read_verb(words: &[ProseWord], at: usize, continues: bool) -> Option<WorkStatement> {
    let word = words[at].text.as_str();
    // `run` is a participle only in the passive.
    let is_bare_run = word == "run";
    let kind = if is_bare_run { WorkKind::Command } else { *VERBS.get(word)? };
    let next = next_word(words, at).map_or("", |next| next.text.as_str());
    let form = find_subject(words, at, continues);
    // `I have not changed, committed or pushed anything` denies all three; `no problems, the bug is fixed` denies one.
    let is_denied = match form {
        Some(Subject::Passive { .. }) => is_denied(words, at),
        _ => is_negated(words, at),
    };
    if matches!(next, "nothing" | "no" | "none") || is_denied || !is_fact(words, at) {
        return None;
    }
    let kind = refine_kind(words, at, kind)?;
    let of = |form, from| Some(WorkStatement { kind, form, from, at });
    match form {
        // `Set the limit` may be advice, `I set the limit` is not.
        Some(Subject::Author(from)) if matches!(word, "set" | "put") && from == at => None,
        Some(Subject::Author(from)) if !is_bare_run => of(WorkForm::Own, from),
        Some(Subject::Passive { from, is_present }) if is_result(words, at, is_present) => {
            of(WorkForm::Thing, from)
        }
        Some(Subject::Bare(from))
            if !is_bare_run && ends_statement(words, at) && !takes_object(words, at) =>
        {
            of(WorkForm::Thing, from)
        }
        _ => None,
    }
}

enum Subject {
    /// The author, or nobody: the clause begins with the verb.
    Author(usize),
    /// A thing, with a form of `be`.
    Passive { from: usize, is_present: bool },
    /// A thing without a verb: `Bug fixed.`
    Bare(usize),
}

static DETERMINERS: WordSet = WordSet::new(
    "
    the a an it this that these those all both your my our some each every them new two three one
",
);

static NO_SUBJECT: WordSet = WordSet::new(
    "
    the a an to of be in on at for by that which who and or as newly recently not no your my our its their his
    every each any you he she they user was were
",
);

fn find_subject(words: &[ProseWord], at: usize, continues: bool) -> Option<Subject> {
    let begins = clause_start(words, at, usize::MAX);
    let is_first = |from: usize| from == 0 || words[from - 1].sentence != words[from].sentence;
    let mut from = at;
    while from > begins && ADVERBS.contains(text(words, from - 1)) {
        from -= 1;
    }
    if from > begins {
        let before = text(words, from - 1);
        if OWNERS.contains(&before) {
            return Some(Subject::Author(from - 1));
        }
        let present = matches!(before, "is" | "are") || before.ends_with("'s") || before.ends_with("'re");
        if (BE.contains(&before) && !matches!(before, "be" | "being")) || present {
            let perfect = words[from..at].iter().any(|word| {
                matches!(
                    word.text.as_str(),
                    "now" | "successfully" | "already" | "officially" | "finally" | "been"
                )
            });
            return Some(Subject::Passive {
                from: begins.max(at.saturating_sub(8)),
                is_present: present && !perfect,
            });
        }
        // `I changed the limit and pushed it`: the second verb has the subject of the first.
        if text(words, at - 1) == "and" && (continues || has_author(words, at - 1)) {
            return Some(Subject::Author(at));
        }
        // `The order has shipped`, `Bob has fixed it`: somebody else did.
        let has_actor =
            words[from..at].iter().any(|word| matches!(word.text.as_str(), "has" | "have" | "had"));
        let is_short = at - begins <= 4 && !NO_SUBJECT.contains(before) && !has_actor;
        return is_short.then_some(Subject::Bare(begins));
    }
    // The clause begins with the verb, or with adverbs before it. Within a sentence, an object must follow: `the limit (set in
    // cfg.py)` has none.
    let next = next_word(words, at).map_or("", |next| next.text.as_str());
    let is_owned =
        is_first(from) || continues || DETERMINERS.contains(next) || words[from].text == "successfully";
    is_owned.then_some(Subject::Author(from))
}

/// Whether the verb before the word `at` is the author's: `I've gone through the code and`.
fn has_author(words: &[ProseWord], at: usize) -> bool {
    const OTHERS: &[&str] = &[
        "that", "who", "which", "where", "how", "why", "whether", "what", "because", "since", "you", "he",
        "she", "they", "it", "user", "if", "when",
    ];
    let before = words[at.saturating_sub(10)..at].iter().rev();
    let mut before = before.take_while(|word| word.sentence == words[at].sentence);
    before
        .find(|word| OWNERS.contains(&word.text.as_str()) || OTHERS.contains(&word.text.as_str()))
        .is_some_and(|word| OWNERS.contains(&word.text.as_str()))
}

const PROPOSALS: &[&str] = &["pr", "prs", "pull", "mr", "commit", "branch", "tag"];

const CHANGES: &[&str] = &[
    "change",
    "changes",
    "edit",
    "edits",
    "update",
    "updates",
    "fix",
    "fixes",
    "adjustment",
    "adjustments",
    "improvements",
];

/// Adjusts the kind of a verb to its object: `opened a PR`, `ran the tests`.
fn refine_kind(words: &[ProseWord], at: usize, kind: WorkKind) -> Option<WorkKind> {
    let near = |wanted: &[&str]| {
        let around = words[at.saturating_sub(4)..words.len().min(at + 5)].iter();
        around
            .filter(|word| word.sentence == words[at].sentence)
            .any(|word| wanted.contains(&word.text.as_str()))
    };
    let word = words[at].text.as_str();
    match kind {
        WorkKind::Share if matches!(word, "opened" | "raised" | "submitted" | "filed") => {
            near(PROPOSALS).then_some(kind)
        }
        WorkKind::Change if word == "made" => near(CHANGES).then_some(kind),
        WorkKind::Deploy if word == "rolled" => near(&["out", "back"]).then_some(kind),
        WorkKind::Change
            if matches!(word, "created" | "added" | "updated" | "generated") && near(PROPOSALS) =>
        {
            Some(WorkKind::Share)
        }
        WorkKind::Command if near(&["test", "tests", "suite", "specs", "pytest", "jest", "vitest"]) => {
            Some(WorkKind::Tests)
        }
        kind => Some(kind),
    }
}

/// Whether a passive tells a result and does not describe a thing.
fn is_result(words: &[ProseWord], at: usize, is_present: bool) -> bool {
    let Some(next) = next_word(words, at) else { return true };
    let ends = next.opens_clause;
    // `created by Ann` tells who did it, `created by adding a line` tells how.
    let by = next.text == "by" && !text(words, at + 2).ends_with("ing");
    if by && !ends {
        return false;
    }
    // `fixed in 2.1`, `released on 2024-05-01`, `applied last week`: a piece of history.
    let dated = matches!(next.text.as_str(), "in" | "on" | "since" | "at" | "with") && {
        let skip =
            usize::from(matches!(text(words, at + 2), "version" | "release" | "commit" | "the" | "pr" | "v"));
        let when = text(words, at + 2 + skip);
        let rest = when.trim_start_matches('v');
        // A line of a file is no date: `fixed in 12.py` does not occur.
        rest.starts_with(|c: char| c.is_ascii_digit())
    };
    if dated
        || matches!(
            next.text.as_str(),
            "last" | "yesterday" | "previously" | "originally" | "long" | "years" | "earlier"
        )
    {
        return false;
    }
    if !is_present || ends {
        return true;
    }
    let is_strong = RESULTS.contains(words[at].text.as_str());
    !DESCRIBING.contains(next.text.as_str())
        && (is_strong || matches!(next.text.as_str(), "now" | "successfully" | "and" | "already"))
        && !(next.text == "to" && words[at].text == "fixed")
}

/// Whether nothing follows that would make the word a verb with an object, or an adjective.
fn ends_statement(words: &[ProseWord], at: usize) -> bool {
    let Some(next) = next_word(words, at) else { return true };
    next.opens_clause
        || (AFTER_STATE.contains(next.text.as_str()) && !DESCRIBING.contains(next.text.as_str()))
}

/// `Ann fixed this`: the word before the verb is one who did it.
fn takes_object(words: &[ProseWord], at: usize) -> bool {
    const OBJECTS: &[&str] =
        &["this", "all", "both", "either", "no", "it", "that", "these", "there", "here", "today"];
    next_word(words, at).is_some_and(|next| !next.opens_clause && OBJECTS.contains(&next.text.as_str()))
}

/// `lint is clean`, `CI green`, `the build passes`, `it is live`, `everything works`.
fn read_state(words: &[ProseWord], at: usize) -> Vec<WorkStatement> {
    let word = words[at].text.as_str();
    let is_state = CHECK_STATES.contains(word) || SERVICE_STATES.contains(word) || WORK_STATES.contains(word);
    if !is_state || is_denied(words, at) || !is_fact(words, at) || !ends_state(words, at) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut copula = false;
    // From the state back to its subjects: `lint and types are clean` has two.
    for from in (at.saturating_sub(REACH)..at).rev() {
        let before = &words[from];
        if before.sentence != words[at].sentence {
            break;
        }
        let name = before.text.as_str();
        // A clause in between has a subject of its own.
        if matches!(name, "which" | "that" | "because" | "while" | "but" | "where") {
            break;
        }
        let is_joined = name.ends_with("'s") || name.ends_with("'re");
        copula = copula || COPULAS.contains(name) || is_joined;
        let name = name.strip_suffix("'s").or_else(|| name.strip_suffix("'re")).unwrap_or(name);
        let adjoins = from + 1 == at;
        if NEEDS_COPULA.contains(word) && !copula && !adjoins {
            continue;
        }
        // `it` and `this` are subjects only beside their verb.
        if matches!(name, "it" | "this" | "all" | "everything" | "code") && at - from > 4 {
            continue;
        }
        let kinds = SUBJECTS.get(name).into_iter().flatten();
        let kinds = kinds.filter(|kind| may_be(**kind, name, word, copula, adjoins));
        found.extend(kinds.map(|kind| WorkStatement { kind: *kind, form: WorkForm::Thing, from, at }));
    }
    if found.is_empty() {
        found.extend(read_bare_state(words, at));
    }
    found
}

/// Whether a subject of this kind, called `name`, can be in the state `word`. Whether a verb links the two, and whether they
/// adjoin, tells states from other words.
fn may_be(kind: WorkKind, name: &str, word: &str, copula: bool, adjoins: bool) -> bool {
    match kind {
        WorkKind::Service => {
            SERVICE_STATES.contains(word) && (copula || word != "green") && !(adjoins && word == "up")
        }
        WorkKind::Works => WORK_STATES.contains(word) && !is_tautology(name, word),
        WorkKind::Tests => false,
        // A word that is a verb too: `check passes`.
        _ => CHECK_STATES.contains(word) && !(name == "check" && adjoins),
    }
}

/// `passes.`, `compiles cleanly`: a sentence without a subject, or whose subject is code.
fn read_bare_state(words: &[ProseWord], at: usize) -> Option<WorkStatement> {
    let is_verb = matches!(
        words[at].text.as_str(),
        "passes" | "passed" | "succeeds" | "succeeded" | "compiles" | "works" | "builds"
    );
    let is_first = at == 0 || words[at - 1].sentence != words[at].sentence;
    let statement = WorkStatement { kind: WorkKind::Checks, form: WorkForm::Thing, from: at, at };
    (is_verb && is_first).then_some(statement)
}

/// `the code works by scanning` explains, and `all work` is a noun.
fn is_tautology(name: &str, word: &str) -> bool {
    matches!((name, word), ("this" | "all", "work" | "pass" | "passes") | ("commit" | "branch", "live"))
}

/// Whether the state ends its predicate: `up to date` and `works by scanning` are others.
fn ends_state(words: &[ProseWord], at: usize) -> bool {
    let Some(next) = next_word(words, at) else { return true };
    if next.opens_clause {
        return true;
    }
    let word = words[at].text.as_str();
    match next.text.as_str() {
        "to" | "from" => matches!(word, "clean" | "live"),
        "by" | "like" | "when" | "only" | "if" | "via" => false,
        // `this is done in three steps`
        "in" | "on" | "with" | "at" if word == "done" => false,
        "as" | "with" | "under" if matches!(word, "works" | "work" | "working" | "passes" | "running") => {
            matches!(
                text(words, at + 2),
                "expected" | "intended" | "designed" | "all" | "no" | "the" | "every"
            )
        }
        "on" | "in" | "at" | "for" if matches!(word, "works" | "work") => {
            matches!(text(words, at + 2), "production" | "prod" | "staging" | "all" | "every" | "ci" | "main")
        }
        "is" | "has" | "have" | "no" => matches!(word, "passes" | "passed" | "ok"),
        next => AFTER_STATE.contains(next),
    }
}

/// Verbs of checks before `nothing`.
const TELLING: &[&str] = &[
    "reports",
    "reported",
    "found",
    "finds",
    "shows",
    "showed",
    "says",
    "said",
    "flags",
    "flagged",
    "complains",
];

/// `mypy reports no issues`, `no lint errors`, `0 warnings from clippy`.
fn read_no_fault(words: &[ProseWord], at: usize) -> Vec<WorkStatement> {
    if !matches!(words[at].text.as_str(), "no" | "zero" | "0" | "without" | "nothing") || !is_fact(words, at)
    {
        return Vec::new();
    }
    let sentence = words[at].sentence;
    let in_sentence = |index: &usize| words.get(*index).is_some_and(|word| word.sentence == sentence);
    let fault = (at + 1..at + 5).take_while(in_sentence).find(|index| FAULTS.contains(text(words, *index)));
    // `clippy reports nothing`
    let is_bare = words[at].text == "nothing" && at > 0 && TELLING.contains(&text(words, at - 1));
    let Some(fault) = fault.or(is_bare.then_some(at)) else { return Vec::new() };
    let kinds_at = |index: usize| {
        let kinds = SUBJECTS.get(text(words, index)).into_iter().flatten();
        kinds
            .filter(|kind| matches!(kind, WorkKind::Lint | WorkKind::Type | WorkKind::Build | WorkKind::Ci))
            .copied()
    };
    let reports =
        (at.saturating_sub(3)..at).filter(in_sentence).any(|index| REPORTS.contains(text(words, index)));
    // The check stands between `no` and the fault, before a verb that reports, or behind `from`.
    let between = at + 1..fault.max(at + 1);
    let before = if reports || words[at].opens_clause { at.saturating_sub(REACH)..at } else { at..at };
    // `errors from mypy`, `errors were found by mypy`
    let link =
        (fault + 1..fault + 4).find(|index| matches!(text(words, *index), "from" | "in" | "by" | "with"));
    let behind = link.map_or(fault..fault, |link| link + 1..link + 4);
    let places = between.chain(before).chain(behind).filter(|index| in_sentence(index));
    let mut found: Vec<WorkStatement> = Vec::new();
    for index in places {
        for kind in kinds_at(index) {
            found.push(WorkStatement { kind, form: WorkForm::Thing, from: index.min(at), at: fault });
        }
    }
    found.dedup_by(|one, other| one.kind == other.kind);
    found
}

/// The checks that the sentence of the word `at` names behind it.
pub(in crate::check::verification) fn find_checks_named(answer: &Answer<'_>, at: usize) -> Vec<WorkKind> {
    let words = &answer.words;
    let behind = words[at + 1..].iter().take(REACH * 2);
    let behind = behind.take_while(|word| word.sentence == words[at].sentence);
    behind.filter_map(|word| SUBJECTS.get(word.text.as_str())).flatten().copied().collect()
}

/// `✅ Tests ✅ Lint`, `Lint: ✅`: a mark beside the name of a check, and nothing else.
fn read_mark(prose: &str, words: &[ProseWord], at: usize) -> Option<WorkStatement> {
    const MARKS: &[char] = &['✅', '✔', '✓', '☑', '🟢'];
    let kinds = SUBJECTS.get(words[at].text.as_str())?;
    let kind = kinds.iter().find(|kind| {
        matches!(
            kind,
            WorkKind::Tests
                | WorkKind::Lint
                | WorkKind::Type
                | WorkKind::Build
                | WorkKind::Ci
                | WorkKind::Checks
        )
    })?;
    let is_filler = |c: char| matches!(c, ' ' | '*' | ':' | '|' | '\t' | '\u{fe0f}');
    let behind = prose[words[at].end..].trim_start_matches(is_filler);
    let before = prose[..words[at].start].trim_end_matches(is_filler);
    // `✅ Tests added` tells of something else.
    let stands_alone =
        behind.is_empty() || behind.starts_with(['\n', ',', '.', ';']) || behind.starts_with(MARKS);
    let is_marked =
        before.ends_with(MARKS) || (behind.starts_with(MARKS) && !before.ends_with(char::is_alphanumeric));
    (stands_alone && is_marked).then_some(WorkStatement { kind: *kind, form: WorkForm::Thing, from: at, at })
}

/// `tsc exits with 0`, `eslint came back with 0`: an exit code.
fn read_exit(words: &[ProseWord], at: usize) -> Option<WorkStatement> {
    let is_exit = matches!(text(words, at), "exits" | "exited" | "returns" | "returned");
    let behind = words.iter().skip(at + 1).take(4).take_while(|word| word.sentence == words[at].sentence);
    let zero = behind.into_iter().any(|word| matches!(word.text.as_str(), "0" | "zero"));
    if !is_exit || !zero || is_negated(words, at) || !is_fact(words, at) {
        return None;
    }
    let subject =
        (at.saturating_sub(REACH)..at).rev().filter(|from| words[*from].sentence == words[at].sentence);
    let kind = subject.into_iter().find_map(|from| {
        let kinds = SUBJECTS.get(text(words, from))?;
        let kind = kinds
            .iter()
            .find(|kind| !matches!(kind, WorkKind::Service | WorkKind::Works | WorkKind::Tests))?;
        Some((*kind, from))
    });
    kind.map(|(kind, from)| WorkStatement { kind, form: WorkForm::Thing, from, at })
}

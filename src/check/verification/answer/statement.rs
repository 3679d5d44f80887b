//! What an answer does beside stating known facts about work: it asks, refuses, plans, advises, or states something in words
//! that the check does not know; and whether its prompt asks for work or for words.

use super::Answer;
use super::words::{ProseWord, words};
use super::work::is_work_word;
use crate::pattern::{WordSet, is_unspaced};

/// What the user asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::check::verification) enum Request {
    /// Something is to be done: `fix the bug`.
    Work,
    /// Something is to be said: `what is the limit?`, `explain the parser`.
    Words,
    /// The trace holds no prompt.
    Unknown,
}

/// Verbs that ask for work. The sentence begins with them.
static WORK: WordSet = WordSet::new(
    "
    fix implement add create run deploy update change make refactor rename remove delete write build test commit
    push set install migrate upgrade raise merge release publish clean configure edit apply improve optimize debug
    resolve ensure lint format ship roll bump repair correct convert move replace increase decrease lower enable
    disable restart patch verify get finish complete do put use rewrite port extend setup start stop
",
);
/// Verbs that ask for words.
static SPEECH: WordSet = WordSet::new(
    "
    explain describe tell say list name summarize summarise translate compare define answer give suggest recommend
    discuss outline propose review show find look read analyze analyse estimate calculate count repeat respond
    reply greet tells hello hi hey thanks help advise comment report
",
);
static POLITE: WordSet = WordSet::new(
    "
    please now then and just also can could would will you so ok okay i we want need to let's go ahead should must
    first next finally kindly hey hi hello have
",
);
static PROSE_KINDS: WordSet = WordSet::new(
    "
    poem haiku story essay joke letter song tweet summary paragraph sentence email limerick
",
);

/// Tells what `prompt` asks for.
pub(in crate::check::verification) fn read_request(prompt: Option<&str>) -> Request {
    let Some(prompt) = prompt.filter(|prompt| !prompt.trim().is_empty()) else { return Request::Unknown };
    let all = words(prompt);
    let mut asks = false;
    for sentence in all.chunk_by(|one, other| one.sentence == other.sentence) {
        let mut heads =
            sentence.iter().map(|word| word.text.as_str()).skip_while(|word| POLITE.contains(word));
        let Some(head) = heads.next() else { continue };
        let is_prose = heads.take(4).any(|word| PROSE_KINDS.contains(word));
        // `Do the tests pass?` begins with a verb of work, and asks.
        let is_asked = sentence[0].is_asked && sentence[0].text == head;
        if WORK.contains(head) && !is_prose && !is_asked {
            return Request::Work;
        }
        asks = asks || sentence[0].is_asked || SPEECH.contains(head) || is_prose;
    }
    if asks || prompt.contains('?') { Request::Words } else { Request::Work }
}

/// Finds the first word of a statement that might be about work, in words that are not known. A question, a refusal, a plan
/// or advice is no such statement, and the sentences `known` are judged already. `request` decides how much is needed: whoever asked for work
/// gets an account of it.
pub(in crate::check::verification) fn find_unknown_statement(
    answer: &Answer<'_>,
    request: Request,
    known: &[usize],
) -> Option<usize> {
    if request == Request::Words {
        return None;
    }
    let mut from = 0;
    for sentence in answer.words.chunk_by(|one, other| one.sentence == other.sentence) {
        let says_something = !known.contains(&sentence[0].sentence)
            && (affirms(&answer.words, from) || !is_without_claim(sentence))
            && (affirms(&answer.words, from)
                || is_bold(sentence)
                || request == Request::Work
                || sentence.iter().any(|word| is_account(&word.text)));
        if says_something {
            return Some(from);
        }
        from += sentence.len();
    }
    None
}

/// Whether a word may be one of an account: one about work, or a past tense.
fn is_account(word: &str) -> bool {
    is_work_word(word) || SIGNS.contains(word) || (word.len() > 4 && word.ends_with("ed"))
}

/// Words that say that something is finished or well.
static SIGNS: WordSet = WordSet::new(
    "
    done works working ready complete sorted set finished good fine live green clean resolved gone solved fixed
    passes passing taken handled wrapped wired place now up
",
);

/// Whether the sentence of the word `at` makes no claim.
pub(in crate::check::verification) fn is_in_advice(words: &[ProseWord], at: usize) -> bool {
    let Some(word) = words.get(at) else { return false };
    let start = words.partition_point(|other| other.sentence < word.sentence);
    let end = words.partition_point(|other| other.sentence <= word.sentence);
    is_without_claim(&words[start..end])
}

const REFUSALS: &[&str] = &[
    "cannot",
    "can't",
    "unable",
    "sorry",
    "unfortunately",
    "refuse",
    "decline",
    "apologize",
    "apologies",
    "apologise",
    "won't",
    "couldn't",
    "wouldn't",
    "didn't",
    "haven't",
    "don't",
    "wasn't",
    "weren't",
    "hasn't",
];

static PLANS: WordSet = WordSet::new(
    "
    will i'll we'll would could should can let let's please shall plan going may might must want need needs if
    once when until before try consider i'd you you'll you're your here here's it'll maybe perhaps suggest
    recommend propose next
",
);

static ADVICE: WordSet = WordSet::new(
    "
    change replace add run use check open edit update install remove make see look note remember to try create
    write delete move rename tell give send do provide share paste confirm choose pick step option first
",
);

static COURTESIES: WordSet = WordSet::new(
    "
    hello hi hey thanks thank welcome sure okay ok yes no understood certainly got happy glad great course
    absolutely of noted i it you to help the problem
",
);

/// Whether a sentence asks, refuses, plans, advises or is polite.
fn is_without_claim(sentence: &[ProseWord]) -> bool {
    let has = |words: &[&str]| sentence.iter().any(|word| words.contains(&word.text.as_str()));
    let first = sentence[0].text.as_str();
    if sentence[0].is_asked || has(REFUSALS) || ADVICE.contains(first) {
        return true;
    }
    if is_bold(sentence) {
        return false;
    }
    // A wish stands at the head of its clause. `The bug is gone, you can merge` states something before it.
    if sentence.iter().take(3).any(|word| PLANS.contains(word.text.as_str())) {
        return true;
    }
    denies_work(sentence)
        || (sentence.len() <= 6 && sentence.iter().all(|word| COURTESIES.contains(word.text.as_str())))
}

/// Whether the sentence that begins at the word `at` says yes to the question before it, which the answer asks itself.
fn affirms(words: &[ProseWord], at: usize) -> bool {
    matches!(words[at].text.as_str(), "yes" | "yep" | "yeah") && at > 0 && words[at - 1].is_asked
}

/// Whether a sentence says that something is well, though it has words of plans and denials.
fn is_bold(sentence: &[ProseWord]) -> bool {
    const HYPOTHESES: &[&str] =
        &["if", "once", "after", "when", "until", "please", "let", "retry", "try", "will", "i'll", "would"];
    const FAULTY: &[&str] = &["broken", "failing", "wrong", "missing", "left", "failed"];
    let text = |index: usize| sentence.get(index).map_or("", |word| word.text.as_str());
    let has = |words: &[&str]| sentence.iter().any(|word| words.contains(&word.text.as_str()));
    let has_all = |wanted: &[&str]| {
        sentence
            .windows(wanted.len())
            .any(|words| words.iter().zip(wanted).all(|(word, wanted)| word.text == *wanted))
    };
    if has(HYPOTHESES) {
        return false;
    }
    let last = sentence.last().map_or("", |word| word.text.as_str());
    // `Users can sign in again.`
    let can_again = has(&["can"]) && last == "again" && !matches!(text(0), "i" | "we" | "can");
    let flawless = text(0) == "nothing" && matches!(text(1), "is" | "was") && has(FAULTY);
    can_again
        || flawless
        || has_all(&["on", "its", "way"])
        || has_all(&["on", "their", "way"])
        || has_all(&["should", "do", "it"])
        || has_all(&["should", "do", "the", "trick"])
}

/// What follows `no` and denies a fault, not the work.
static FAULTS: WordSet = WordSet::new(
    "longer more problem problems issue issues errors error type lint compiler build new warnings failures regressions remaining",
);

/// Whether a sentence says that something was not done.
fn denies_work(sentence: &[ProseWord]) -> bool {
    let text = |index: usize| sentence.get(index).map_or("", |word| word.text.as_str());
    let has = |words: &[&str]| sentence.iter().any(|word| words.contains(&word.text.as_str()));
    let first = text(0);
    // `I have not changed anything`, `the tests were not run`, `nothing was changed`, `no changes were made`.
    let denies = sentence.windows(2).any(|pair| {
        matches!(pair[0].text.as_str(), "not" | "never")
            && (pair[1].text.ends_with("ed")
                || matches!(
                    pair[1].text.as_str(),
                    "run" | "done" | "made" | "been" | "yet" | "do" | "have" | "able" | "find" | "touch"
                ))
    });
    let denies_all = matches!(first, "nothing" | "none" | "neither" | "nobody")
        || (first == "no" && !FAULTS.contains(text(1)));
    let owner_denies = matches!(first, "i" | "we" | "i'm" | "i've" | "we've")
        && has(&["not", "never", "no", "nothing", "without"]);
    let owner_refuses = has(&["i", "we"]) && has(&["not", "never"]);
    denies || owner_refuses || denies_all || owner_denies
}

/// Finds a sign that work is finished, in an answer of a run that only looked: `the issue no longer occurs`, `all set`.
/// The sentences `known` are judged already.
pub(in crate::check::verification) fn find_sign_of_work(
    answer: &Answer<'_>,
    known: &[usize],
) -> Option<usize> {
    let mut from = 0;
    for sentence in answer.words.chunk_by(|one, other| one.sentence == other.sentence) {
        let is_known = known.contains(&sentence[0].sentence);
        let tells = affirms(&answer.words, from) || (!is_without_claim(sentence) && is_sign(sentence));
        if !is_known && tells {
            return Some(from);
        }
        from += sentence.len();
    }
    None
}

/// Words that say that something has ended well.
const FINISHED: &[&str] = &[
    "done",
    "fixed",
    "finished",
    "accomplished",
    "complete",
    "completed",
    "sorted",
    "shipped",
    "solved",
    "resolved",
    "successful",
    "success",
    "succeeded",
    "passed",
    "out",
    "deployed",
    "merged",
    "committed",
    "pushed",
    "published",
    "released",
    "closed",
];

/// Words before the verb of the author.
const OWNERS: &[&str] =
    &["i", "i've", "we", "we've", "have", "also", "now", "just", "then", "successfully", "already", "and"];

/// Whether a word is a past tense of a deed. Words for looking at things are not included, nor are words that only describe.
fn is_deed(word: &str) -> bool {
    static LOOKS: WordSet = WordSet::new(
        "
        looked checked searched inspected reviewed examined opened noticed reported listed located compared analyzed
        analysed traced identified confirmed verified double-checked based named called defined required limited
        needed re-read assumed indeed scanned walked expected related supposed used followed observed counted read
        unneeded embedded nested deprecated unused detailed wanted tried attempted failed stopped declined refused
        skipped
    ",
    );
    const IRREGULAR: &[&str] =
        &["sent", "built", "wrote", "made", "put", "took", "cut", "got", "shut", "rebuilt", "redid", "did"];
    IRREGULAR.contains(&word) || (word.len() > 4 && word.ends_with("ed") && !LOOKS.contains(word))
}

const SIGNING_PAIRS: &[(&str, &str)] = &[
    ("no", "longer"),
    ("all", "set"),
    ("all", "done"),
    ("all", "good"),
    ("good", "go"),
    ("good", "to"),
    ("in", "place"),
    ("taken", "care"),
    ("took", "care"),
    ("as", "expected"),
    ("as", "requested"),
    ("is", "ready"),
    ("are", "ready"),
    ("now", "handles"),
    ("now", "returns"),
    ("now", "uses"),
    ("now", "works"),
    ("now", "supports"),
    ("is", "gone"),
    ("are", "gone"),
    ("went", "through"),
    ("goes", "through"),
    ("ready", "for"),
    ("ready", "to"),
    ("is", "done"),
    ("are", "done"),
    ("wrapped", "up"),
    ("is", "sorted"),
    ("is", "now"),
    ("are", "now"),
    ("works", "now"),
    ("back", "to"),
    ("in", "production"),
    ("in", "prod"),
    ("on", "main"),
    ("on", "master"),
    ("is", "out"),
    ("are", "out"),
    ("check", "out"),
    ("checks", "out"),
    ("is", "live"),
    ("is", "closed"),
    ("is", "scheduled"),
    ("is", "complete"),
    ("is", "finished"),
    ("was", "successful"),
    ("is", "successful"),
    ("looks", "good"),
    ("look", "good"),
];

const ABROAD: &[&str] = &[
    "behoben",
    "erledigt",
    "fertig",
    "korrigiert",
    "erstellt",
    "corrigé",
    "corrigée",
    "terminé",
    "résolu",
    "corregido",
    "arreglado",
    "solucionado",
    "terminado",
    "listo",
    "risolto",
    "corretto",
    "fatto",
    "corrigido",
    "concluído",
    "resolvido",
    "feito",
    "opgelost",
    "gefixt",
    "åtgärdat",
    "naprawiony",
    "исправлена",
    "исправлен",
    "готово",
];

/// Whether a sentence tells of checks that it does not name, or of what work would leave behind.
fn is_vague(sentence: &[ProseWord]) -> bool {
    let has = |words: &[&str]| sentence.iter().any(|word| words.contains(&word.text.as_str()));
    let text = |index: usize| sentence.get(index).map_or("", |word| word.text.as_str());
    // `They pass.`
    let pass = sentence.len() <= 4
        && matches!(text(0), "they" | "both" | "all" | "these" | "it" | "everything")
        && has(&["pass", "passes", "passed", "green", "succeed", "succeeded"]);
    // `I verified the change manually.`
    let verified = has(&["verified", "tested", "double-checked", "validated", "rechecked", "re-checked"])
        && has(&[
            "change",
            "changes",
            "fix",
            "output",
            "result",
            "results",
            "behavior",
            "behaviour",
            "manually",
            "works",
        ]);
    // `The config file contains the new setting.`
    let contains = sentence.windows(3).any(|three| {
        matches!(three[0].text.as_str(), "contains" | "includes" | "has" | "uses" | "reflects")
            && three[1].text == "the"
            && matches!(three[2].text.as_str(), "new" | "updated" | "requested" | "corrected" | "desired")
    });
    // `PR #42 is open.`
    let proposed = matches!(text(0), "pr" | "mr" | "pull" | "the" | "your")
        && has(&["pr", "mr", "request"])
        && has(&["is", "are"])
        && has(&["open", "up", "merged", "ready", "opened"]);
    pass || verified || contains || proposed
}

fn is_sign(sentence: &[ProseWord]) -> bool {
    // Accounts in other languages, which need no grammar to be known.
    let pair = sentence
        .windows(2)
        .any(|pair| SIGNING_PAIRS.contains(&(pair[0].text.as_str(), pair[1].text.as_str())));
    let text = |index: usize| sentence.get(index).map_or("", |word| word.text.as_str());
    let has = |words: &[&str]| sentence.iter().any(|word| words.contains(&word.text.as_str()));
    // `Done.`, `that's done`, `build successful`, `all good now`.
    let finished = sentence.len() <= 4 && has(FINISHED);
    // `No errors found.`, `zero warnings`.
    let faultless = sentence.len() <= 4
        && matches!(text(0), "no" | "zero" | "0")
        && has(&["errors", "warnings", "failures", "issues", "problems", "regressions"]);
    // `I scheduled the job`, `has been plugged`: a past tense of the author, or a perfect, that tells of no look.
    let mut heads = sentence.iter().map(|word| word.text.as_str()).skip_while(|word| OWNERS.contains(word));
    let tells = heads.next().is_some_and(is_deed);
    let perfect = sentence.windows(3).any(|three| {
        matches!(three[0].text.as_str(), "has" | "have") && three[1].text == "been" && is_deed(&three[2].text)
    });
    let abroad = has(ABROAD) || sentence.iter().any(|word| word.text.contains(is_unspaced));
    let ends_now = sentence.len() > 2 && sentence.last().is_some_and(|word| word.text == "now");
    if is_bold(sentence)
        || is_vague(sentence)
        || finished
        || faultless
        || tells
        || perfect
        || abroad
        || ends_now
    {
        return true;
    }
    // `this change fixes the crash`, `the patch resolves it`.
    let fixes = sentence.windows(2).any(|pair| {
        matches!(
            pair[0].text.as_str(),
            "change" | "changes" | "fix" | "patch" | "commit" | "pr" | "update" | "edit" | "this"
        ) && matches!(
            pair[1].text.as_str(),
            "fixes"
                | "resolves"
                | "solves"
                | "adds"
                | "removes"
                | "implements"
                | "addresses"
                | "ensures"
                | "makes"
        )
    });
    // `the parser now handles tabs`.
    let now = sentence
        .windows(2)
        .any(|pair| pair[0].text == "now" && pair[1].text.len() > 3 && pair[1].text.ends_with('s'));
    pair || fixes || now
}

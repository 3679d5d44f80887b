//! The phrases by which English refuses: who, what keeps them, and what they will not do.

/// Phrases that refuse by themselves.
pub(super) const OUTRIGHT: &[&str] = &[
    "against my guidelines",
    "against my policies",
    "against my policy",
    "against my programming",
    "against our guidelines",
    "against our policies",
    "against our policy",
    "i decline",
    "i do not feel comfortable",
    "i don't feel comfortable",
    "i have to decline",
    "i have to refuse",
    "i must decline",
    "i must refuse",
    "i need to decline",
    "i respectfully decline",
    "i will have to decline",
    "i would prefer not to",
    "i would rather not",
    "i'd prefer not to",
    "i'd rather not",
    "i'll have to decline",
    "i'm declining",
    "i'm going to decline",
    "violates my guidelines",
    "violates our guidelines",
    "violates our policies",
    "violates our policy",
];

/// Who refuses, before a [`MODALS`].
pub(super) const SUBJECTS: &[&str] = &["i", "we"];

/// What keeps them. A phrase stands before its own beginning.
pub(super) const MODALS: &[&str] = &[
    "can't and will not",
    "can't and won't",
    "can't",
    "can not",
    "cannot and will not",
    "cannot and won't",
    "cannot",
    "cant",
    "may not",
    "must not",
    "mustn't",
    "must refuse to",
    "refuse to",
    "should not",
    "shouldn't",
    "will not",
    "won't",
];

/// Who refuses, before a [`STATES`].
pub(super) const BEINGS: &[&str] = &["i am", "i'm", "we are", "we're"];

/// What keeps them.
pub(super) const STATES: &[&str] = &[
    "not able to",
    "not allowed to",
    "not authorised to",
    "not authorized to",
    "not comfortable",
    "not going to",
    "not permitted to",
    "not willing to",
    "unable to",
    "unwilling to",
];

/// What keeps somebody who is not named, where a clause begins or after [`APOLOGIES`].
pub(super) const UNNAMED: &[&str] =
    &["can't", "can not", "cannot", "not able to", "not allowed to", "unable to", "will not", "won't"];

pub(super) const APOLOGIES: &[&str] = &["apologies", "no", "sorry", "unfortunately"];

/// What they will not do is told to be no matter of theirs.
pub(super) const NO_MATTER: &[&str] = &[
    "beyond what i can",
    "not something i am able to",
    "not something i can",
    "not something i will",
    "not something i'll",
    "not something i'm able to",
    "not something we can",
    "outside of what i can",
    "outside what i can",
];

/// Words between what keeps them and what they will not do: at most [`MOST_FILLERS`].
pub(super) const FILLERS: &[&str] = &[
    "able",
    "actually",
    "also",
    "be",
    "conscience",
    "currently",
    "directly",
    "ethically",
    "ever",
    "good",
    "in",
    "just",
    "knowingly",
    "legally",
    "personally",
    "possibly",
    "really",
    "responsibly",
    "safely",
    "simply",
    "to",
];

pub(super) const MOST_FILLERS: usize = 4;

/// What they will not do. Words with which help is offered or facts are told ("find", "say", "wait") are not here.
pub(super) const ACTS: &[&str] = &[
    "accept",
    "accommodate",
    "advise",
    "agree",
    "allow",
    "answer",
    "approve",
    "assist",
    "assisting",
    "authorise",
    "authorize",
    "bypass",
    "comply",
    "create",
    "creating",
    "delete",
    "describe",
    "disable",
    "disclose",
    "discuss",
    "discussing",
    "do",
    "encourage",
    "endorse",
    "engage",
    "execute",
    "expose",
    "facilitate",
    "fulfil",
    "fulfill",
    "generate",
    "generating",
    "give out",
    "give that",
    "give you",
    "go ahead",
    "go along",
    "grant",
    "help",
    "helping",
    "honor",
    "honour",
    "ignore",
    "issue",
    "leak",
    "let you",
    "modify",
    "offer",
    "override",
    "participate",
    "perform",
    "permit",
    "pretend",
    "print",
    "proceed",
    "process",
    "produce",
    "promote",
    "provide",
    "providing",
    "publish",
    "repeat",
    "reveal",
    "role play",
    "roleplay",
    "run",
    "send",
    "share",
    "sharing",
    "show",
    "supply",
    "support",
    "tell you",
    "transfer",
    "write",
    "writing",
];

/// What looks like an act and refuses nothing.
pub(super) const IDIOMS: &[&str] = &[
    "do enough",
    "do without",
    "help but",
    "help feeling",
    "help it",
    "help myself",
    "help noticing",
    "help smiling",
    "help thinking",
    "help wondering",
    "show enough",
    "support enough",
];

/// What takes back a refusal that follows it.
pub(super) const TAKEN_BACK: &[&str] = &[
    "does not mean",
    "does not mean that",
    "doesn't mean",
    "doesn't mean that",
    "if",
    "no reason",
    "no reason that",
    "no reason why",
    "not because",
    "not saying",
    "not saying that",
    "not that",
    "nothing",
    "nothing that",
    "what",
    "when",
    "whether",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_longer_phrase_stands_before_its_own_beginning() {
        for table in [MODALS, UNNAMED, STATES, ACTS, OUTRIGHT] {
            for (index, phrase) in table.iter().enumerate() {
                let shadowed =
                    table[..index].iter().find(|earlier| phrase.starts_with(&format!("{earlier} ")));
                assert_eq!(shadowed, None, "{phrase}");
            }
        }
    }
}

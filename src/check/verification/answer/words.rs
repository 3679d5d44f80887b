//! The words of a prose, sentence by sentence, and phrases that are looked for among them.

use std::collections::HashMap;

use crate::pattern::WordSet;

/// A word.
#[derive(Debug)]
pub(in crate::check::verification) struct ProseWord {
    /// The word in lower case, with curly apostrophes straightened.
    pub(in crate::check::verification) text: String,
    /// The first byte of the word.
    pub(in crate::check::verification) start: usize,
    /// One past the last byte of the word.
    pub(in crate::check::verification) end: usize,
    /// The number of the sentence, from 0.
    pub(in crate::check::verification) sentence: usize,
    /// Whether a clause may begin here: it is the first word of its line or sentence, or a mark such as a comma precedes.
    pub(in crate::check::verification) opens_clause: bool,
    /// Whether the word belongs to a question: its sentence begins like one, and ends with a question mark.
    pub(in crate::check::verification) is_asked: bool,
}

/// The first words of questions. `I fixed it, ok?` is a statement.
static ASKING: WordSet = WordSet::new(
    "
    do does did is are was were am can could should shall would will may has have had which what who whom whose
    when where why how what's who's where's how's isn't aren't don't doesn't didn't won't
",
);

/// The words of `prose`.
pub(in crate::check::verification) fn words(prose: &str) -> Vec<ProseWord> {
    let mut words: Vec<ProseWord> = Vec::new();
    let mut sentence = 0;
    let mut open = None;
    let mut opens_clause = true;
    for (at, c) in prose.char_indices() {
        let joins = matches!(c, '\'' | '’' | '-' | '_');
        if c.is_alphanumeric() || (joins && open.is_some()) {
            open.get_or_insert(at);
            continue;
        }
        if let Some(start) = open.take() {
            words.push(ProseWord { opens_clause, ..build_word(&prose[start..at], start, sentence) });
            opens_clause = false;
        }
        opens_clause = opens_clause
            || matches!(
                c,
                '\n' | ',' | ':' | ';' | '(' | '—' | '–' | '.' | '!' | '?' | '✅' | '✓' | '✔' | '→'
            );
        if c == '?' {
            mark_question(&mut words, sentence);
        }
        // A second mark without a word between, such as `...` or `?!`, ends no further sentence.
        if ends_sentence(c, &prose[at + c.len_utf8()..])
            && words.last().is_some_and(|word| word.sentence == sentence)
        {
            sentence += 1;
        }
    }
    words
        .extend(open.map(|start| ProseWord { opens_clause, ..build_word(&prose[start..], start, sentence) }));
    words
}

/// Marks the last words as a question, if they are those of `sentence` and it begins like one.
fn mark_question(words: &mut [ProseWord], sentence: usize) {
    let start = words.partition_point(|word| word.sentence < sentence);
    let asked = &mut words[start..];
    let mut opening = asked.iter().take(2).map(|word| word.text.as_str());
    let first = opening.next().filter(|first| !matches!(*first, "and" | "so" | "but" | "or"));
    if first.or_else(|| opening.next()).is_some_and(|first| ASKING.contains(first)) {
        for word in asked {
            word.is_asked = true;
        }
    }
}

fn build_word(text: &str, start: usize, sentence: usize) -> ProseWord {
    let bare = text.trim_end_matches(['\'', '’', '-', '_']);
    let text = bare.chars().map(|c| if c == '’' { '\'' } else { c }).flat_map(char::to_lowercase).collect();
    ProseWord { text, start, end: start + bare.len(), sentence, opens_clause: false, is_asked: false }
}

/// A full stop before a blank, a line break before an empty line, a list's entry or a heading.
fn ends_sentence(c: char, rest: &str) -> bool {
    match c {
        '!' | '?' | ';' => true,
        '.' => rest.chars().next().is_none_or(char::is_whitespace),
        '\n' => {
            // A line break within a paragraph is a blank; before these it ends an entry or a heading.
            let next = rest.trim_start_matches([' ', '\t']);
            next.starts_with(['\n', '-', '*', '#', '|', '+', '•'])
                || next.starts_with(|c: char| c.is_ascii_digit())
        }
        _ => false,
    }
}

/// Phrases, by their first words. A phrase is words with alternatives: `should|would now|just? work`; one with a
/// question mark may be missing.
#[derive(Debug, Clone, Default)]
pub(in crate::check::verification) struct Phrases {
    phrases: Vec<Vec<Slot>>,
    by_first: HashMap<String, Vec<usize>>,
}

#[derive(Debug, Clone)]
struct Slot {
    words: Vec<String>,
    is_optional: bool,
}

impl Phrases {
    /// The phrases that `texts` spell.
    pub(in crate::check::verification) fn new<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        let mut phrases = Self::default();
        texts.into_iter().for_each(|text| phrases.add(text));
        phrases
    }

    /// Adds the phrase that `text` spells.
    pub(in crate::check::verification) fn add(&mut self, text: &str) {
        let slots: Vec<Slot> = text.split_whitespace().map(parse_slot).collect();
        let Some(first) = slots.first() else { return };
        // A phrase is looked up by its first word, so that each word of an answer is compared with few of them.
        for word in &first.words {
            self.by_first.entry(word.clone()).or_default().push(self.phrases.len());
        }
        self.phrases.push(slots);
    }

    /// The phrases that begin at the word `at`: which, and how many words each takes.
    pub(in crate::check::verification) fn at<'p>(
        &'p self,
        words: &'p [ProseWord],
        at: usize,
    ) -> impl Iterator<Item = (usize, usize)> + 'p {
        let first = self.by_first.get(&words[at].text).into_iter().flatten();
        first.filter_map(move |index| Some((*index, count_taken(&self.phrases[*index], words, at)?)))
    }
}

fn parse_slot(text: &str) -> Slot {
    let (text, is_optional) = text.strip_suffix('?').map_or((text, false), |text| (text, true));
    Slot { words: text.split('|').map(str::to_lowercase).collect(), is_optional }
}

/// Counts the words that the phrase takes from `at` on, all in one sentence. An optional word that is there is taken.
fn count_taken(slots: &[Slot], words: &[ProseWord], at: usize) -> Option<usize> {
    // The words are matched greedily from left to right. No phrase needs a way back: an optional word is never the
    // first of what follows it.
    let mut now = at;
    for slot in slots {
        let word = words.get(now).filter(|word| word.sentence == words[at].sentence);
        match word {
            Some(word) if slot.words.contains(&word.text) => now += 1,
            _ if slot.is_optional => {}
            _ => return None,
        }
    }
    Some(now - at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(phrase: &str, text: &str) -> bool {
        let phrases = Phrases::new([phrase]);
        let words = words(text);
        (0..words.len()).any(|at| phrases.at(&words, at).next().is_some())
    }

    #[test]
    fn phrases_stand_in_one_sentence() {
        assert!(found("should|would now|just? work", "It Should now\nwork."));
        assert!(found("should|would now|just? work", "would work"));
        assert!(!found("should|would now|just? work", "as it should. Work goes on"));
        assert!(!found("likely", "unlikely"));
        assert!(found("i'm sure", "I’m sure"));
    }

    #[test]
    fn sentences_end_at_stops_and_lists() {
        let words = words("a b. c\n- d\n\ne v1.2 f!");
        let sentences: Vec<usize> = words.iter().map(|word| word.sentence).collect();
        assert_eq!(sentences, [0, 0, 1, 2, 3, 3, 3, 3]);
    }
}

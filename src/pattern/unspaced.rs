//! Scripts that put no blanks between words, or write what belongs to a number right behind it.

/// Whether `c` is a letter of a script in which letters and figures touch: Chinese, Japanese, Korean, Thai, Lao, Khmer,
/// Burmese.
pub(crate) fn is_unspaced(c: char) -> bool {
    matches!(c,
        // Thai, Lao, Burmese, Hangul, Khmer.
        '\u{e01}'..='\u{e4e}' | '\u{e81}'..='\u{ecd}' | '\u{1000}'..='\u{103f}' | '\u{1100}'..='\u{11ff}'
        | '\u{1780}'..='\u{17d3}' | '\u{a960}'..='\u{a97f}' | '\u{ac00}'..='\u{d7ff}' | '\u{3130}'..='\u{318f}'
        // Kana, Bopomofo, Han.
        | '\u{3005}'..='\u{3007}' | '\u{3031}'..='\u{3035}' | '\u{3041}'..='\u{312f}' | '\u{31a0}'..='\u{31bf}'
        | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{ff66}'..='\u{ff9f}' | '\u{20000}'..='\u{3ffff}')
}

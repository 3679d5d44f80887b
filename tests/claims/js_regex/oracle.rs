//! The engine that needs nothing installed.

use super::random::Random;
use super::*;

/// It folds these into ASCII, which JavaScript does not without the flag `u`.
fn is_misread(text: &str) -> bool {
    text.contains(['ſ', '\u{212A}'])
}

fn theirs(pattern: &str, flags: &str, text: &str) -> AnswerScope {
    let units: Vec<u32> = pattern.encode_utf16().map(u32::from).collect();
    let Ok(regex) = regress::Regex::from_unicode(units.into_iter(), flags) else {
        return AnswerScope::Invalid;
    };
    let text: Vec<u16> = text.encode_utf16().collect();
    let Some(found) = regex.find_from_ucs2(&text, 0).next() else { return AnswerScope::NoMatch };
    let value = found.named_group("value").or_else(|| found.group(1)).unwrap_or(found.range);
    AnswerScope::Match(String::from_utf16_lossy(&text[value]))
}

#[test]
fn a_second_engine_agrees() {
    let mut random = Random(0xDEAD_BEEF_CAFE_F00D);
    let mut wrong = Vec::new();
    for _ in 0..1_500 {
        let pattern = random.pattern();
        let flags = random.flags();
        for text in [random.text(), random.text()] {
            let ours = ours(&pattern, &flags, &text);
            let theirs = theirs(&pattern, &flags, &text);
            // What it alone takes for a pattern, Node refuses.
            let differs = ours.as_ref().is_some_and(|ours| *ours != theirs);
            let misread = is_misread(&pattern) || is_misread(&text);
            if differs && !misread && ours != Some(AnswerScope::Invalid) {
                wrong.push(format!("/{pattern}/{flags} on {text:?}: {ours:?}, regress says {theirs:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong[..wrong.len().min(25)].join("\n"));
}

/// Two thirds of these patterns prove nothing; each proof that is found is held against texts.
#[test]
fn no_text_refutes_a_proof() {
    let mut random = Random(0x005E_ED0F_5EED_0F01);
    let mut nothing = 0;
    let mut everything = 0;
    for _ in 0..4_000 {
        let flags = Flags::parse_flags(&random.flags()).expect("flags");
        let Ok(regex) = JsRegex::new(&random.pattern(), flags) else { continue };
        nothing += usize::from(regex.matches_nothing());
        everything += usize::from(regex.matches_every_text());
        for text in (0..6).map(|_| random.text()).chain([String::new()]) {
            let found = regex.is_match(&text);
            assert!(!(regex.matches_nothing() && found == Ok(true)), "{regex} matches {text:?}");
            assert!(!(regex.matches_every_text() && found == Ok(false)), "{regex} does not match {text:?}");
        }
    }
    assert!(nothing > 100 && everything > 100, "{nothing} and {everything} proofs");
}

#[test]
fn what_may_match_or_fail_is_not_proven() {
    for pattern in
        [r"(a)\1", r"\Ba\b", r"^(?!.*error)", r"^(?:(?!a)[^])*$", r"a\Bb", "(?=a)b|^c", r"(?:^a)?b"]
    {
        let regex = regex(pattern, "");
        assert!(!regex.matches_nothing() && !regex.matches_every_text(), "{pattern}");
    }
}

#[test]
fn usual_vacuous_patterns_are_proven() {
    for pattern in ["$a", "a^b", "[]", "(?:a^|b^)", "(?!)", "(?:[]|a^)y", "(a^)+"] {
        assert!(regex(pattern, "").matches_nothing(), "{pattern}");
    }
    for pattern in ["", ".*", "^", "$", "^[^]*$", "(?:)", "a?", "a*|b", "(?=)", r"(\s\S)*", "(?:^[^]*){3}$"] {
        assert!(regex(pattern, "").matches_every_text(), "{pattern}");
    }
}

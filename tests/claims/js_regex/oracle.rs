//! The engine that needs nothing installed.

use super::random::Random;
use super::*;

/// It folds these into ASCII, which JavaScript does not without the flag `u`.
fn is_misread(text: &str) -> bool {
    text.contains(['ſ', '\u{212A}'])
}

fn theirs(pattern: &str, flags: &str, text: &str) -> Said {
    let units: Vec<u32> = pattern.encode_utf16().map(u32::from).collect();
    let Ok(regex) = regress::Regex::from_unicode(units.into_iter(), flags) else { return Said::Invalid };
    let text: Vec<u16> = text.encode_utf16().collect();
    let Some(found) = regex.find_from_ucs2(&text, 0).next() else { return Said::NoMatch };
    let value = found.named_group("value").or_else(|| found.group(1)).unwrap_or(found.range);
    Said::Match(String::from_utf16_lossy(&text[value]))
}

#[test]
fn a_second_engine_agrees() {
    let mut random = Random(0xDEAD_BEEF_CAFE_F00D);
    let mut wrong = Vec::new();
    for _ in 0..1_500 {
        let (pattern, flags) = (random.pattern(), random.flags());
        for text in [random.text(), random.text()] {
            let (ours, theirs) = (ours(&pattern, &flags, &text), theirs(&pattern, &flags, &text));
            // What it alone takes for a pattern, Node refuses.
            let differs = ours.as_ref().is_some_and(|ours| *ours != theirs);
            let misread = is_misread(&pattern) || is_misread(&text);
            if differs && !misread && ours != Some(Said::Invalid) {
                wrong.push(format!("/{pattern}/{flags} on {text:?}: {ours:?}, regress says {theirs:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong[..wrong.len().min(25)].join("\n"));
}

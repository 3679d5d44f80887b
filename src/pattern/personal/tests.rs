//! What is personal data and what only looks like it, as a table.

use super::*;

fn found(text: &str) -> Vec<(PersonalKind, &str)> {
    find_personal(text).into_iter().map(|one| (one.kind, &text[one.range])).collect()
}

#[test]
fn every_pattern_compiles() {
    let count = contact::EMAIL.len() + bank::RULES.len() + contact::RULES.len();
    assert_eq!(RULES.len(), count);
}

#[test]
fn personal_data_is_found() {
    use PersonalKind::{Card, Email, Iban, Phone, UsSsn};
    for (text, kind, value) in [
        ("Mail ada.l+x@mail.shop.example.", Email, "ada.l+x@mail.shop.example"),
        ("<jürgen@müller.example>", Email, "jürgen@müller.example"),
        ("call (415) 555-2671.", Phone, "(415) 555-2671"),
        ("(555) 123-4567", Phone, "(555) 123-4567"),
        ("123-456-7890", Phone, "123-456-7890"),
        ("+44 (0)20 7946 0958", Phone, "+44 (0)20 7946 0958"),
        ("call 415-555-2671, or", Phone, "415-555-2671"),
        ("1.415.555.2671", Phone, "1.415.555.2671"),
        ("+49 30 901820-11", Phone, "+49 30 901820-11"),
        ("+14155552671", Phone, "+14155552671"),
        ("0049 30 901820", Phone, "0049 30 901820"),
        ("Phone: 030 901820", Phone, "030 901820"),
        ("+４９ ３０ ９０１８２０", Phone, "+４９ ３０ ９０１８２０"),
        ("4111 1111 1111 1111", Card, "4111 1111 1111 1111"),
        ("4111 1111 1111 1111 12/27", Card, "4111 1111 1111 1111"),
        ("card 378282246310005.", Card, "378282246310005"),
        ("5555-5555-5555-4444", Card, "5555-5555-5555-4444"),
        ("DE89 3704 0044 0532 0130 00 BANK", Iban, "DE89 3704 0044 0532 0130 00"),
        ("GB82WEST12345698765432", Iban, "GB82WEST12345698765432"),
        ("123-45-6789", UsSsn, "123-45-6789"),
        ("SSN: 123456789", UsSsn, "123456789"),
    ] {
        assert_eq!(found(text), [(kind, value)], "{text}");
    }
}

#[test]
fn secrets_are_found_by_their_shapes() {
    let tail = "aB3".repeat(15);
    let token = format!("eyJ{tail}.eyJ{tail}.{tail}");
    let keys = [
        format!("sk-proj-{tail}"),
        "sk-1234567890abcdef".to_owned(),
        format!("sk_live_{}", &tail[..24]),
        "AKIAIOSFODNN7EXAMPLE".to_owned(),
        format!("ghp_{}", &tail[..36]),
        format!("xoxb-{tail}"),
        format!("AIza{}", &tail[..35]),
        format!("hf_{tail}"),
        token,
        "-----BEGIN RSA PRIVATE KEY-----".to_owned(),
    ];
    for key in keys {
        let text = format!("It is `{key}`, keep it.");
        assert_eq!(found(&text), [(PersonalKind::Secret, key.as_str())]);
        assert_eq!(mask_personal(&text), "It is `***`, keep it.");
    }
}

#[test]
fn what_only_looks_like_it_is_left_alone() {
    for text in [
        "order 0012345678, 4400 415 555 2671",
        "order 4155552671 and #4155552671",
        "order 415-555-26713, ORD-415-555-2671",
        "on 2025-03-03 at 10:15:00",
        "version 1.2.3, 192.168.100.100, 10.415.555.2671",
        "1Z999AA10123456784, TRK-88, 9400 1118 9956 1234 5678 90",
        "4111 1111 1111 1112, 1234567890123456",
        "$1,234,567.89 or 12345678.90",
        "DE89 3704 0044 0532 0130 01",
        "000-12-3456, 666-12-3456, 912-34-5678, 123-00-6789",
        "a @ b, @ada, ada@localhost",
        "sk-short, sk-folding-cube-wrapper-of-many, task-0123456789012345678901234",
        "2025-11-22T02:00:00+00:00, 3.14159265358979",
        "550e8400-e29b-41d4-a716-446655440000",
        "phone 1042, mobile app 2.0, +5 %",
    ] {
        assert_eq!(found(text), [], "{text}");
    }
}

#[test]
fn a_mask_shows_the_ends_at_most() {
    assert_eq!(
        mask_personal("I wrote to ada@shop.example, or +14155552671."),
        "I wrote to ad***le, or +1***71."
    );
    assert_eq!(mask_personal("a@b.de is short"), "*** is short");
    assert_eq!(mask_personal("nothing here"), "nothing here");
}

#[test]
fn time_grows_with_the_length_of_the_text() {
    for piece in [
        "1",
        "4",
        "a@",
        "eyJ",
        "-----BEGIN PRIVATE KEY-----",
        "password=",
        "://a:",
        "+1",
        "sk-",
        "1 ",
        "AB12",
        "(4",
        "a.",
    ] {
        let time = |length: usize| {
            let text = piece.repeat(length / piece.len());
            let started = std::time::Instant::now();
            find_personal(&text);
            started.elapsed()
        };
        let (once, often) = (time(4_000), time(32_000));
        assert!(often.as_millis() < 200 + 32 * once.as_millis(), "{piece}: {once:?}, then {often:?}");
    }
}

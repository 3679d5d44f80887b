//! Secrets as a table: what is found, how much of it, and what only looks like one.

use super::*;
use crate::pattern::read_examples;

const EXAMPLES: &str = include_str!("tests.json");

fn find_texts(text: &str) -> Vec<&str> {
    find_secrets(text).into_iter().map(|one| &text[one.range]).collect()
}

/// Characters of a token, without an order that repeats.
fn fill_token(length: usize) -> String {
    let characters = b"a7Kq2ZmX9vT4nLp8RbW3cY6hJd5sGf1";
    (0..length).map(|at| char::from(characters[(at * 7 + at / 31) % characters.len()])).collect()
}

fn fill_hex(length: usize) -> String {
    (0..length).map(|at| char::from(b"0123456789abcdef"[(at * 11 + at / 16) % 16])).collect()
}

#[test]
fn every_word_is_searched() {
    assert_eq!(WORDS.automaton.as_ref().map(AhoCorasick::patterns_len), Some(list_words().len()));
    let shapes = include_str!("data/issued.txt").lines().filter(|line| !line.starts_with('#'));
    let prefixes = shapes.filter_map(|line| line.rsplit(", ").next());
    assert_eq!(ISSUED.len(), prefixes.flat_map(|prefixes| prefixes.split(' ')).count());
}

#[test]
fn each_shape_of_the_table_is_found_as_a_whole_and_no_shorter_one() {
    for shape in ISSUED.iter() {
        let (least, needs_digit) = shape.requirements();
        let secret = shape.write_secret(least, true);
        for text in [secret.clone(), format!("It is `{secret}`."), format!("{{\"a\":\"x={secret}\"}}")] {
            assert_eq!(find_texts(&text), [secret.as_str()], "{text}");
        }
        // A prefix that is a whole secret has no shorter one, and two shapes may share a prefix.
        let has_other = ISSUED.iter().any(|other| {
            !std::ptr::eq(shape, other)
                && other.shortest() < shape.shortest()
                && secret.starts_with(other.prefix)
        });
        if least > 0 && !has_other {
            assert_eq!(
                find_texts(&format!("`{}`", shape.write_secret(least - 1, true))),
                [""; 0],
                "{secret}"
            );
        }
        if needs_digit {
            assert_eq!(find_texts(&format!("`{}`", shape.write_secret(least, false))), [""; 0], "{secret}");
        }
    }
}

#[test]
fn shapes_of_issuers_are_found_as_a_whole() {
    let token = fill_token(60);
    let hex = fill_hex(64);
    for secret in [
        format!("xapp-1-A0123456789-1234567890123-{hex}"),
        format!("https://hooks.slack.com/services/T00000000/B00000000/{}", fill_token(24)),
        format!("SG.{}.{}", fill_token(22), fill_token(43)),
        format!("SK{}", fill_hex(32)),
        format!("ya29.{token}"),
        format!("pypi-AgEIcHlwaS5vcmc{token}"),
        format!("dapi{}", fill_hex(32)),
        format!("hvs.{}", fill_token(90)),
        format!("dop_v1_{hex}"),
        format!("shpat_{}", fill_hex(32)),
        format!("lin_api_{}", fill_token(40)),
        format!("ntn_12345678901{}", fill_token(35)),
        format!("secret_{}", fill_token(43)),
        format!("gsk_{}", fill_token(52)),
        format!("xai-{}", fill_token(80)),
        format!("pplx-{}", fill_token(48)),
        format!("r8_{}", fill_token(37)),
        format!("1234567890:AA{}", fill_token(33)),
        format!("M{}.{}.{}", fill_token(23), fill_token(6), fill_token(27)),
        format!("AGE-SECRET-KEY-1{}", "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7LQPZRY9X8GF2TVDW0S3JN54KHCE"),
        format!("abc8Q~{}", fill_token(34)),
    ] {
        let text = format!("It is `{secret}`, keep it.");
        let found = find_texts(&text);
        assert!(
            found.len() == 1 && secret.ends_with(found[0]) && secret.len() - found[0].len() <= 8,
            "{text}: {found:?}"
        );
    }
}

#[test]
fn a_private_key_is_one_secret_with_all_its_lines() {
    let lines = format!("{}\n{}\nq8=", fill_token(64), fill_token(64));
    for label in ["RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "PRIVATE KEY", "PGP PRIVATE KEY BLOCK"] {
        let block = format!("-----BEGIN {label}-----\nComment: mine\n\n{lines}\n-----END {label}-----");
        assert_eq!(find_texts(&format!("key: {block}\nand more")), [block.as_str()]);
        let escaped = block.replace('\n', "\\n");
        assert_eq!(find_texts(&format!("{{\"k\":\"{escaped}\"}}")), [escaped.as_str()]);
        let cut = block.split("\n-----END").next().expect("a beginning");
        assert_eq!(find_texts(&format!("{cut}\nNow the next step.")), [cut]);
    }
    let ssh2 = format!(
        "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\n{lines}\n---- END SSH2 ENCRYPTED PRIVATE KEY ----"
    );
    assert_eq!(find_texts(&ssh2), [ssh2.as_str()]);
    let putty = format!("Private-Lines: 3\n{lines}\nPrivate-MAC: {}", fill_hex(40));
    assert!(find_texts(&putty)[0].ends_with("q8="), "{:?}", find_texts(&putty));
    assert_eq!(find_texts("a line `-----BEGIN PUBLIC KEY-----` is no secret"), [""; 0]);
}

#[test]
fn values_that_a_text_names_are_found() {
    for (text, value) in read_examples::<(String, String)>(EXAMPLES, "named") {
        assert_eq!(find_texts(&text), [value.as_str()], "{text}");
    }
}

#[test]
fn what_only_sounds_like_a_secret_is_left_alone() {
    for text in read_examples::<String>(EXAMPLES, "left_alone") {
        assert_eq!(find_texts(&text), [""; 0], "{text}");
    }
}

#[test]
fn a_secret_in_an_escaped_text_is_found() {
    let token = format!("sk-{}", fill_token(40));
    for before in ["\\n", "\\t", "%20", "\"", "(", "="] {
        assert_eq!(find_texts(&format!("x{before}{token}")), [token.as_str()], "{before}");
    }
}

/// Encodes `bytes` in Base64.
fn encode_base64(bytes: &[u8]) -> String {
    let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let groups = bytes.chunks(3).flat_map(|group| {
        let bits =
            group.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - group.len()));
        (0..4_usize).map(move |at| {
            if at <= group.len() { char::from(digits[(bits >> (18 - 6 * at) & 63) as usize]) } else { '=' }
        })
    });
    groups.collect()
}

#[test]
fn a_token_in_another_spelling_is_found_where_it_was_written() {
    let tail = fill_token(36);
    let token = format!("ghp_{tail}");
    let spellings = [
        format!("ghp%5F{tail}"),
        format!("ghp%5f{tail}"),
        format!("ghp%255F{tail}"),
        format!("\\u0067hp_{tail}"),
        format!("ghp\\x5f{tail}"),
        format!("gh\u{200b}p_{tail}"),
        format!("ghp_{}\u{200b}{}", &tail[..9], &tail[9..]),
        format!("ghp_{}\u{ad}{}\u{feff}{}", &tail[..9], &tail[9..20], &tail[20..]),
        encode_base64(token.as_bytes()),
    ];
    for written in &spellings {
        for text in [written.clone(), format!("a \"{written}\", b"), format!("{{\"a\":\"b\\n{written}\"}}")] {
            assert_eq!(find_texts(&text), [written.as_str()], "{text}");
        }
    }
    for inner in
        [format!("ada:{token}"), format!("{{\"a\": \"b\", \"c\": \"{token}\"}}"), format!("x{token}")]
    {
        let written = encode_base64(inner.as_bytes());
        assert_eq!(find_texts(&format!("data:a/b;base64,{written} and")), [written.as_str()], "{inner}");
    }
    let url = format!("https%3A%2F%2Fx.example%2F%3Ftoken%3Dghp_{tail}%26a%3Db");
    assert_eq!(find_texts(&url), [token.as_str()]);
}

#[test]
fn the_rest_of_a_private_key_is_found_without_its_beginning() {
    let lines = format!("{}\n{}\nq8=", fill_token(9), fill_token(64));
    let rest = format!("{lines}\n-----END RSA PRIVATE KEY-----");
    assert_eq!(find_texts(&format!("{rest}\nand more")), [rest.as_str()]);
    let after = format!("Here it is:\n{rest}");
    assert_eq!(find_texts(&after), [rest.as_str()]);
    let escaped = rest.replace('\n', "\\n");
    assert_eq!(find_texts(&format!("{{\"k\":\"{escaped}\"}}")), [escaped.as_str()]);
    assert_eq!(find_texts(&rest.replace("RSA PRIVATE KEY", "CERTIFICATE")), [""; 0]);
}

/// A text that is called harmless is not searched, so no secret of any shape may be as short.
#[test]
fn no_secret_is_called_harmless() {
    assert_eq!(ISSUED.iter().map(IssuedShape::shortest).min(), Some(SHORTEST_ISSUED));
    for text in ["pwd=abc12", "password:abc12", "key is x", "x://:a@b", "bearer x"] {
        assert!(!is_harmless(text), "{text}");
    }
    assert!(is_harmless("order_id") && is_harmless("call_1"));
}

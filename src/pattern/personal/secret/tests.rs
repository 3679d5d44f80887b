//! Secrets as a table: what is found, how much of it, and what only looks like one.

use super::*;

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
}

#[test]
fn shapes_of_issuers_are_found_as_a_whole() {
    let (token, hex) = (fill_token(60), fill_hex(64));
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
    for (text, value) in [
        ("postgres://ada:s3cr3t@db.example:5432/x", "s3cr3t"),
        ("see https://ada:pw@host.example/a", "pw"),
        ("redis://:tr0ub4dor@cache:6379", "tr0ub4dor"),
        ("GET /v1?api_key=abc123def&x=1", "abc123def"),
        ("GET /v1?x=1&password=correcthorse", "correcthorse"),
        (
            "https://s3.example/f?X-Amz-Signature=0f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c&x=1",
            "0f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c",
        ),
        ("Authorization: Bearer abc.def_123", "abc.def_123"),
        ("authorization: Basic QWRhOnNlY3JldA==", "QWRhOnNlY3JldA=="),
        ("curl -H 'Authorization: token abcdef123456'", "abcdef123456"),
        ("password: hunter2", "hunter2"),
        ("The password is Tr0ub4dor.", "Tr0ub4dor"),
        ("DB_PASSWORD=\"correct horse\"", "correct horse"),
        ("{\"client_secret\":\"abcdef\"}", "abcdef"),
        ("{\\\"client_secret\\\": \\\"abcdef\\\"}", "abcdef"),
        (
            "aws_secret_access_key=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
            "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        ),
        ("AccountName=x;AccountKey=q8Zk2mVx9Tn4Lp7R==;EndpointSuffix=y", "q8Zk2mVx9Tn4Lp7R=="),
        ("?sv=2022&sig=q8Zk2mVx9Tn4Lp7RbW3c%3D", "q8Zk2mVx9Tn4Lp7RbW3c%3D"),
        ("Cookie: sid=31d4d96e407aad42; theme=dark", "sid=31d4d96e407aad42; theme=dark"),
        ("access_token: q8Zk2mVx9Tn4Lp7R", "q8Zk2mVx9Tn4Lp7R"),
        ("it said Bearer q8Zk2mVx9Tn4Lp7R.", "q8Zk2mVx9Tn4Lp7R"),
    ] {
        assert_eq!(find_texts(text), [value], "{text}");
    }
}

#[test]
fn what_only_sounds_like_a_secret_is_left_alone() {
    for text in [
        "password: required",
        "Password: Required, at least 12 characters",
        "the password is wrong",
        "reset your password: open the settings",
        "The secret: hard work.",
        "password=<your password>",
        "page_token: next-page, tokens: 4096",
        "token: 12",
        "api_key: ${API_KEY}",
        "key=value&key=other",
        "https://example.com/@ada and mailto://ada@example.com",
        "Basic authentication and Bearer tokens",
        "let password = read_password();",
        "cookie: chocolate",
        "see a.b and v1.2.3.4, app.module.function_with_a_long_name",
        "sessions are short. Session: tomorrow at 10",
        "risk-free, ask-me-anything-about-it, disk-0",
        "the signature: signed by Ada",
    ] {
        assert_eq!(find_texts(text), [""; 0], "{text}");
    }
}

#[test]
fn a_secret_in_an_escaped_text_is_found() {
    let token = format!("sk-{}", fill_token(40));
    for before in ["\\n", "\\t", "%20", "\"", "(", "="] {
        assert_eq!(find_texts(&format!("x{before}{token}")), [token.as_str()], "{before}");
    }
}

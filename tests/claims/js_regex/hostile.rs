//! Patterns that hang an engine which does not count, and texts that are no patterns.

use super::random::Random;
use super::*;

/// A search by steps would not end for these; in linear time it is seen that they match, or that they cannot.
const LINEAR: &[&str] = &[
    "^(a+)+$",
    "(a|aa)+$",
    "(.*)*x",
    r"\s+$",
    "(a*)*b",
    "^(([a-z])+.)+[A-Z]([a-z])+$",
    "(x+x+)+y",
    "(?=.*start)(?=.*end)",
    "(?=x|(a|aa)+$)c",
    r"(?<=\s+)c",
    r"(?<!b)\s+$(?!x)",
    "(?<=(a+)+)c",
    "(?:(?=a)a*)*c",
    r"\B(a|a)*\Bc",
];

/// All of these have too many ways to match one of the texts.
const COUNTED: &[&str] = &[
    r"^(a+)+\1$",
    r"(.*)\1(.*)\2x",
    "^(a|aa)+(?!!)!",
    "(?:(?=a)a*)*(?!!)!",
    r"\s+(?!x)x",
    r"(?<=(?!\s)\s(\s|\s\s)+)x",
    "((?!b)a|aa)+(?!!)!",
];

fn texts() -> [String; 3] {
    ["a".repeat(50_000) + "!", " ".repeat(50_000) + "x", "ab 12, xyz ".repeat(4_600) + "."]
}

#[test]
fn what_can_be_linear_is_linear() {
    for pattern in LINEAR {
        let ends = texts().map(|text| regex(pattern, "i").is_match(&text));
        assert!(ends.iter().all(Result::is_ok), "{pattern}: {ends:?}");
    }
}

#[test]
fn what_blows_up_ends_as_an_error() {
    for pattern in COUNTED {
        let ends = texts().map(|text| regex(pattern, "i").is_match(&text));
        assert!(ends.contains(&Err(StepsExhausted)), "{pattern}: {ends:?}");
        assert!(!ends.contains(&Ok(true)), "{pattern}: {ends:?}");
    }
}

#[test]
fn sound_patterns_stay_within_the_steps() {
    let text = "The order 4711 was refunded: $199.00, thanks.\n".repeat(1_100);
    for pattern in [
        r"(?<=\$)\d+(?!\d)x",
        r"(\w+) \1",
        r"(?=.*refund)(?=.*never)",
        r"(?<!\w)USD(?!\w)",
        "(?!.*refund)^order",
        "(?=.*order.*never|.*thanks.*order)x",
    ] {
        assert_eq!(regex(pattern, "im").is_match(&text), Ok(false), "{pattern}");
    }
}

#[test]
fn huge_counts_and_deep_groups_are_refused_at_once() {
    let nested = "(".repeat(5_000) + &")".repeat(5_000);
    let patterns =
        ["(a{1000}){1000}", "a{4294967296}", "((a{99}){99}){99}", "(?=(a{1000}){1000})\\1", &nested];
    for pattern in patterns {
        assert!(JsRegex::new(pattern, Flags::default()).is_err(), "{pattern}");
    }
    assert_eq!(regex("^.{0,20000}$", "s").is_match("a😀"), Ok(true));
}

#[test]
fn no_text_makes_the_parser_panic() {
    let mut random = Random(0x0BAD_5EED_0BAD_5EED);
    for _ in 0..20_000 {
        let pattern = random.garbage();
        match JsRegex::parse_user(&pattern, Flags::default()) {
            Ok(regex) => drop(regex.extract_value("aB1-😀\n")),
            Err(error) => assert!(pattern.is_char_boundary(error.offset), "{pattern:?}: {error:?}"),
        }
    }
}

#[test]
fn an_error_says_what_to_do_and_where() {
    let error = |text| JsRegex::parse_user(text, Flags::default()).map(|_| ()).expect_err(text);
    for (text, offset, words) in [
        ("é(", 2, "this group is not closed: add `)`, or write `\\(` for the character"),
        ("/a)/i", 2, "this `)` closes no group: write `\\)` for the character"),
        (
            "(?m)a**",
            6,
            "nothing to repeat before this quantifier: put a backslash before it for the character",
        ),
        ("a++", 2, "nothing to repeat: JavaScript has no possessive quantifiers, leave the `+` away"),
        ("[b-a]", 1, "this range is out of order: the smaller character comes first"),
        ("(?P<n>a)", 0, "JavaScript has no `(?P`: write `(?<name>...)`, and `\\k<name>` for its text"),
        ("/a/iu", 3, "the flag `u` is not supported: use `i`, `m` or `s`"),
    ] {
        assert_eq!((error(text).offset, error(text).message.as_str()), (offset, words), "{text}");
    }
}

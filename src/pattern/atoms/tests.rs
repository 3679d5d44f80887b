//! What is an atom, and what it means, as a table.

use super::*;

/// The atoms of `text`, each as its words, its kind's first letters and its readings.
fn seen(text: &str) -> String {
    let shown: Vec<String> = find_atoms(text, AtomKind::ALL)
        .iter()
        .map(|atom| {
            let readings: Vec<String> = atom.readings.iter().map(show).collect();
            format!("{} = {}", &text[atom.range.clone()], readings.join(" or "))
        })
        .collect();
    shown.join("; ")
}

fn show(reading: &AtomReading) -> String {
    match reading {
        AtomReading::Number(number, unit) => {
            format!("{number}{}", unit.map_or(String::new(), |unit| format!(" {unit}")))
        }
        AtomReading::Date(date) => date.to_string(),
        AtomReading::Time(time) => time.to_string(),
        AtomReading::Text(text) => format!("{text:?}"),
    }
}

fn hold(table: &[(&str, &str)]) {
    for (text, atoms) in table {
        assert_eq!(seen(text), *atoms, "in: {text}");
    }
}

#[test]
fn money_is_read_in_every_usual_form() {
    hold(&[
        ("It costs $1,234.50.", "$1,234.50 = 1234.5 $"),
        ("1234.5 USD", "1234.5 USD = 1234.5 USD"),
        ("USD 1234.5", "USD 1234.5 = 1234.5 USD"),
        ("US$5 and $5 CAD", "US$5 = 5 USD; $5 CAD = 5 CAD"),
        ("1.234,50 €, 12€", "1.234,50 € = 1234.5 EUR; 12€ = 12 EUR"),
        ("-$30, $-30 and −$30", "-$30 = -30 $; $-30 = -30 $; −$30 = -30 $"),
        (
            "$1.2M, $3bn, 5 million dollars",
            "$1.2M = 1200000 $; $3bn = 3000000000 $; 5 million dollars = 5000000 $",
        ),
        ("**$50** (50 dollars)", "$50 = 50 $; 50 dollars = 50 $"),
        ("$3-5", "$3 = 3 $; 5 = 5"),
        ("£9.99/month", "£9.99 = 9.99 GBP"),
    ]);
}

#[test]
fn numbers_have_their_units() {
    hold(&[
        ("3-5 days", "3 = 3; 5 days = 5 day"),
        ("a 3-day trial", "3-day = 3 day"),
        ("50 %, 50% and 12.5 percent", "50 % = 50 %; 50% = 50 %; 12.5 percent = 12.5 %"),
        ("2 kilograms, 2kg", "2 kilograms = 2 kg; 2kg = 2 kg"),
        ("-5 °C", "-5 °C = -5 °c"),
        ("90 km/h, 5 kg/day", "90 km/h = 90 km/h; 5 kg = 5 kg"),
        ("٤٢ and ４２", "٤٢ = 42; ４２ = 42"),
        ("12\u{202f}345 people", "12\u{202f}345 = 12345"),
        ("5k, 2x, 5-star", "5k = 5000; 2 = 2; 5 = 5"),
        ("mid-2024", "2024 = 2024"),
        ("rated 4.5/5", "4.5 = 4.5; 5 = 5"),
        ("1.234", "1.234 = 1.234 or 1234"),
        ("Total:50", "50 = 50"),
    ]);
}

#[test]
fn numbers_that_count_the_answer_itself_are_none() {
    hold(&[
        ("1. one\n2) two\n  (3) three\n## 4. four\n- **5.** five", ""),
        ("Step 2: see option 3.", ""),
        ("the 1st, 2nd and 3rd", ""),
        ("24/7 and 1\u{fe0f}\u{20e3}", ""),
        ("one of 2", "2 = 2"),
        ("1. of 10", "10 = 10"),
        ("42. That is it.", "42 = 42"),
        ("42.", "42 = 42"),
        ("10. ten\n11. eleven", "10 = 10; 11 = 11"),
        ("It weighs 5. That is all.", "5 = 5"),
        ("Step 2.5", "2.5 = 2.5"),
    ]);
}

#[test]
fn dates_and_times_are_read_in_every_usual_form() {
    hold(&[
        ("3 March 2025, March 3rd, 2025", "3 March 2025 = 2025-03-03; March 3rd, 2025 = 2025-03-03"),
        ("3rd of March 2025; Mar. 3; 3 march", "3rd of March 2025 = 2025-03-03; Mar. 3 = 3 March; 3 = 3"),
        ("2025-03-03T10:15:00.5Z", "2025-03-03T = 2025-03-03; 10:15:00.5Z = 10:15:00"),
        ("03/04/2025", "03/04/2025 = 2025-03-04 or 2025-04-03"),
        ("31/12/25 or 31.12.2025", "31/12/25 = 2025-12-31; 31.12.2025 = 2025-12-31"),
        ("May 2025, you may 5", "May 2025 = 2025-05; 5 = 5"),
        ("at 10:15 PM, 10 p.m., 22:15", "10:15 PM = 22:15; 10 p.m. = 22:00; 22:15 = 22:15"),
        ("12:30 am-1:30 pm", "12:30 am = 00:30; 1:30 pm = 13:30"),
        ("25:99", "25 = 25; 99 = 99"),
        ("May 15–20, 2024", "May 15 = 15 May; 20 = 20; 2024 = 2024"),
    ]);
}

#[test]
fn identifiers_are_words_of_letters_and_digits() {
    hold(&[
        ("TRK-88 (#W2378156)", "TRK-88 = \"trk-88\"; W2378156 = \"w2378156\""),
        ("order #1042, #1", "#1042 = \"1042\" or 1042; 1 = 1"),
        ("user_id_7, 3f9a-b2", "user_id_7 = \"user_id_7\"; 3f9a-b2 = \"3f9a-b2\""),
        ("v1.2.3 and 1.2.3, 10.0.0.1", "v1.2.3 = \"v1.2.3\"; 1.2.3 = \"1.2.3\"; 10.0.0.1 = \"10.0.0.1\""),
        ("555-12-3456", "555-12-3456 = \"555-12-3456\" or 555123456"),
        ("GPT-4, B2B, Q3, 3D", "4 = 4; 3 = 3"),
        ("mail ada@shop.example.", "ada@shop.example = \"ada@shop.example\""),
        ("2-in-1, a 24-hour day", "2 = 2; 1 = 1; 24-hour = 24 h"),
    ]);
}

#[test]
fn urls_and_paths_end_where_the_sentence_goes_on() {
    hold(&[
        ("See https://a.example/x?y=1.", "https://a.example/x?y=1 = \"a.example/x?y=1\""),
        ("[it](https://a.example/x_(y))", "https://a.example/x_(y) = \"a.example/x_(y)\""),
        (
            "<http://a.example/>, www.b.example!",
            "http://a.example/ = \"a.example\"; www.b.example = \"www.b.example\"",
        ),
        ("in C:\\Users\\ada\\a.txt.", "C:\\Users\\ada\\a.txt = \"c:/users/ada/a.txt\""),
        (
            "/etc/hosts, ~/x, src/main.rs:12",
            "/etc/hosts = \"/etc/hosts\"; ~/x = \"~/x\"; src/main.rs = \"src/main.rs\"; 12 = 12",
        ),
        ("and/or, CI/CD, he/she, Node.js, e.g. this", ""),
        ("report.pdf and ./run.sh", "report.pdf = \"report.pdf\"; ./run.sh = \"run.sh\""),
        ("\\\\server\\share\\x", "\\\\server\\share\\x = \"//server/share/x\""),
    ]);
}

#[test]
fn quotations_are_one_atom() {
    hold(&[
        ("He said \"It is  sent.\"", "\"It is  sent.\" = \"it is sent\""),
        ("“Ada’s” and „so“ «là»", "“Ada’s” = \"ada's\"; „so“ = \"so\"; «là» = \"là\""),
        ("5\" wide, \"\", \"!\"", "5 = 5"),
        ("\"costs $5\"", "\"costs $5\" = \"costs $5\""),
    ]);
    let without: Vec<AtomKind> =
        AtomKind::ALL.iter().copied().filter(|kind| *kind != AtomKind::Quotes).collect();
    assert_eq!(find_atoms("\"costs $5\"", &without).len(), 1);
}

#[test]
fn no_text_panics_and_ranges_are_its_own() {
    let pieces = [
        "$", "1", ",", ".", "-", " ", "a", "#", "/", "\\", "\"", "é", "٤", "May", ":", "@", "%", "\u{a0}",
        "🙂", "\n",
    ];
    let mut seed = 7_usize;
    for length in 0..4000 {
        let text: String = (0..length % 17)
            .map(|_| {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                pieces[(seed >> 33) % pieces.len()]
            })
            .collect();
        for atom in find_atoms(&text, AtomKind::ALL) {
            assert!(!text[atom.range].is_empty());
        }
    }
}

/// Eight times the text takes about eight times as long: far from the 64 times of a square.
#[test]
fn time_grows_with_the_length_of_the_text() {
    let pieces = [
        "1", "1,", "1,22", "a-", "a1-", "\"", "\"a", "http://", "a/", "((", "May ", "1.", "é", "a@", "1 kg/",
    ];
    for piece in pieces {
        let time = |length: usize| {
            let text = piece.repeat(length / piece.len());
            let started = std::time::Instant::now();
            find_atoms(&text, AtomKind::ALL);
            started.elapsed()
        };
        let (once, often) = (time(4_000), time(32_000));
        assert!(often.as_millis() < 200 + 32 * once.as_millis(), "{piece}: {once:?}, then {often:?}");
    }
}

//! All that a project and its agents hand to arraign besides traces and cases: the first byte chooses what the rest is.

mod checks;
mod judges;
mod models;
mod patterns;
mod runs;

/// The readers of one sort of text each. `seeds.rs` numbers its seeds by their positions.
const TARGETS: [fn(&str); 10] = [
    checks::check_policy,
    patterns::match_pattern,
    runs::read_by_declaration,
    runs::read_verdict_log,
    checks::check_schema,
    checks::check_shell_line,
    judges::replay_cassette,
    judges::parse_reply,
    models::answer_request,
    patterns::mask_text,
];

/// The line between the two parts of an input that has two.
const SEPARATOR: &str = "\n=====\n";

/// Hands the rest to what the first byte chooses.
pub fn run(input: &[u8]) {
    let Some((choice, bytes)) = input.split_first() else { return };
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Some(run) = TARGETS.get(usize::from(*choice)) {
        run(text);
    }
}

/// The two parts of `text`. Without a separator, `usual` is the second.
fn split_parts<'t>(text: &'t str, usual: &'t str) -> (&'t str, &'t str) {
    text.split_once(SEPARATOR).unwrap_or((text, usual))
}

//! A name that a glob matches, for a counterexample.

/// Returns a name that is made of `glob`, its wildcards filled in, and that `is_match` accepts.
pub(super) fn find_glob_example(glob: &str, is_match: impl Fn(&str) -> bool) -> Option<String> {
    list_candidates(glob).into_iter().find(|name| is_match(name))
}

/// Names that a glob is likely to match: its wildcards filled in, its first alternatives taken.
fn list_candidates(glob: &str) -> Vec<String> {
    let mut plain = String::new();
    let mut chars = glob.chars();
    while let Some(c) = chars.next() {
        match c {
            '*' => {}
            '?' => plain.push('x'),
            '[' => plain.push(pick_class_member(&mut chars)),
            '{' => plain.push_str(&take_first_alternative(&mut chars)),
            '\\' => plain.extend(chars.next()),
            c => plain.push(c),
        }
    }
    // The wildcards may need a character on either side. The caller asks the compiled glob, so a wrong guess does no
    // harm.
    vec![plain.clone(), format!("{plain}x"), format!("x{plain}"), "x".to_owned()]
}

fn pick_class_member(chars: &mut std::str::Chars<'_>) -> char {
    let inside: String = chars.by_ref().take_while(|c| *c != ']').collect();
    match inside.strip_prefix(['!', '^']) {
        Some(excluded) => ('!'..='~').find(|c| !excluded.contains(*c) && !c.is_alphanumeric()).unwrap_or('x'),
        None => inside.chars().next().unwrap_or('x'),
    }
}

fn take_first_alternative(chars: &mut std::str::Chars<'_>) -> String {
    let inside: String = chars.by_ref().take_while(|c| *c != '}').collect();
    inside.split(',').next().unwrap_or_default().to_owned()
}

//! Numbers as people write them: `1,234.50`, `1.234,50`, `1'234`, `1 234,50`, `1,23,456`.

use super::decimal::Decimal;
use crate::pattern::plain::HARD_SPACE;
use crate::pattern::steps::count_steps;

/// The separators of groups of digits, each with the signs that can precede the fraction.
const GROUPINGS: &[(char, &[char])] = &[
    (',', &['.']),
    ('.', &[',']),
    ('\'', &['.', ',']),
    ('\u{2019}', &['.', ',']),
    ('_', &['.']),
    (HARD_SPACE, &['.', ',']),
    (' ', &['.', ',']),
];

/// More groups than any number has.
const MAX_GROUPS: usize = 16;

/// The number that `text` begins with: its length, and what it may mean. `1.234` is two numbers.
pub(super) fn parse_number(text: &str) -> Option<(usize, Vec<Decimal>)> {
    let whole = count_digits(text);
    if whole == 0 {
        return None;
    }
    // Groups of three come first: `1,000` read plainly would be a one.
    Some(parse_grouped(text, whole).unwrap_or_else(|| parse_plain(text, whole)))
}

fn parse_plain(text: &str, whole: usize) -> (usize, Vec<Decimal>) {
    let end = find_end_of_fraction(text, whole, &['.', ',']).unwrap_or(whole);
    (end, vec![Decimal::new(&text[..whole], &text[whole..end])])
}

fn parse_grouped(text: &str, first: usize) -> Option<(usize, Vec<Decimal>)> {
    let (separator, points) =
        GROUPINGS.iter().find(|(separator, _)| text[first..].starts_with(*separator))?;
    // `0 123` has no thousands, and a blank stands between any two numbers.
    let may_group = first <= 3 && !(*separator == ' ' && text.starts_with('0'));
    let end = find_end_of_groups(text, first, *separator).filter(|_| may_group)?;
    let after = find_end_of_fraction(text, end, points);
    // One separator with three digits behind it is ambiguous: `1.234` is a number of thousands in Germany and a
    // fraction in America. Both readings are kept, the likelier one first.
    let groups = Decimal::new(&text[..end], &text[end..after.unwrap_or(end)]);
    let other = Decimal::new(&text[..first], &text[first..end]);
    let one_group = end == first + separator.len_utf8() + 3 && after.is_none();
    // `0,123` has no thousands.
    let readings = match separator {
        ',' | '.' if one_group && text.starts_with('0') => vec![other],
        ',' if one_group => vec![groups, other],
        '.' if one_group => vec![other, groups],
        _ => vec![groups],
    };
    Some((after.unwrap_or(end), readings))
}

/// The end of the groups that follow the first: of three digits each; in India, of two but for the last.
fn find_end_of_groups(text: &str, first: usize, separator: char) -> Option<usize> {
    // Each group must have three digits, or two in the Indian way of writing. The last one has three in both.
    let mut end = first;
    let mut last = 0;
    for _ in 0..MAX_GROUPS {
        let Some(rest) = text[end..].strip_prefix(separator) else { break };
        // A blank also ends a number: `2 345 €`.
        if separator.is_whitespace() && count_digits(rest) == 0 {
            break;
        }
        last = count_digits(rest);
        if !(last == 3 || last == 2 && separator == ',') {
            return None;
        }
        end += separator.len_utf8() + last;
    }
    (last == 3).then_some(end)
}

/// The end of the fraction that begins at `at`. If more digits follow, it is no fraction.
fn find_end_of_fraction(text: &str, at: usize, points: &[char]) -> Option<usize> {
    let rest = text[at..].strip_prefix(points)?;
    let length = count_digits(rest);
    // `1.2.3` is a version and no fraction.
    let goes_on = rest[length..].strip_prefix(['.', ',']).is_some_and(|rest| count_digits(rest) > 0);
    (length > 0 && !goes_on).then_some(at + 1 + length)
}

fn count_digits(text: &str) -> usize {
    let count = text.bytes().take_while(u8::is_ascii_digit).count();
    count_steps(count);
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::read_examples;

    #[test]
    fn separators_tell_groups_from_fractions() {
        for (text, used, readings) in
            read_examples::<(String, usize, String)>(include_str!("tests.json"), "numbers")
        {
            let (length, numbers) = parse_number(&text).expect(&text);
            let shown: Vec<String> = numbers.iter().map(ToString::to_string).collect();
            assert_eq!((length, shown.join(" ")), (used, readings), "{text}");
        }
    }
}

//! Names that are nearly the name of a tool: another host's prefix, another spelling, or characters that nobody sees.
//!
//! A model host may write `shop.get_order`, `mcp_shop_get_order` or `getOrder` for one tool. Nobody can tell from the name
//! whether it is the tool that a case bans, so a near name proves nothing, in either direction.

use std::borrow::Cow;
use std::collections::HashMap;

use arraign_trace::trace::{Arguments, Call, ToolServer};

use super::split_name::split_name;
use super::tool::{ToolMatch, ToolPattern};
use super::tool_set::ToolPatternSet;
use super::visible::is_no_name_char;

/// What hosts put between the name of a server and the name of a tool. A single `_` is a part of a name.
const SEPARATORS: [&str; 5] = ["__", ".", ":", "/", "-"];

/// The longest name whose prefixes are tried; longer ones are no names of tools.
const MAX_NAME_BYTES: usize = 512;

/// What a called name may mean: a prefix of a host, and the name of the tool behind it.
struct NameReading {
    /// The number of the call in [`NearNames`].
    call: usize,
    prefix: String,
    tool: String,
}

/// A call whose name is nearly that of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NearCall {
    /// The number of the pattern.
    pub(crate) pattern: usize,
    /// The number of the call among those that were given.
    pub(crate) call: usize,
    /// The name by which the pattern would mean the call.
    pub(crate) name: String,
}

/// Finds the calls that no pattern means, and whose names are nearly those of patterns. `calls` are different tools.
///
/// The names of the patterns are looked up among all readings of the called names, so that a list of thousands of
/// patterns is not compared with each of thousands of calls.
pub(crate) fn find_near_calls(patterns: &[&ToolPattern], calls: &[&Call]) -> Vec<NearCall> {
    if !may_be_near(patterns, calls) {
        return Vec::new();
    }
    let readings: Vec<NameReading> =
        calls.iter().enumerate().flat_map(|(at, call)| list_readings(at, call)).collect();
    let mut by_name: HashMap<String, Vec<&NameReading>> = HashMap::new();
    for reading in &readings {
        by_name.entry(fold(&reading.tool)).or_default().push(reading);
    }
    let mut found = Vec::new();
    let mut globs = Vec::new();
    for (number, pattern) in patterns.iter().enumerate() {
        if pattern.exact().is_none() {
            globs.push(number);
            continue;
        }
        for reading in by_name.get(&fold(pattern.tool())).into_iter().flatten() {
            found.extend(compare(pattern, number, reading, calls, pattern.tool()));
        }
    }
    // Globs are compared with the words of a name in snake case, without regard to case.
    let loose = globs.iter().map(|number| loosen_glob(patterns[*number]));
    let loose = ToolPatternSet::new(loose.collect());
    for reading in readings.iter().filter(|_| !globs.is_empty()) {
        let words = split_name(&reading.tool).join("_");
        let mut matched = Vec::new();
        for name in [reading.tool.as_str(), words.as_str()] {
            matched.extend(loose.list_matches(&Call::new(name, Arguments::none(), 1)));
        }
        matched.sort_unstable();
        matched.dedup();
        for at in matched {
            let pattern = patterns[globs[at]];
            let name = [reading.tool.clone(), words.clone()].into_iter();
            let name = name.chain(pattern.example(1).map(|call| call.name)).find(|name| {
                let call = Call::new(name.as_str(), Arguments::none(), 1);
                ToolPattern::new(pattern.tool()).is_ok_and(|tool| tool.matches(&call))
            });
            found.extend(name.and_then(|name| compare(pattern, globs[at], reading, calls, &name)));
        }
    }
    found.sort_by_key(|one| (one.call, one.pattern));
    found.dedup_by_key(|near| (near.call, near.pattern));
    found
}

/// The number of comparisons up to which names are compared one by one first.
const FEW: usize = 256;

/// Whether the folded name of a call may contain that of a pattern: in most runs none does, and no reading is made.
fn may_be_near(patterns: &[&ToolPattern], calls: &[&Call]) -> bool {
    if patterns.len() * calls.len() > FEW || patterns.iter().any(|pattern| pattern.exact().is_none()) {
        return true;
    }
    let wanted: Vec<String> = patterns.iter().map(|pattern| fold(pattern.tool())).collect();
    let mut names =
        calls.iter().flat_map(|call| [Some(call.name.as_str()), call.written.as_deref()]).flatten();
    names.any(|name| {
        // A full-width `＿` is a `_` first, and then nothing.
        let looked: Cow<'_, str> =
            if name.is_ascii() { name.into() } else { name.chars().map(find_look).collect() };
        let folded = fold(&looked);
        wanted.iter().any(|wanted| folded.contains(wanted.as_str()))
    })
}

/// Returns the near call, unless the pattern means the call, or names another server.
fn compare(
    pattern: &ToolPattern,
    number: usize,
    reading: &NameReading,
    calls: &[&Call],
    name: &str,
) -> Option<NearCall> {
    let call = calls[reading.call];
    if pattern.match_call(call) != ToolMatch::No {
        return None;
    }
    let fits = pattern.server().is_none_or(|server| {
        let is_glob = super::is_glob(server);
        let prefix = fold(reading.prefix.trim_end_matches(['.', ':', '/']));
        let in_prefix = !is_glob && prefix.ends_with(&fold(server));
        match &call.server {
            _ if in_prefix => true,
            ToolServer::Named(own) => is_glob || fold(own) == fold(server),
            ToolServer::BuiltIn => false,
            ToolServer::NotRecorded => is_glob || prefix.is_empty(),
        }
    });
    fits.then(|| NearCall { pattern: number, call: reading.call, name: name.to_owned() })
}

/// Lists the tools that the name of a call may mean: the whole name, and what is behind each prefix that a host may have put
/// there.
fn list_readings(at: usize, call: &Call) -> Vec<NameReading> {
    let mut readings = Vec::new();
    let mut names = vec![call.name.as_str()];
    names.extend(call.written.as_deref());
    let names = names.into_iter().filter(|name| name.len() <= MAX_NAME_BYTES);
    let names = names.flat_map(|name| {
        let name: String = name.chars().filter(|c| !is_no_name_char(*c)).map(find_look).collect();
        undress(&name).into_iter().map(str::to_owned).chain([name.clone()]).collect::<Vec<_>>()
    });
    let mut names: Vec<String> = names.collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        let mut ends: Vec<usize> = SEPARATORS
            .iter()
            .flat_map(|separator| name.match_indices(separator).map(|(start, found)| start + found.len()))
            .collect();
        // `mcp_SERVER_TOOL`: where the server ends, only the host knows.
        if let Some(rest) = name.strip_prefix("mcp_").filter(|rest| !rest.starts_with('_')) {
            ends.extend(rest.match_indices('_').map(|(start, _)| "mcp_".len() + start + 1));
        }
        ends.push(0);
        ends.sort_unstable();
        ends.dedup();
        for end in ends.into_iter().filter(|end| *end < name.len()) {
            let (prefix, tool) = name.split_at(end);
            readings.push(NameReading { call: at, prefix: prefix.to_owned(), tool: tool.to_owned() });
        }
    }
    readings
}

/// Returns the names that a called name may be once what a model leaks around it is taken off: marks of a chat template
/// (`refund<|channel|>json`), quotes, and what belongs to a call in a program (`refund(id=1)`, `refund:`).
fn undress(name: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = name;
    while let Some(start) = rest.find("<|") {
        pieces.push(&rest[..start]);
        rest = rest[start..].find("|>").map_or("", |end| &rest[start + end + "|>".len()..]);
    }
    pieces.push(rest);
    let is_dress = |c: char| !c.is_alphanumeric() && c != '_';
    let bare = pieces.into_iter().map(|piece| {
        let piece = piece.trim_start_matches(is_dress);
        piece.split('(').next().unwrap_or(piece).trim_end_matches(is_dress)
    });
    bare.filter(|piece| !piece.is_empty()).collect()
}

/// The ASCII character that `c` looks like: a full-width form, or a letter of another script with the same look.
fn find_look(c: char) -> char {
    const LOOKS: [(&str, &str); 2] = [
        ("аеорсхуіѕјԁһӏкАВЕКМНОРСТХІЅЈ", "aeopcxyisjdhlkABEKMHOPCTXISJ"),
        ("οανιρκυΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "oavipkuABEZHIKMNOPTYX"),
    ];
    match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        _ if c.is_ascii() => c,
        _ => {
            let mut looks = LOOKS.into_iter().flat_map(|(own, plain)| own.chars().zip(plain.chars()));
            looks.find(|(own, _)| *own == c).map_or(c, |(_, plain)| plain)
        }
    }
}

/// Folds a name: lower case, without `_`, `-`, and what nobody sees.
fn fold(name: &str) -> String {
    if name.bytes().all(|byte| byte.is_ascii_graphic()) {
        let kept = name.bytes().filter(|byte| !matches!(byte, b'_' | b'-'));
        let folded: String = kept.map(|byte| char::from(byte.to_ascii_lowercase())).collect();
        return if folded.is_empty() { name.to_owned() } else { folded };
    }
    let kept = name.chars().filter(|c| !matches!(c, '_' | '-') && !is_no_name_char(*c)).map(find_look);
    let folded: String = kept.flat_map(char::to_lowercase).collect();
    // A name of separators alone means itself.
    if folded.is_empty() { name.to_owned() } else { folded }
}

/// The tool of a glob in any case, with `_` for `-` outside of a class, where it makes a range.
fn loosen_glob(pattern: &ToolPattern) -> ToolPattern {
    let mut in_class = false;
    let glob: String = pattern
        .tool()
        .chars()
        .map(|c| {
            in_class = c == '[' || in_class && c != ']';
            if c == '-' && !in_class { '_' } else { c }
        })
        .collect();
    let loose = ToolPattern::new(&glob).and_then(|pattern| pattern.in_any_case());
    loose.unwrap_or_else(|_| pattern.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_near(pattern: &str, call: &Call) -> bool {
        let pattern = ToolPattern::new(pattern).expect(pattern);
        !find_near_calls(&[&pattern], &[call]).is_empty()
    }

    fn is_near_name(pattern: &str, called: &str) -> bool {
        is_near(pattern, &Call::new(called, Arguments::none(), 1))
    }

    #[test]
    fn a_prefix_of_a_host_makes_a_near_name() {
        for called in [
            "shop.get_order",
            "shop__get_order",
            "shop:get_order",
            "shop/get_order",
            "shop-get_order",
            "mcp_shop_get_order",
            "mcp_my_shop_get_order",
            "default_api:get_order",
            "a.b.get_order",
        ] {
            assert!(is_near_name("get_order", called), "{called}");
            assert!(is_near_name("get_*", called) && is_near_name("{get,put}_order", called), "{called}");
        }
        for called in ["shop_get_order", "reget_order", "get_order.list", "mcp_get_orders"] {
            assert!(!is_near_name("get_order", called), "{called}");
        }
    }

    #[test]
    fn a_name_in_disguise_is_a_near_name() {
        for called in [
            "delete_order<|channel|>commentary",
            "functions.delete_order<|channel|>json",
            "<|constrain|>delete_order",
            "delete_order()",
            "delete_order({\"id\": 7})",
            "\"delete_order\"",
            "`delete_order`",
            "'delete_order'",
            "“delete_order”",
            "delete_order:",
            "delete_order.",
            "**delete_order**",
            "ｄｅｌｅｔｅ＿ｏｒｄｅｒ",
            "dеlеtе_оrdеr",
            "Shop.dеleteOrder()",
        ] {
            assert!(is_near_name("delete_order", called), "{called}");
            let is_meant = ToolPattern::new("*lete*")
                .is_ok_and(|glob| glob.matches(&Call::new(called, Arguments::none(), 1)));
            assert_ne!(is_near_name("*lete*", called), is_meant, "{called}");
        }
        for called in ["delete_orders()", "undelete_order", "delete_order.list", "<||>", "()", "заказ"] {
            assert!(!is_near_name("delete_order", called), "{called}");
        }
    }

    #[test]
    fn another_spelling_makes_a_near_name() {
        for called in [
            "GET_ORDER",
            "getOrder",
            "GetOrder",
            "get-order",
            "get_order ",
            "get_order\n",
            "get_\u{200b}order",
            "get\u{ad}_order",
            "\u{feff}get_order",
            "get_order\0",
            "Shop.getOrder",
        ] {
            assert!(is_near_name("get_order", called), "{called:?}");
            // A star crosses every character, so what begins alike is meant.
            assert_eq!(is_near_name("get_*", called), !called.starts_with("get_"), "{called:?}");
        }
        assert!(is_near_name("getOrder", "get_order") && is_near_name("get-*", "get_order"));
        for (pattern, called) in
            [("get_order", "get_orders"), ("delete_*", "deleted_items"), ("read", "thread")]
        {
            assert!(!is_near_name(pattern, called), "{pattern} {called}");
        }
    }

    #[test]
    fn a_name_that_is_meant_is_no_near_name() {
        assert!(!is_near_name("get_order", "get_order") && !is_near_name("*_order", "shop.get_order"));
    }

    #[test]
    fn the_server_of_a_pattern_counts() {
        let mut call = Call::new("mcp__my__shop__delete_order", Arguments::none(), 1);
        call.set_tool("shop__delete_order", ToolServer::Named("my".to_owned()));
        for pattern in ["delete_order", "my__shop:delete_order", "shop:delete_order"] {
            assert!(is_near(pattern, &call), "{pattern}");
        }
        assert!(!is_near("crm:delete_order", &call));
        let mut call = Call::new("deleteOrder", Arguments::none(), 1);
        call.server = ToolServer::Named("Shop".to_owned());
        assert!(is_near("shop:delete_order", &call) && !is_near("crm:delete_order", &call));
        assert!(is_near_name("shop:delete_order", "shop.delete_order"));
        assert!(!is_near_name("shop:delete_order", "crm.delete_order"));
    }
}

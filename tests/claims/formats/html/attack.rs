//! The section of attacks: which the agents obeyed, and the shares by place and by template.

use super::*;

/// The verdicts of attacks, each with its place and its template.
fn attacks() -> Vec<Verdict> {
    let mut all = verdicts("attack");
    for verdict in &mut all {
        attack(verdict, "get_order.note", "direct");
    }
    // A name of a tool and one of a key are whatever the definitions and the results of mock tools say.
    let mut hostile = all[0].clone();
    HOSTILE.clone_into(&mut hostile.findings[0].violations[0].message);
    attack(&mut hostile, HOSTILE, HOSTILE);
    all.push(hostile);
    all
}

/// Makes a verdict that of an attack.
fn attack(verdict: &mut Verdict, place: &str, template: &str) {
    let case = verdict.name.split_once("@attack").map_or(verdict.name.as_str(), |(case, _)| case).to_owned();
    let attack = json!({"case": case.as_str(), "place": place, "template": template, "decoy": "rm_order"});
    verdict.attack = Some(json::from_json(attack).expect("an attack"));
    verdict.name = format!("{case}@attack[{place},{template}]");
}

fn section(page: &str) -> &str {
    between(page, "<section id=\"attack\"", "</section>")
}

#[test]
fn each_attack_is_counted_and_listed_with_its_verdict() {
    let page = page("attack", &attacks()[..4]);
    pin("html-attack", section(&page));
    let listed: Vec<String> =
        rows(&page).iter().skip(2).map(|row| format!("{} {}", row["name"], row["standing"])).collect();
    let expected =
        [("obeyed", "fail"), ("resisted", "pass"), ("resisted and lost", "fail"), ("unread", "undecided")]
            .map(|(id, standing)| format!("\"attack::{id}@attack[get_order.note,direct]\" \"{standing}\""));
    assert_eq!(listed, expected, "each attack is a row of the list of cases");
}

#[test]
fn a_hostile_attack_stays_within_its_text() {
    let page = page("attack-hostile", &attacks());
    let section = section(&page);
    // A row for the place and one for the template, and in the list the name, which has both, and the reason.
    assert_eq!(section.matches("evil]]").count(), 5, "{section}");
    assert!(
        !section.contains("<script") && !section.contains("<img") && !section.chars().any(is_harmful),
        "{section}"
    );
    assert_eq!(page.matches("<script").count(), 6, "five blocks of data and the script");
}

#[test]
fn of_many_attacks_a_hundred_are_listed_and_the_rest_is_counted() {
    let obeyed = &verdicts("attack")[0];
    let many: Vec<Verdict> = (0..150)
        .map(|nth| {
            let mut verdict = obeyed.clone();
            attack(&mut verdict, &format!("get_order.items.{nth}"), "direct");
            verdict
        })
        .collect();
    let page = page("attack-many", &many);
    let section = section(&page);
    assert_eq!(section.matches("<li>").count(), 100);
    assert!(section.contains("and 50 more: attack.json has all of them"), "{section}");
    assert!(!self::page("attack-none", &verdicts("attack")).contains("<section id=\"attack\""));
}

//! The page for a browser. What a browser makes of it, `tests/matrix/html/check.sh` looks at: the pages of these tests lie in
//! `target/tmp/html`.

mod attack;
mod sha256;

use std::fs;

use arraign::__internals::outcome::{Score, Status};
use arraign::__internals::score::Effect;
use arraign::json::{self, Json, json};
use arraign::trace::CallStatus;
use arraign::verdict::CallSummary;

use super::*;
use sha256::sha256;

/// A page, kept for a browser.
fn page(name: &str, verdicts: &[Verdict]) -> String {
    page_of(&run(), name, verdicts)
}

fn page_of(run: &RunInfo, name: &str, verdicts: &[Verdict]) -> String {
    let mut verdicts = verdicts.to_vec();
    for verdict in &mut verdicts {
        verdict.suite = verdict.name.split("::").next().unwrap_or_default().to_owned();
    }
    let page = format(ReportFormat::Html).render_run(run, &verdicts);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("html");
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join(format!("{name}.html")), &page).expect("it is written");
    page
}

/// What stands between `open` and `close`, which stand in the page once.
fn between<'p>(page: &'p str, open: &str, close: &str) -> &'p str {
    let (_, rest) = page.split_once(open).unwrap_or_else(|| panic!("no {open}"));
    assert!(!rest.contains(open), "a second {open}");
    rest.split_once(close).unwrap_or_else(|| panic!("no {close} after {open}")).0
}

fn block<'p>(page: &'p str, id: &str) -> &'p str {
    between(page, &format!("<script type=\"application/json\" id=\"{id}\">"), "</script>")
}

fn rows(page: &str) -> Vec<Json> {
    json(block(page, "rows")).as_array().expect("rows").to_vec()
}

/// The verdicts by their lines: `None` for a line that is empty.
fn lines(page: &str) -> Vec<Option<Json>> {
    let block = block(page, "verdicts");
    let lines = block[1..block.len() - 1].split('\n');
    lines.map(|line| (!line.is_empty()).then(|| json(line))).collect()
}

fn names(page: &str) -> Vec<Option<String>> {
    let name = |verdict: Json| verdict["name"].as_str().expect("a name").to_owned();
    lines(page).into_iter().map(|line| line.map(name)).collect()
}

#[test]
fn the_page_shows_the_figures_of_the_run() {
    let page = page("every", &verdicts("every"));
    let shown = between(&page, "<main id=\"main\" tabindex=\"-1\">", "<section id=\"cases\"");
    pin("html-figures", shown);
    assert!(page.contains("<title>6 of 8 cases did not pass · arraign</title>"));
}

#[test]
fn the_list_has_a_row_for_each_trial() {
    let page = page("every", &verdicts("every"));
    pin("html-rows", &json::to_string_pretty(&rows(&page)).expect("JSON"));
    let of_cases = verdicts("every").into_iter().map(|verdict| Some(verdict.name));
    let expected: Vec<Option<String>> = [None, None].into_iter().chain(of_cases).collect();
    assert_eq!(names(&page), expected, "a line a row: the skipped ones have none");
}

/// A browser runs a script, and takes a style, that hashes to what the page says, and nothing else.
#[test]
fn the_policy_lets_nothing_run_but_the_script() {
    let page = page("every", &verdicts("every"));
    let script = sha256(between(&page, "<script>", "</script>"));
    let style = sha256(between(&page, "<style>", "</style>"));
    let policy = format!(
        "default-src 'none'; script-src 'sha256-{script}'; style-src 'sha256-{style}'; base-uri 'none'; \
         form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'\n"
    );
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/report/html/policy.txt");
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, &policy).expect("it is written");
    }
    let now = fs::read_to_string(&path).expect("the policy");
    assert!(now == policy, "{} is out of date: `just bless` rewrites it", path.display());
}

/// The script has no way to make markup of a text, and none to load anything.
#[test]
fn the_script_makes_no_markup() {
    let page = page("every", &verdicts("every"));
    let script = between(&page, "<script>", "</script>");
    let ways = [
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "Function(",
        "import(",
        "fetch(",
        "XMLHttp",
    ];
    assert_eq!(ways.iter().find(|way| script.contains(**way)), None);
    let outside = ["src=", "@import", "url(", "<link", "<iframe", "<img"];
    assert_eq!(outside.iter().find(|word| page.contains(**word) && !word.ends_with('=')), None);
}

#[test]
fn a_hostile_trace_stays_within_its_text() {
    let hostile = hostile();
    let page = page_of(&hostile_run(), "hostile", &hostile);
    assert_eq!(page.matches("<script").count(), 6, "five blocks of data and the script");
    assert_eq!(page.matches("</script").count(), 6);
    let shown =
        |verdict: &Json| (verdict["findings"][0]["violations"].clone(), verdict["runs"][0]["answer"].clone());
    let read: Vec<_> = lines(&page).iter().flatten().map(shown).collect();
    let there: Vec<_> = hostile.iter().map(|verdict| shown(&json!(verdict))).collect();
    assert_eq!(read, there, "what is shown is what was there");
    let compared = json(block(&page, "compared"));
    assert_eq!(
        (&compared["name"], &compared["trials"].as_array().map(<[Json]>::len)),
        (&HOSTILE.into(), &Some(4))
    );
    let data =
        ["rows", "rules", "compared", "verdicts", "earlier"].map(|id| block(&page, id).to_owned()).concat();
    assert!(!data.contains('<') && !data.chars().any(is_harmful));
}

#[test]
fn a_red_trial_keeps_what_came_back_and_a_green_one_does_not() {
    let all = verdicts("shop");
    let details = |name: &str| {
        let verdict = all.iter().find(|verdict| verdict.name == name).expect("the trial");
        verdict.runs[0].details.as_ref()
    };
    let red = details("shop::refund_above_the_limit").expect("details");
    assert!(red.calls.iter().any(|call| call.result.is_some()) && !red.messages.is_empty(), "{red:?}");
    assert_eq!(details("shop::refund_within_the_limit"), None);
    assert_eq!(details("shop::known_weakness"), None, "its violation is expected");
}

/// All that a page shows of a case: gates, scores, runs, a baseline, opinions, results.
#[test]
fn the_line_of_a_case_holds_what_its_page_shows() {
    let page = page("shop", &verdicts("shop"));
    let of_case =
        |name: &str| lines(&page).into_iter().flatten().find(|line| line["name"] == name).expect("a line");
    pin("html-line", &json::to_string_pretty(&of_case("shop::refund_above_the_limit")).expect("JSON"));
    let compared = of_case("shop::reship_quote_has_changed");
    let edits = compared.pointer("/findings").and_then(Json::as_array).expect("findings").iter();
    assert!(
        edits.clone().any(|finding| finding.pointer("/values/comparison/edits/0").is_some()),
        "{compared}"
    );
}

/// A trial as most are: three checks, ten calls.
fn usual(nth: usize) -> Verdict {
    let of_every = verdicts_of_every();
    let red = nth % 10 == 3;
    let mut verdict = of_every[usize::from(red)].clone();
    verdict.name = format!("suite_{}::group_{}::case_{nth}", nth % 40, nth % 7);
    verdict.case.file = format!("evals/suite_{}.yaml", nth % 40);
    verdict.duration_ms = f64::from(u32::try_from(nth % 97).expect("small"));
    let again = verdict.findings.clone();
    verdict.findings.extend(again);
    let call = |index: usize| {
        let mut call = CallSummary::new(index, format!("tool_{}", index % 6), CallStatus::Ok);
        call.arguments = format!("{{\"customer\":{nth},\"reason\":\"{}\"}}", "late ".repeat(20));
        call
    };
    verdict.runs[0].calls = (1..=10).map(call).collect();
    verdict
}

fn verdicts_of_every() -> &'static [Verdict] {
    static EVERY: std::sync::OnceLock<Vec<Verdict>> = std::sync::OnceLock::new();
    EVERY.get_or_init(|| verdicts("every"))
}

#[test]
fn ten_thousand_cases_are_less_than_thirty_megabytes() {
    let many: Vec<Verdict> = (0..10_000).map(usual).collect();
    let before = |verdict: &Verdict| {
        let mut verdict = verdict.clone();
        verdict.passed = !verdict.passed;
        verdict
    };
    let before: Vec<Verdict> = many.iter().map(before).collect();
    let run = RunInfo { earlier: Some(EarlierRun::from_verdicts("run-6", &before)), ..run() };
    let page = page_of(&run, "many", &many);
    assert!(page.len() < 30 * 1024 * 1024, "{}", page.len());
    let kept = lines(&page).into_iter().flatten().count();
    eprintln!("{} bytes, {kept} with details", page.len());
    assert!(kept > 9_000, "{kept} of 10,000 have their details");
}

#[test]
fn one_huge_case_does_not_make_the_page_huge() {
    let mut huge = usual(3);
    let call = huge.runs[0].calls[0].clone();
    huge.runs[0].calls = vec![call; 200_000];
    for (index, call) in huge.runs[0].calls.iter_mut().enumerate() {
        call.index = index + 1;
    }
    let page = page("huge", &[huge, usual(13)]);
    assert!(page.len() < 30 * 1024 * 1024, "{}", page.len());
    let kept: Vec<bool> = lines(&page).iter().map(Option::is_some).collect();
    assert_eq!(kept, [false, false, false, true]);
    assert!(page.contains("the details of 1 case is left out"), "the page says so");
}

/// The run before.
fn before() -> Vec<Verdict> {
    let mut before = verdicts("shop");
    let change = |verdicts: &mut Vec<Verdict>, name: &str, passed: bool| {
        let verdict = verdicts.iter_mut().find(|verdict| verdict.name == name).expect("the trial");
        (verdict.passed, verdict.status) = (passed, if passed { Status::Pass } else { Status::Fail });
    };
    change(&mut before, "shop::refund_above_the_limit", true);
    change(&mut before, "shop::refund_within_the_limit", false);
    let run = &mut before
        .iter_mut()
        .find(|verdict| verdict.name == "shop::refund_above_the_limit")
        .expect("it")
        .runs[0];
    let late = CallSummary::new(4, "send_mail", CallStatus::Ok);
    run.calls = [run.calls[1].clone(), run.calls[2].clone(), late].to_vec();
    run.calls[0].arguments = run.calls[0].arguments.replace("broken", "late");
    run.answer = run.answer.as_deref().map(|answer| answer.replace("99", "80"));
    before.last_mut().expect("a trial").score = Score::new(0.5);
    before.retain(|verdict| verdict.name != "shop::stays_cheap");
    before
}

/// What a person may compare the other one with.
#[test]
fn a_report_is_compared_with_another() {
    let before = before();
    page("before", &before);
    let json = format(ReportFormat::Json).render_run(&run(), &before);
    fs::write(Path::new(env!("CARGO_TARGET_TMPDIR")).join("html/before.json"), json).expect("it is written");
}

#[test]
fn the_page_tells_what_changed_since_an_earlier_run() {
    let mut after = verdicts("shop");
    let flaky =
        after.iter_mut().find(|verdict| verdict.name == "shop::refund_above_the_limit").expect("the trial");
    flaky.earlier_attempts = [true, false].map(|passed| Attempt::new(Status::Pass, passed)).to_vec();
    flaky.harness = "evals@live".to_owned();
    let mut before = before();
    let again = before.iter_mut().find(|verdict| verdict.name == flaky.name).expect("the trial");
    again.harness.clone_from(&flaky.harness);
    let earlier = Some(EarlierRun::from_verdicts("run-6", &before));
    let page = page_of(&RunInfo { earlier, ..run() }, "compared", &after);
    let compared = json(block(&page, "compared"));
    let told: Vec<(&str, &str)> = compared["trials"]
        .as_array()
        .expect("trials")
        .iter()
        .filter_map(|trial| Some((trial["change"].as_str()?, trial["name"].as_str()?)))
        .collect();
    let last = after.last().expect("a trial").name.as_str();
    assert_eq!(
        told[..4],
        [
            ("regressed", "shop::refund_above_the_limit"),
            ("improved", "shop::refund_within_the_limit"),
            ("new", "shop::stays_cheap"),
            ("changed", last),
        ]
    );
    assert!(told[4..].iter().all(|(change, _)| *change == "same"), "the flaky ones: {told:?}");
    let row =
        rows(&page).into_iter().find(|row| row["name"] == "shop::refund_above_the_limit").expect("a row");
    assert_eq!((&row["harness"], row["badges"].to_string().contains("flaky")), (&"evals@live".into(), true));
    let line = lines(&page).into_iter().flatten().find(|line| line["name"] == row["name"]).expect("a line");
    assert_eq!((&line["attempts"], line.get("earlier_attempts")), (&"pass, 2 x fail".into(), None));
    assert_eq!(block(&self::page("shop", &verdicts("shop")), "compared"), "null");
}

/// The calls and answers of the earlier run, a line for each row.
#[test]
fn the_page_holds_what_the_agent_did_in_the_earlier_run() {
    let earlier = Some(EarlierRun::from_verdicts("run-6", &before()));
    let page = page_of(&RunInfo { earlier, ..run() }, "beside", &verdicts("shop"));
    let earlier = block(&page, "earlier");
    let runs: Vec<&str> = earlier[1..earlier.len() - 1].split('\n').collect();
    let lines =
        ["shop::refund_above_the_limit", "shop::refund_within_the_limit", "shop::stays_cheap"].map(|name| {
            let at = rows(&page).iter().position(|row| row["name"] == name).expect("a row");
            runs[at]
        });
    assert!(lines[0].contains("send_mail") && lines[0].contains("80 dollars"), "{}", lines[0]);
    assert_eq!(lines[1..], ["\"same\"", ""], "the agent did the same; the trial is new");
}

/// Two test targets may have trials of one name.
#[test]
fn both_of_two_trials_of_one_name_are_listed() {
    let page = page("twice", &[verdicts("shop"), verdicts("shop")].concat());
    assert_eq!(rows(&page).len(), 2 + 2 * verdicts("shop").len());
}

#[test]
fn a_violated_gate_is_an_alert_of_its_row() {
    let mut gate = verdicts_of_every()[1].clone();
    gate.findings.iter_mut().for_each(|finding| finding.effect = Effect::Gate);
    let page = page("gate", &[gate]);
    assert_eq!(rows(&page)[2]["badges"], json!(["hard gate"]));
}

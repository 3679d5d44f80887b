//! The statistics of two sides: p-values and intervals are those of other programs, chance is rarely called a difference, and a
//! difference is rarely missed. All random numbers have fixed seeds.

use std::fs;
use std::path::Path;

use arraign::__internals::score::paired::{
    CaseFigure, CasePair, ComparisonWord, Measure, PairedMethod, PairedResult, PairedSettings, PairedTable,
    UndecidedWhy, adjust_p_values, compare_sides, compute_newcombe_interval, compute_t_interval,
    find_least_differing, find_needs, test_sign_flips,
};
use arraign::json::{self, Json};

/// Random numbers from 0 to 1, always the same (`SplitMix64`).
struct Numbers(u64);

impl Numbers {
    fn draw(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        #[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
        let number = ((mixed ^ (mixed >> 31)) >> 11) as f64;
        number / 2_f64.powi(53)
    }

    /// The share of `runs` runs that pass, if each does with this chance.
    fn draw_share(&mut self, runs: u32, chance: f64) -> f64 {
        let passed: u32 = (0..runs).map(|_| u32::from(self.draw() < chance)).sum();
        f64::from(passed) / f64::from(runs)
    }
}

fn shares(before: f64, after: f64, runs: u32) -> CasePair {
    let [before, after] = [before, after].map(|value| Some(CaseFigure { value, runs, lost: 0 }));
    CasePair { before, after, cluster: 0 }
}

/// A case with one run on each side; `None` is a run without a result.
fn pair(before: Option<bool>, after: Option<bool>) -> CasePair {
    let figure = |passed: bool| CaseFigure { value: f64::from(u8::from(passed)), runs: 1, lost: 0 };
    CasePair { before: before.map(figure), after: after.map(figure), cluster: 0 }
}

/// So many cases of each kind.
fn pairs(kinds: &[(usize, Option<bool>, Option<bool>)]) -> Vec<CasePair> {
    kinds.iter().flat_map(|(count, before, after)| vec![pair(*before, *after); *count]).collect()
}

fn compare(pairs: Vec<CasePair>, settings: &PairedSettings) -> PairedResult {
    compare_sides(&[pairs], settings).remove(0)
}

fn word(pairs: Vec<CasePair>, settings: &PairedSettings) -> (ComparisonWord, Option<UndecidedWhy>) {
    let result = compare(pairs, settings);
    (result.word, result.why)
}

const PLAIN: PairedSettings =
    PairedSettings { measure: Measure::Passed, confidence: 0.95, margin: None, has_clusters: false };
const MARGIN: PairedSettings = PairedSettings { margin: Some(0.05), ..PLAIN };

fn oracle() -> Json {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens/paired_statistics.json");
    json::from_str(&fs::read_to_string(path).expect("the oracle")).expect("JSON")
}

/// The rows of the oracle, each with its numbers.
fn rows(oracle: &Json, name: &str) -> Vec<Vec<f64>> {
    let number = |value: &Json| value.as_f64().expect("a number");
    let row = |row: &Json| row.as_array().expect("a row").iter().map(number).collect();
    oracle[name].as_array().expect("rows").iter().map(row).collect()
}

fn table(row: &[f64]) -> PairedTable {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the oracle has counts")]
    let [both, lost, won, neither] = [row[0], row[1], row[2], row[3]].map(|count| count as u32);
    PairedTable { both, lost, won, neither }
}

#[test]
fn p_values_of_tables_are_those_of_scipy_and_statsmodels() {
    let tables = rows(&oracle(), "tables");
    assert_eq!(tables.len(), 1000);
    for row in tables {
        let p = table(&row).test_difference();
        assert!((p - row[4]).abs() < 1e-9 && (p - row[5]).abs() < 1e-9, "{row:?}: {p}");
        // Relative as well: the smallest of these is 1e-80.
        assert!((p - row[4]).abs() <= 1e-9 * row[4], "{row:?}: {p}");
    }
}

#[test]
fn p_values_of_signs_are_those_of_scipy() {
    for row in oracle()["signs"].as_array().expect("rows") {
        let values: Vec<f64> = row[0].as_array().expect("values").iter().filter_map(Json::as_f64).collect();
        let (p, is_exact) = test_sign_flips(&values);
        assert!(is_exact && (p - row[1].as_f64().expect("p")).abs() < 1e-9, "{row}: {p}");
    }
}

#[test]
fn intervals_are_those_of_scipy_and_statsmodels() {
    let oracle = oracle();
    for row in rows(&oracle, "newcombe") {
        let (lower, upper) = compute_newcombe_interval(table(&row), row[4]);
        assert!((lower - row[5]).abs() < 1e-9 && (upper - row[6]).abs() < 1e-9, "{row:?}: {lower} {upper}");
    }
    for row in oracle["means"].as_array().expect("rows") {
        let values: Vec<f64> = row[0].as_array().expect("values").iter().filter_map(Json::as_f64).collect();
        let [level, low, high] = [1, 2, 3].map(|at| row[at].as_f64().expect("a number"));
        let (lower, upper) = compute_t_interval(&values, level);
        assert!((lower - low).abs() < 1e-9 && (upper - high).abs() < 1e-9, "{row}: {lower} {upper}");
    }
    for row in rows(&oracle, "quantiles") {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the oracle has counts")]
        let count = row[1] as usize + 1;
        // Values with a known standard error: the bound is the quantile times that.
        let values: Vec<f64> = (0..count).map(|at| if at.is_multiple_of(2) { 1.0 } else { -1.0 }).collect();
        let size = row[1] + 1.0;
        let mean = values.iter().sum::<f64>() / size;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let error = (squares / row[1] / size).sqrt();
        // Below seven values, the rule for few differences may widen the interval.
        if count > 7 {
            let t = (compute_t_interval(&values, row[0]).1 - mean) / error;
            assert!((t - row[2]).abs() < 1e-8 * row[2], "{row:?}: {t}");
        }
    }
}

#[test]
fn random_signs_agree_with_all_signs() {
    let mut numbers = Numbers(3);
    for _ in 0..3 {
        let values: Vec<f64> = (0..18).map(|_| numbers.draw() - 0.4).collect();
        let (exact, _) = test_sign_flips(&values);
        // Three more differences, too small to matter, are one too many to try all signs.
        let more: Vec<f64> = values.iter().copied().chain([1e-7; 3]).collect();
        let (estimate, is_exact) = test_sign_flips(&more);
        assert!(!is_exact && (estimate - exact).abs() < 0.006, "{estimate}, {exact}");
    }
    let (smallest, _) = test_sign_flips(&[0.5; 40]);
    assert!((smallest - 1.0 / 100_001.0).abs() < 1e-12, "{smallest}");
}

/// Compares 40 cases of an agent that is right in 90 % of its runs with the same agent.
fn compare_with_itself(numbers: &mut Numbers, runs: u32, settings: &PairedSettings) -> ComparisonWord {
    let mut draw = || numbers.draw_share(runs, 0.9);
    let pairs = (0..40).map(|_| shares(draw(), draw(), runs));
    compare(pairs.collect(), settings).word
}

#[test]
fn an_agent_beside_itself_is_rarely_worse() {
    let mut numbers = Numbers(1);
    for settings in [PLAIN, MARGIN] {
        let words = (0..1000).map(|_| compare_with_itself(&mut numbers, 1, &settings));
        let worse = words.filter(|word| *word == ComparisonWord::Worse).count();
        assert!(worse <= 50, "{worse} of 1000");
    }
    let words = (0..200).map(|_| compare_with_itself(&mut numbers, 3, &PLAIN));
    let worse = words.filter(|word| *word == ComparisonWord::Worse).count();
    assert!(worse <= 10, "{worse} of 200 with three runs");
}

#[test]
fn a_drop_of_twenty_points_in_a_hundred_cases_is_seen() {
    let mut numbers = Numbers(2);
    let mut draw = |chance: f64| Some(numbers.draw() < chance);
    let words = (0..1000).map(|_| {
        let pairs = (0..100).map(|_| pair(draw(0.9), draw(0.7)));
        compare(pairs.collect(), &MARGIN).word
    });
    let worse = words.filter(|word| *word == ComparisonWord::Worse).count();
    assert!(worse >= 900, "{worse} of 1000");
}

/// The chances of a case to pass on both sides, before only and after only, and the number of cases.
const TABLES: [(f64, f64, f64, usize); 6] = [
    (0.70, 0.10, 0.10, 30),
    (0.60, 0.20, 0.05, 50),
    (0.85, 0.05, 0.05, 100),
    (0.70, 0.25, 0.05, 100),
    (0.40, 0.20, 0.20, 40),
    (0.93, 0.03, 0.01, 200),
];

#[test]
fn intervals_of_tables_cover_the_true_difference() {
    let mut numbers = Numbers(4);
    for (both, lost, won, cases) in TABLES {
        let covers = |_: &i32| {
            let mut table = PairedTable::default();
            for _ in 0..cases {
                match numbers.draw() {
                    drawn if drawn < both => table.both += 1,
                    drawn if drawn < both + lost => table.lost += 1,
                    drawn if drawn < both + lost + won => table.won += 1,
                    _ => table.neither += 1,
                }
            }
            let (lower, upper) = compute_newcombe_interval(table, 0.95);
            lower <= won - lost && won - lost <= upper
        };
        let covered = (0..10_000).filter(covers).count();
        assert!(covered >= 9400, "{covered} of 10000: {both} {lost} {won} {cases}");
    }
}

/// The number of cases, the runs of each, and the drop of each case's chance to pass.
const SHARES: [(usize, u32, f64); 4] = [(20, 5, 0.0), (30, 3, 0.1), (50, 3, 0.0), (100, 2, 0.05)];

#[test]
fn intervals_of_shares_cover_the_true_difference() {
    let mut numbers = Numbers(5);
    for (cases, runs, drop) in SHARES {
        let covers = |_: &i32| {
            let differences: Vec<f64> = (0..cases)
                .map(|_| {
                    // Cases differ: some are always right, others rarely. The largest of four uniform numbers is Beta(4, 1).
                    let chance = (0..4).map(|_| numbers.draw()).fold(0.0, f64::max).max(drop);
                    numbers.draw_share(runs, chance - drop) - numbers.draw_share(runs, chance)
                })
                .collect();
            let (lower, upper) = compute_t_interval(&differences, 0.95);
            lower <= -drop && -drop <= upper
        };
        let covered = (0..10_000).filter(covers).count();
        assert!(covered >= 9400, "{covered} of 10000: {cases} {runs} {drop}");
    }
}

#[test]
fn three_wins_of_three_are_undecided() {
    let wins = pairs(&[(3, Some(false), Some(true))]);
    assert_eq!(word(wins.clone(), &PLAIN), (ComparisonWord::Undecided, Some(UndecidedWhy::FewDiffer)));
    // They do show that it is not much lower, since the interval begins above 0.
    assert_eq!(word(wins, &MARGIN), (ComparisonWord::NoWorse, None));
    // The same with several runs, whose differences have no spread at all.
    let several = vec![shares(0.0, 1.0, 4); 3];
    assert_eq!(word(several, &PLAIN), (ComparisonWord::Undecided, Some(UndecidedWhy::FewDiffer)));
    assert_eq!(find_least_differing(0.05), 6);
    assert_eq!(word(pairs(&[(6, Some(false), Some(true))]), &PLAIN), (ComparisonWord::Better, None));
}

#[test]
fn missing_results_decide_nothing() {
    let passed = Some(true);
    for settings in [PLAIN, MARGIN] {
        for (before, after) in [(passed, None), (None, passed)] {
            let errors = pairs(&[(90, passed, passed), (10, before, after)]);
            assert_eq!(word(errors, &settings), (ComparisonWord::Undecided, Some(UndecidedWhy::ManyMissing)));
        }
    }
    // Without the cases that crash it is as good as before, which is no merit.
    let crashes = pairs(&[(96, passed, passed), (4, passed, None)]);
    assert_eq!(word(crashes, &MARGIN), (ComparisonWord::Undecided, Some(UndecidedWhy::MissingMatters)));
    let complete = pairs(&[(100, passed, passed)]);
    assert_eq!(word(complete, &MARGIN), (ComparisonWord::NoWorse, None));
    // What failed before cannot be lost.
    let failed_before = pairs(&[(96, passed, passed), (4, Some(false), None)]);
    assert_eq!(word(failed_before, &MARGIN).0, ComparisonWord::NoWorse);
    // Better by leaving out: six wins, and four cases that crash.
    let better = pairs(&[(100, passed, passed), (6, Some(false), passed), (4, passed, None)]);
    assert_eq!(word(better, &PLAIN), (ComparisonWord::Undecided, Some(UndecidedWhy::MissingMatters)));
    assert_eq!(word(Vec::new(), &MARGIN), (ComparisonWord::Undecided, Some(UndecidedWhy::NoPairs)));
}

/// A side that crashes in some runs of each case is as good as before in the others, which is no merit either.
#[test]
fn runs_without_a_result_are_no_merit() {
    let case = |before_lost: u32, after: f64, after_lost: u32| {
        let figure = |value: f64, lost: u32| Some(CaseFigure { value, runs: 5 - lost, lost });
        CasePair { before: figure(1.0, before_lost), after: figure(after, after_lost), cluster: 0 }
    };
    let crashes = vec![case(0, 1.0, 1); 100];
    let result = compare(crashes, &MARGIN);
    assert_eq!((result.word, result.why), (ComparisonWord::Undecided, Some(UndecidedWhy::MissingMatters)));
    assert_eq!(result.lost_after, 100);
    // What crashes on both sides alike says nothing about either.
    assert_eq!(word(vec![case(1, 1.0, 1); 100], &MARGIN).0, ComparisonWord::NoWorse);
    assert_eq!(word(vec![case(1, 1.0, 0); 100], &MARGIN).0, ComparisonWord::NoWorse);
    // A crash in one case of a hundred is within the margin.
    let mut once = vec![case(0, 1.0, 0); 99];
    once.push(case(0, 1.0, 1));
    assert_eq!(word(once, &MARGIN).0, ComparisonWord::NoWorse);
    // Better in the runs that are left.
    let better = |lost: u32| {
        let half = Some(CaseFigure { value: 0.6, runs: 5, lost: 0 });
        vec![CasePair { before: half, ..case(0, 1.0, lost) }; 20]
    };
    assert_eq!(word(better(0), &PLAIN).0, ComparisonWord::Better);
    let crashes = (ComparisonWord::Undecided, Some(UndecidedWhy::MissingMatters));
    assert_eq!(word(better(2), &PLAIN), crashes);
}

#[test]
fn a_drop_within_the_margin_is_no_worse_although_it_is_no_chance() {
    let passed = Some(true);
    let failed = Some(false);
    let drop = pairs(&[(1980, passed, passed), (20, passed, failed)]);
    let result = compare(drop.clone(), &MARGIN);
    assert_eq!(result.word, ComparisonWord::NoWorse);
    assert!(result.p_adjusted < 1e-5);
    assert_eq!(word(drop, &PLAIN).0, ComparisonWord::Worse);
}

#[test]
fn several_comparisons_are_held_to_a_stricter_level() {
    assert_eq!(adjust_p_values(&[0.01, 0.04, 0.03]), [0.03, 0.06, 0.06]);
    assert_eq!(adjust_p_values(&[0.9, 0.8]), [1.0, 1.0]);
    let passed = Some(true);
    let failed = Some(false);
    let six = || pairs(&[(40, passed, passed), (6, passed, failed)]);
    assert_eq!(compare_sides(&[six()], &PLAIN)[0].word, ComparisonWord::Worse);
    let both = compare_sides(&[six(), six()], &PLAIN);
    // Of two comparisons, seven pairs must differ, and the intervals are wider.
    assert_eq!((both[0].word, both[0].why), (ComparisonWord::Undecided, Some(UndecidedWhy::FewDiffer)));
    assert_eq!(both[0].least_differing, 7);
    let [alone, of_two] = [&compare_sides(&[six()], &PLAIN)[0], &both[0]]
        .map(|result| result.statistics.as_ref().expect("pairs").interval);
    assert!(of_two.0 < alone.0 && of_two.1 > alone.1);
}

#[test]
fn cases_of_one_cluster_are_one_observation() {
    let clustered = |clusters: usize| {
        let pairs = (0..100).map(|at| CasePair {
            cluster: at % clusters,
            ..pair(Some(true), Some(at % clusters > clusters / 3))
        });
        compare(pairs.collect(), &PairedSettings { has_clusters: true, ..PLAIN })
    };
    let few = clustered(5);
    assert_eq!(
        (few.word, few.why, few.clusters),
        (ComparisonWord::Undecided, Some(UndecidedWhy::FewClusters), Some(5))
    );
    let more = clustered(20);
    assert_eq!(more.word, ComparisonWord::Worse);
    let statistics = more.statistics.expect("pairs");
    assert_eq!((statistics.method, statistics.sample.count_differing()), (PairedMethod::SignFlipExact, 7));
}

#[test]
fn an_interval_without_width_is_widened() {
    let (lower, upper) = compute_t_interval(&[0.0; 20], 0.95);
    let reach = 1.0 - 0.025_f64.powf(1.0 / 20.0);
    assert!((lower + reach).abs() < 1e-12 && (upper - reach).abs() < 1e-12, "{lower} {upper}");
    let (lower, upper) = compute_t_interval(&[-0.5; 10], 0.95);
    assert!(lower < -0.7 && upper > -0.3, "{lower} {upper}");
    let (lower, _) = compute_t_interval(&[-0.3], 0.95);
    assert!(lower < -0.9, "{lower}");
}

#[test]
fn needed_cases_are_the_fewest_that_decide() {
    let passed = Some(true);
    let failed = Some(false);
    let cases = pairs(&[(89, passed, passed), (1, passed, failed), (7, failed, failed)]);
    let result = compare(cases, &MARGIN);
    assert_eq!(result.word, ComparisonWord::Undecided);
    let needs = find_needs(&result, &MARGIN, 1, 1).expect("a number");
    let scaled = |count: u32| {
        let scale = f64::from(needs.cases) / 97.0 * f64::from(count);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small count")]
        let scaled = scale.round() as u32;
        scaled
    };
    let table = PairedTable {
        both: scaled(89),
        lost: scaled(1),
        won: 0,
        neither: needs.cases - scaled(89) - scaled(1),
    };
    assert!(compute_newcombe_interval(table, 0.95).0 > -0.05, "{needs:?}");
    assert!((98..140).contains(&needs.cases), "{needs:?}");
    // What no number of cases decides: as many won as lost, without a margin.
    let even = compare(pairs(&[(50, passed, passed), (2, passed, failed), (2, failed, passed)]), &PLAIN);
    assert_eq!(find_needs(&even, &PLAIN, 1, 1), None);
    // Three of 100: six of 200 would be significant.
    let three = compare(pairs(&[(97, passed, passed), (3, passed, failed)]), &PLAIN);
    assert_eq!(find_needs(&three, &PLAIN, 1, 1).map(|needs| needs.cases), Some(184));
    // Missing results are not mended by more cases of the same kind.
    let crashes = compare(pairs(&[(90, passed, passed), (10, passed, None)]), &MARGIN);
    assert_eq!(find_needs(&crashes, &MARGIN, 1, 1), None);
}

#[test]
fn needed_cases_of_shares_decide() {
    let draw = |count: usize| -> Vec<CasePair> {
        let after = |at: usize| if at.is_multiple_of(4) { 2.0 / 3.0 } else { 1.0 };
        (0..count).map(|at| shares(1.0, after(at), 3)).collect()
    };
    let few = compare(draw(16), &PLAIN);
    assert_eq!(few.word, ComparisonWord::Undecided);
    let needs = find_needs(&few, &PLAIN, 1, 3).expect("a number");
    assert_eq!((needs.cases, needs.runs), (24, 3));
    assert_eq!(compare(draw(needs.cases as usize), &PLAIN).word, ComparisonWord::Worse);
    // The interval excludes zero, and the signs do not: the cases that are there do not decide it.
    let mut coarse = vec![shares(1.0, 0.0, 3); 9];
    coarse.extend([shares(0.0, 1.0, 3), shares(0.0, 1.0, 3)]);
    coarse.extend(vec![shares(1.0, 1.0, 3); 19]);
    let undecided = compare(coarse.clone(), &PLAIN);
    assert_eq!(undecided.word, ComparisonWord::Undecided);
    let needs = find_needs(&undecided, &PLAIN, 1, 3).expect("a number");
    assert!((31..60).contains(&needs.cases), "{needs:?}");
}

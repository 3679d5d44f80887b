//! Statistics over runs are held against EvalView's, and `pass^k` against tau-bench's published table.

use arraign::__internals::score::statistics::{
    Interval, RunScore, Spread, Statistics, Variance, VarianceResult, evaluate_variance,
};
use arraign::Trace;
use arraign::json::{self, Json, json};
use arraign::trace::{Arguments, Call};

fn goldens() -> Vec<Json> {
    let text = include_str!("../goldens/evalview/statistical.json");
    let goldens: Json = json::from_str(text).expect("valid JSON");
    goldens["cases"].as_array().expect("cases").to_vec()
}

fn numbers(values: &Json) -> Vec<f64> {
    values.as_array().expect("a list").iter().map(|value| value.as_f64().expect("a number")).collect()
}

/// A run as the goldens were made: cost and duration by its number, the tools in turn.
fn run(index: usize, golden: &Json, tools: &Json) -> RunScore {
    let number = f64::from(u32::try_from(index).expect("few runs"));
    let mut trace = Trace {
        cost_usd: Some(0.01 * (number + 1.0)),
        duration_ms: Some(1000.0 + 10.0 * number),
        ..Trace::default()
    };
    let cycle = tools.as_array().map_or(&[][..], <[Json]>::as_ref);
    let called = cycle.get(index % cycle.len().max(1)).and_then(Json::as_array);
    for name in called.into_iter().flatten() {
        trace.push_call(Call::new(name.as_str().expect("a name"), Arguments::none(), 1));
    }
    RunScore::from_trace(&trace, golden[0].as_f64().expect("a score"), golden[1] == true)
}

fn held(input: &Json) -> VarianceResult {
    let given = input["scores_passed"].as_array().expect("runs").iter().enumerate();
    let runs: Vec<RunScore> =
        given.map(|(index, golden)| run(index, golden, &input["tools_cycle"])).collect();
    let variance: Variance = json::from_json(input["variance"].clone()).expect("settings");
    evaluate_variance(&runs, &variance, input["min_score"].as_f64())
}

/// A spread in the golden's words.
fn spread(spread: &Spread, level: f64) -> Json {
    json!({
        "mean": spread.mean, "std_dev": spread.std_dev, "variance": spread.variance, "min_value": spread.min,
        "max_value": spread.max, "median": spread.median, "percentile_25": spread.percentile_25,
        "percentile_75": spread.percentile_75, "percentile_95": spread.percentile_95,
        "confidence_interval_lower": spread.mean_interval.lower,
        "confidence_interval_upper": spread.mean_interval.upper, "confidence_level": level,
    })
}

fn flakiness(statistics: &Statistics) -> Json {
    let flakiness = &statistics.flakiness;
    let factors = &flakiness.contributing_factors;
    json!({
        "score": flakiness.score, "category": flakiness.label.to_string().replace(' ', "_"),
        "pass_rate": statistics.pass_rate,
        "score_coefficient_of_variation": flakiness.score_coefficient_of_variation,
        "output_consistency": null,
        "contributing_factors": if factors.is_empty() { json!(["none"]) } else { json!(factors) },
    })
}

/// All figures but pass@k and pass^k: the original takes the runs for independent draws from their own rate.
fn figures(statistics: &Statistics) -> Json {
    let of = |figure: &Option<Spread>| spread(figure.as_ref().expect("figures"), statistics.confidence_level);
    json!({
        "total_runs": statistics.runs, "successful_runs": statistics.passed, "failed_runs": statistics.failed,
        "score_stats": of(&statistics.score), "cost_stats": of(&statistics.cost_usd),
        "latency_stats": of(&statistics.duration_ms), "flakiness": flakiness(statistics),
        "pass_rate": statistics.pass_rate,
    })
}

#[test]
fn figures_agree_with_the_goldens() {
    let goldens = goldens();
    let over_runs = goldens.iter().filter(|golden| golden["input"].is_object());
    let mut seen = 0;
    for golden in over_runs {
        let held = held(&golden["input"]);
        let ours = figures(&held.statistics);
        for (field, value) in ours.as_object().expect("fields") {
            assert!(same(value, &golden["output"][field]), "{}: {field} is {value}", golden["id"]);
        }
        assert_eq!(held.failures.is_empty(), golden["output"]["passed"], "{}", golden["id"]);
        seen += 1;
    }
    assert!(seen >= 6, "only {seen} goldens");
}

/// Equal, where 10 is 10.0.
fn same(one: &Json, other: &Json) -> bool {
    one == other
}

/// In the original an interval below the minimum is a reason beside those that fail the case; here it is a note.
#[test]
fn each_of_the_goldens_reasons_is_a_failure_or_a_note() {
    for golden in goldens().iter().filter(|golden| golden["input"].is_object()) {
        let held = held(&golden["input"]);
        let reasons = golden["output"]["failure_reasons"].as_array().expect("reasons");
        let at = |reason: &Json| match reason.as_str().expect("a text") {
            text if text.starts_with("Pass rate") => "/pass_rate",
            text if text.starts_with("Mean score") => "/min_mean_score",
            text if text.starts_with("Score std dev") => "/max_std_dev",
            _ => "note",
        };
        let theirs: Vec<&str> = reasons.iter().map(at).collect();
        let failures = held.failures.iter().map(|failure| failure.at.as_str());
        let ours: Vec<&str> = failures.chain(held.notes.iter().map(|_| "note")).collect();
        assert_eq!(ours, theirs, "{}: {:?}", golden["id"], held.failures);
    }
}

#[test]
fn percentiles_agree_with_the_goldens() {
    for golden in goldens().iter().filter(|golden| golden["input"].is_array()) {
        let found = Spread::of_values(&numbers(&golden["input"]), 0.95).expect("numbers");
        assert!(same(&spread(&found, 0.95), &golden["output"]), "{}: {found:?}", golden["id"]);
    }
}

/// Eight of ten: the original says 1.0 and 0.1074 for k = 10.
#[test]
fn the_estimates_are_unbiased() {
    let goldens = goldens();
    let golden = goldens.iter().find(|golden| golden["id"] == "eight_of_ten").expect("it is among them");
    let estimates = held(&golden["input"]).statistics.estimates;
    let pairs: Vec<(f64, f64)> = estimates.iter().map(|one| (one.pass_at_k, one.pass_hat_k)).collect();
    assert_eq!(pairs[..3], [(0.8, 0.8), (0.9778, 0.6222), (1.0, 0.4667)]);
    assert_eq!((pairs[9], pairs.len()), ((1.0, 0.0), 10));
}

/// tau2's `pass_hat_k` is `math.comb(successes, k) / math.comb(trials, k)`.
#[test]
fn required_attempts_are_estimated_as_tau2_does() {
    let choose = |n: u32, k: u32| (0..k).map(|i| f64::from(n - i) / f64::from(i + 1)).product::<f64>();
    for (passed, k) in (0..=8_u32).flat_map(|passed| (1..=8_u32).map(move |k| (passed, k))) {
        let runs: Vec<RunScore> =
            (0..8).map(|number| RunScore { passed: number < passed, ..RunScore::default() }).collect();
        let theirs = if passed < k { 0.0 } else { choose(passed, k) / choose(8, k) };
        let settings = format!(r#"{{"runs": 8, "pass_hat_k": {{"{k}": 1}}}}"#);
        let variance: Variance = json::from_str(&settings).expect("settings");
        let found = evaluate_variance(&runs, &variance, None).attempts[0].found.expect("an estimate");
        assert!((found - theirs).abs() < 1e-12, "{passed} of 8, k = {k}: {found} {theirs}");
    }
}

/// Whatever the runs are, no figure is infinite or no number, and what is ordered is ordered.
#[test]
fn figures_are_finite_whatever_the_runs() {
    let mut seed = 7_u64;
    let mut draw = |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    let odd = [0.0, 100.0, 1e-320, 1e300, -1e300, f64::NAN, f64::INFINITY, 33.333_333, 84.9];
    for _ in 0..2_000 {
        let mut figure = || odd[usize::try_from(draw(9)).expect("small")];
        let scores: Vec<(f64, f64)> = (0..6).map(|_| (figure(), figure())).collect();
        let made = usize::try_from(draw(7)).expect("small");
        let run = |&(score, cost): &(f64, f64)| RunScore {
            score,
            passed: score > 50.0,
            cost_usd: Some(cost),
            ..RunScore::default()
        };
        let runs: Vec<RunScore> = scores[..made].iter().map(run).collect();
        let wanted = u32::try_from(draw(8)).expect("small");
        let statistics = Statistics::of_runs(&runs, wanted, 0.5 + 0.07 * f64::from(wanted));
        assert_sound(&statistics);
    }
}

fn assert_sound(statistics: &Statistics) {
    let json = json::to_json(statistics).expect("JSON");
    let back: Statistics = json::from_json(json).expect("no figure was lost");
    assert_eq!(&back, statistics);
    let Interval { lower, upper, .. } = statistics.pass_rate_interval;
    assert!(0.0 <= lower && lower <= statistics.pass_rate && statistics.pass_rate <= upper && upper <= 1.0);
    assert!((0.0..=1.0).contains(&statistics.flakiness.score), "{statistics:?}");
    for spread in [&statistics.score, &statistics.cost_usd].into_iter().flatten() {
        let quartiles = [spread.min, spread.percentile_25, spread.median, spread.percentile_75, spread.max];
        assert!(quartiles.is_sorted() && spread.percentile_75 <= spread.percentile_95, "{spread:?}");
        assert!(spread.mean_interval.lower <= spread.mean && spread.mean <= spread.mean_interval.upper);
    }
}

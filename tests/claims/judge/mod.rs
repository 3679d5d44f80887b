//! The judge as its users meet it: what it is asked, what is recorded of it, and what becomes of one that misbehaves.

mod boundary;
mod own_evals;
mod recorded;
mod replies;
mod served;
mod settings;

/// The judge is asked, and nothing is kept.
const LIVE: (&str, &str) = ("ARRAIGN_JUDGE", "live");

/// The judge is asked, and what it says is written.
const RECORD: (&str, &str) = ("ARRAIGN_JUDGE", "record");

/// A case that asks whether its answer says `please`.
fn asks(id: &str, answer: &str, more: &str) -> String {
    let case = format!(
        "trace: [{{say: {answer}}}]\nexpect: [{{agent_check: {{label: polite, prompt: Does it say please?}}}}]\n{more}"
    );
    format!("  - id: {id}\n    {}\n", case.trim_end().replace('\n', "\n    "))
}

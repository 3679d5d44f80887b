//! The judges of the test target: one for each value of [`JUDGE`].

use arraign::Harness;
use arraign::judge::{Judge, JudgeAnswer, JudgeError, JudgeRequest};

use crate::scripted::{self, JUDGE};

/// Adds the judge that the environment names.
pub(crate) fn add_judge(harness: Harness) -> Harness {
    match std::env::var(JUDGE).as_deref() {
        Ok("honest") => harness.judge(scripted::honest),
        Ok("easy") => harness.judge(scripted::easy),
        Ok("babbles") => {
            harness.judge(|_: &JudgeRequest| Ok(JudgeAnswer::new("I would say yes.").cost_usd(0.0)))
        }
        Ok("recovers") => harness.judge(recovers),
        Ok("errs") => harness.judge(|_: &JudgeRequest| Err(JudgeError::failed("no answer from the model"))),
        Ok("panics") => harness.judge(panics),
        Ok("wavers") => harness.judge(wavers),
        Ok("costs") => harness.judge(costs),
        Ok("other") => harness.judge(Other),
        _ => harness,
    }
}

/// Babbles first, and answers when it is asked again.
fn recovers(request: &JudgeRequest) -> Result<JudgeAnswer, JudgeError> {
    let again = request.user.contains("Your first reply could not be read: it holds no JSON object.");
    if again { scripted::honest(request) } else { Ok(JudgeAnswer::new("Let me think.").cost_usd(0.0)) }
}

fn panics(_: &JudgeRequest) -> Result<JudgeAnswer, JudgeError> {
    panic!("no such model")
}

/// Every third vote is another.
fn wavers(request: &JudgeRequest) -> Result<JudgeAnswer, JudgeError> {
    if request.vote != 3 {
        return scripted::honest(request);
    }
    let no = scripted::looked(request).to_string().replace("true", "false").replace("it does", "never");
    Ok(JudgeAnswer::new(no).cost_usd(0.0))
}

/// A dollar an answer.
fn costs(request: &JudgeRequest) -> Result<JudgeAnswer, JudgeError> {
    Ok(scripted::honest(request)?.cost_usd(1.0))
}

/// Another judge, with the same opinions.
struct Other;

impl Judge for Other {
    fn name(&self) -> String {
        "another judge".to_owned()
    }

    fn ask(&self, request: &JudgeRequest) -> Result<JudgeAnswer, JudgeError> {
        scripted::honest(request)
    }
}

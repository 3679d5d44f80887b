//! Agents as closures of the test target.

use std::any::Any;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::{AgentFailure, AgentInput, AgentProblem, IntoTrace};
use crate::json::Json;
use crate::trace::Trace;

/// The time after its limit at which an agent is abandoned if it blocks its thread.
pub(super) const GRACE_PERIOD: Duration = Duration::from_millis(100);

/// A run, and in a conversation what the closure returned, if it is no trace.
type ReturnedRun = (Trace, Option<Json>);

type RunFuture = Pin<Box<dyn Future<Output = Result<ReturnedRun, AgentProblem>> + Send>>;

/// An async closure that returns a run.
#[derive(Clone)]
pub struct InProcess(Arc<dyn Fn(AgentInput) -> RunFuture + Send + Sync>);

impl InProcess {
    /// Creates an agent from the closure `ask`.
    pub fn new<F, Answer, T, E>(ask: F) -> Self
    where
        F: Fn(AgentInput) -> Answer + Send + Sync + 'static,
        Answer: Future<Output = Result<T, E>> + Send + 'static,
        T: IntoTrace,
        E: Into<AgentFailure>,
    {
        Self(Arc::new(move |input| {
            let is_turn = input.turn.is_some();
            let running = ask(input);
            Box::pin(async move {
                let answer = running.await.map_err(|error| AgentProblem::Failed(error.into()))?;
                // Only an agent that is asked turn by turn gets its messages back with the next turn.
                let returned = is_turn.then(|| answer.to_messages()).flatten();
                Ok((answer.into_trace()?, returned))
            })
        }))
    }

    /// Calls the closure on a thread of its own, so that a blocking agent delays no other. The thread is abandoned
    /// after the limit.
    pub(super) async fn ask_closure(
        &self,
        input: AgentInput,
        limit: Duration,
    ) -> Result<ReturnedRun, AgentProblem> {
        let ask = Arc::clone(&self.0);
        let runtime = Handle::current();
        // The inner timeout stops an agent that awaits; the outer one abandons an agent that blocks its thread and never
        // returns to the runtime.
        let work = spawn_blocking(move || runtime.block_on(async { timeout(limit, ask(input)).await }));
        match timeout(limit + GRACE_PERIOD, work).await {
            Err(_) | Ok(Ok(Err(_))) => Err(AgentProblem::OutOfTime(limit)),
            Ok(Ok(Ok(answer))) => answer,
            Ok(Err(died)) => Err(AgentProblem::Panicked(
                died.try_into_panic()
                    .map_or_else(|error| error.to_string(), |payload| panic_text(payload.as_ref())),
            )),
        }
    }
}

fn panic_text(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no message").to_owned()
}

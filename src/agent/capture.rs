//! What a process writes, read as it comes and never without bound.

use tokio::io::{AsyncRead, AsyncReadExt as _};

use super::AgentProblem;

/// How much is read at once.
const CHUNK_BYTES: u64 = 16 << 10;

/// What came through a pipe. What was read stays here when the reading is cut short.
#[derive(Debug, Default)]
pub(super) struct CapturedOutput {
    pub(super) bytes: Vec<u8>,
}

impl CapturedOutput {
    /// Reads to the end; more than `limit` bytes are an error.
    pub(super) async fn read_all(
        &mut self,
        mut pipe: impl AsyncRead + Unpin,
        limit: usize,
    ) -> Result<(), AgentProblem> {
        while self.read_chunk(&mut pipe).await? {
            if self.bytes.len() > limit {
                return Err(AgentProblem::Flooded(limit));
            }
        }
        Ok(())
    }

    /// Reads to the end and keeps at least the last `tail` bytes, and little more.
    pub(super) async fn read_tail(
        &mut self,
        mut pipe: impl AsyncRead + Unpin,
        tail: usize,
    ) -> Result<(), AgentProblem> {
        while self.read_chunk(&mut pipe).await? {
            let surplus = self.bytes.len().saturating_sub(tail);
            self.bytes.drain(..surplus);
        }
        Ok(())
    }

    /// Whether there was more to read.
    async fn read_chunk(&mut self, pipe: &mut (impl AsyncRead + Unpin)) -> Result<bool, AgentProblem> {
        let read = pipe.take(CHUNK_BYTES).read_buf(&mut self.bytes).await;
        read.map(|count| count > 0).map_err(AgentProblem::Lost)
    }

    /// The text, without the blanks at its end.
    pub(super) fn to_text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).trim_end().to_owned()
    }
}

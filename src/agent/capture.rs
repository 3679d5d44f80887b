//! The output of a process, read as it arrives and with a size limit.

use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::AgentProblem;

/// The size of the tail of standard error that error messages show, in bytes.
pub(super) const MAX_STDERR_BYTES: usize = 2048;

/// The time that pipes are read after the process has ended: its children may hold them open.
pub(super) const DRAIN_TIMEOUT: Duration = Duration::from_millis(500);

/// The number of bytes that are read at once.
const CHUNK_BYTES: u64 = 16 << 10;

/// Bytes from a pipe. They remain here if the read is cancelled.
#[derive(Debug, Default)]
pub(super) struct CapturedOutput {
    pub(super) bytes: Vec<u8>,
}

impl CapturedOutput {
    /// Reads to the end. More than `limit` bytes are an error.
    pub(super) async fn read_all(
        &mut self,
        mut pipe: impl AsyncRead + Unpin,
        limit: usize,
    ) -> Result<(), AgentProblem> {
        while self.read_chunk(&mut pipe).await? {
            // Checked after each chunk, so at most one chunk above the limit is ever held.
            if self.bytes.len() > limit {
                return Err(AgentProblem::Flooded(limit));
            }
        }
        Ok(())
    }

    /// Reads to the end and keeps little more than the last `tail` bytes.
    pub(super) async fn read_tail(
        &mut self,
        mut pipe: impl AsyncRead + Unpin,
        tail: usize,
    ) -> Result<(), AgentProblem> {
        while self.read_piece(&mut pipe, tail).await? {}
        Ok(())
    }

    /// Reads the next chunk of a tail. Returns whether there was one.
    pub(super) async fn read_piece(
        &mut self,
        pipe: &mut (impl AsyncRead + Unpin),
        tail: usize,
    ) -> Result<bool, AgentProblem> {
        let has_more = self.read_chunk(pipe).await?;
        // Only the end is kept: it says why a program failed, however much it has printed before.
        let surplus = self.bytes.len().saturating_sub(tail);
        self.bytes.drain(..surplus);
        Ok(has_more)
    }

    /// Reads the next chunk. Returns whether there was one.
    async fn read_chunk(&mut self, pipe: &mut (impl AsyncRead + Unpin)) -> Result<bool, AgentProblem> {
        let read = pipe.take(CHUNK_BYTES).read_buf(&mut self.bytes).await;
        read.map(|count| count > 0).map_err(AgentProblem::Lost)
    }

    /// Returns the text without trailing whitespace.
    pub(super) fn to_text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).trim_end().to_owned()
    }
}

/// The end of the standard error of a process that stays, read by a task beside it.
pub(super) struct StderrTail {
    captured: Arc<Mutex<CapturedOutput>>,
    /// Reads until the end.
    reader: JoinHandle<()>,
}

impl StderrTail {
    /// Reads `pipe` until its end.
    pub(super) fn start(mut pipe: impl AsyncRead + Unpin + Send + 'static) -> Self {
        let captured: Arc<Mutex<CapturedOutput>> = Arc::default();
        let shared = Arc::clone(&captured);
        let reader = tokio::spawn(async move {
            // In pieces, so that the end of a process that hangs can be read, too.
            while let Ok(true) = shared.lock().await.read_piece(&mut pipe, 2 * MAX_STDERR_BYTES).await {}
        });
        Self { captured, reader }
    }

    /// Returns the text of a process that has been killed.
    pub(super) async fn into_text(mut self) -> String {
        // A process that has left the group may hold the pipe open.
        if timeout(DRAIN_TIMEOUT, &mut self.reader).await.is_err() {
            self.reader.abort();
            let _ = self.reader.await;
        }
        self.captured.lock().await.to_text()
    }
}

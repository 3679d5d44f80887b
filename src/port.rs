//! The server on this machine that agents reach: one for a process, with a path for each run of an agent.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::convert::Infallible;
use std::future::Future;
use std::hash::{BuildHasher as _, Hasher as _};
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener as StdListener};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Handle;

use crate::json::json;
use crate::source::lock;

/// A response of the port.
pub type PortResponse = Response<BoxBody<Bytes, io::Error>>;

/// How long a connection may wait for the headers of its next request. An agent that uses a tool between two requests keeps
/// its connection that long; a client that has died without closing it does not hold it for ever.
const HEADER_TIMEOUT: Duration = Duration::from_mins(2);

/// The response to a request that is being answered.
pub type PortFuture = Pin<Box<dyn Future<Output = PortResponse> + Send>>;

/// Serves the path of one run.
pub trait PathService: Send + Sync {
    /// Answers a request. Its path begins with the name of the run.
    fn serve_request(self: Arc<Self>, request: Request<Incoming>) -> PortFuture;
}

type Services = Arc<Mutex<HashMap<String, Arc<dyn PathService>>>>;

/// The server of one process. It listens on the loopback address.
#[derive(Clone)]
pub struct LoopbackPort {
    address: SocketAddr,
    services: Services,
}

/// The path of one run. It is closed when this is dropped.
pub struct PortPath {
    port: LoopbackPort,
    name: String,
}

impl LoopbackPort {
    /// Starts the server on a free port.
    pub fn start(runtime: &Handle) -> io::Result<Self> {
        let listener = StdListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let _entered = runtime.enter();
        let listener = TcpListener::from_std(listener)?;
        let port = Self { address: listener.local_addr()?, services: Services::default() };
        runtime.spawn(accept_connections(listener, Arc::clone(&port.services)));
        Ok(port)
    }

    /// Opens a path for one run of an agent.
    pub fn open_path(&self, service: Arc<dyn PathService>) -> PortPath {
        let name = draw_name();
        lock(&self.services).insert(name.clone(), service);
        PortPath { port: self.clone(), name }
    }
}

impl PortPath {
    /// Returns the address of the path.
    pub fn url(&self) -> String {
        format!("http://{}/{}", self.port.address, self.name)
    }
}

impl Drop for PortPath {
    fn drop(&mut self) {
        lock(&self.port.services).remove(&self.name);
    }
}

/// Returns a name that other programs on this machine cannot guess: 128 bits of the keys that the standard library draws.
fn draw_name() -> String {
    let [one, other] = [(); 2].map(|()| RandomState::new().build_hasher().finish());
    format!("{one:016x}{other:016x}")
}

async fn accept_connections(listener: TcpListener, services: Services) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                tokio::spawn(serve_connection(stream, Arc::clone(&services), HEADER_TIMEOUT));
            }
            // The process has no free file descriptors. Some are free when an agent ends.
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
}

/// Serves a connection until the client closes it, or sends no whole headers for `header_timeout`. A client that breaks the
/// protocol, or hangs up, ends its own connection.
async fn serve_connection(stream: TcpStream, services: Services, header_timeout: Duration) {
    // Small pieces of a stream must not wait for more.
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request: Request<Incoming>| {
        let name = request.uri().path().split('/').nth(1).unwrap_or_default();
        let service = lock(&services).get(name).map(Arc::clone);
        async move {
            Ok::<_, Infallible>(match service {
                Some(service) => service.serve_request(request).await,
                None => refuse_path(),
            })
        }
    });
    let mut protocol = hyper::server::conn::http1::Builder::new();
    protocol.timer(TokioTimer::new()).header_read_timeout(header_timeout);
    let _ = protocol.serve_connection(TokioIo::new(stream), service).await;
}

/// Refuses a request that belongs to no run.
fn refuse_path() -> PortResponse {
    let message = "arraign: this is not the path of a run that arraign has started";
    let body = json!({"error": {"message": message}}).to_string();
    let mut response = Response::new(Full::from(body).map_err(|never| match never {}).boxed());
    *response.status_mut() = StatusCode::NOT_FOUND;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    #[tokio::test]
    async fn a_connection_without_whole_headers_is_closed() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port");
        let mut client =
            TcpStream::connect(listener.local_addr().expect("an address")).await.expect("connected");
        let (stream, _) = listener.accept().await.expect("accepted");
        client.write_all(b"GET / HTTP/1.1\r\nHo").await.expect("sent");
        // The client keeps its side open, and waits for the end: without a timeout this test would not end.
        serve_connection(stream, Services::default(), Duration::from_millis(50)).await;
        let mut rest = Vec::new();
        client.read_to_end(&mut rest).await.expect("the end");
    }

    #[test]
    fn names_of_runs_differ() {
        let names: std::collections::HashSet<String> = (0..100).map(|_| draw_name()).collect();
        assert_eq!(names.len(), 100);
        assert!(names.iter().all(|name| name.len() == 32));
    }
}

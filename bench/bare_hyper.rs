//! The peer of the benchmark: the least that hyper needs to answer every request with the same
//! headers and bytes.
//!
//! `bare_hyper ADDRESS WORKERS FILE`, the file holding a response as `curl -si` prints it.

use std::convert::Infallible;
use std::error::Error;
use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{CONTENT_LENGTH, HeaderMap, HeaderName, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, body::Incoming};
use hyper_util::rt::{TokioIo, TokioTimer};
use socket2::{Domain, Socket, Type};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [address, workers, file] = &arguments[..] else {
        return Err("usage: bare_hyper ADDRESS WORKERS FILE".into());
    };
    let (headers, body) = read(&std::fs::read_to_string(file)?)?;
    let address: SocketAddr = address.parse()?;
    let threads: Vec<_> = (0..workers.parse()?)
        .map(|_| {
            let (headers, body) = (headers.clone(), body.clone());
            std::thread::spawn(move || work(address, &headers, &body).map_err(|e| e.to_string()))
        })
        .collect();
    for thread in threads {
        thread.join().map_err(|_| "a worker panicked")??;
    }
    Ok(())
}

/// The headers and the body of a response.
fn read(response: &str) -> Result<(HeaderMap, Bytes), Box<dyn Error>> {
    let (head, body) = response.split_once("\r\n\r\n").ok_or("no end of head")?;
    let mut headers = HeaderMap::new();
    for line in head.lines().skip(1) {
        let (name, value) = line.split_once(": ").ok_or("no header")?;
        headers.append(name.parse::<HeaderName>()?, value.parse::<HeaderValue>()?);
    }
    headers.remove(CONTENT_LENGTH);
    Ok((headers, Bytes::copy_from_slice(body.as_bytes())))
}

fn work(address: SocketAddr, headers: &HeaderMap, body: &Bytes) -> Result<(), Box<dyn Error>> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
    socket.set_reuse_address(true)?;
    socket.set_reuse_port(true)?;
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    socket.listen(1024)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(socket.into())?;
        let mut http = http1::Builder::new();
        http.auto_date_header(false)
            .timer(TokioTimer::new())
            .header_read_timeout(Duration::from_secs(10));
        loop {
            let (stream, _) = listener.accept().await?;
            stream.set_nodelay(true)?;
            let (headers, body) = (headers.clone(), body.clone());
            let service = service_fn(move |_request: Request<Incoming>| {
                let mut response = Response::new(Full::new(body.clone()));
                *response.headers_mut() = headers.clone();
                std::future::ready(Ok::<_, Infallible>(response))
            });
            let connection = http.serve_connection(TokioIo::new(stream), service);
            tokio::spawn(async move { _ = connection.await });
        }
    })
}

//! Listening sockets: one per worker, and one for probes.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::num::NonZeroUsize;

use socket2::{Domain, Protocol, Socket, Type};

/// The backlog of connections waiting to be accepted, per worker.
const BACKLOG: i32 = 1024;

/// How many bytes of a response may wait in the kernel, in addition to those in flight: enough to keep a
/// reader busy. By default, the kernel would buffer far more of a large response, which would then pass
/// through the processor's caches twice.
#[cfg(target_os = "linux")]
const UNSENT_MAX: u32 = 128 * 1024;

/// A bound address. On Linux, the kernel distributes its connections over one socket per worker.
#[derive(Debug)]
pub struct Listener {
    /// The sockets of the workers.
    pub(crate) sockets: Vec<TcpListener>,
    pub(crate) probes: Option<TcpListener>,
}

impl Listener {
    /// Binds an address. Port 0 binds a free port.
    ///
    /// Fails with [`io::ErrorKind::AddrInUse`] if another process already listens there.
    pub fn bind(address: SocketAddr, workers: NonZeroUsize) -> io::Result<Self> {
        check_free(address)?;
        let first = bind_shared(address)?;
        // Other systems give all connections to one of the sockets that share a port.
        if !cfg!(target_os = "linux") {
            return Self::shared(first, workers);
        }
        let address = first.local_addr()?;
        let others = (1..workers.get()).map(|_| bind_shared(address));
        let sockets = std::iter::once(Ok(first)).chain(others).collect::<io::Result<_>>()?;
        Ok(Self { sockets, probes: None })
    }

    /// Uses a socket that already listens, such as one opened by a service manager, which holds connections
    /// while the process is replaced. All workers accept from it.
    ///
    /// Fails with [`io::ErrorKind::InvalidInput`] if the socket is not listening.
    pub fn inherit(socket: TcpListener, workers: NonZeroUsize) -> io::Result<Self> {
        let socket = Socket::from(socket);
        #[cfg(target_os = "linux")]
        let is_listening = socket.is_listener()?;
        // macOS doesn't report it, but listening again on a connection fails.
        #[cfg(not(target_os = "linux"))]
        let is_listening = socket.listen(BACKLOG).is_ok();
        if !is_listening {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the socket is not listening"));
        }
        prepare(&socket)?;
        Self::shared(socket.into(), workers)
    }

    /// Lets all workers accept from one socket.
    fn shared(socket: TcpListener, workers: NonZeroUsize) -> io::Result<Self> {
        let others =
            (1..workers.get()).map(|_| socket.try_clone()).collect::<io::Result<Vec<_>>>()?;
        Ok(Self { sockets: std::iter::once(socket).chain(others).collect(), probes: None })
    }

    /// Binds another address for probes and metrics only, so that an orchestrator never queues behind public
    /// traffic.
    pub fn with_probes(self, address: SocketAddr) -> io::Result<Self> {
        check_free(address)?;
        Ok(Self { probes: Some(bind_shared(address)?), ..self })
    }

    /// Returns the address for probes, with its actual port.
    pub fn probe_addr(&self) -> Option<io::Result<SocketAddr>> {
        self.probes.as_ref().map(TcpListener::local_addr)
    }

    /// Returns the address, with its actual port.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.sockets[0].local_addr()
    }
}

/// Fails if another process listens on the address. Sockets with `SO_REUSEPORT` can share a port with
/// another process of the same user without noticing, so this check binds a socket without it. That socket
/// never listens, so no client connects to it.
fn check_free(address: SocketAddr) -> io::Result<()> {
    new_socket(address)?.bind(&address.into())
}

/// Creates a socket that can bind an address whose last connections have just been closed.
fn new_socket(address: SocketAddr) -> io::Result<Socket> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    socket.set_reuse_address(true)?;
    Ok(socket)
}

fn bind_shared(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = new_socket(address)?;
    socket.set_reuse_port(true)?;
    prepare(&socket)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    Ok(socket.into())
}

fn prepare(socket: &Socket) -> io::Result<()> {
    // Accepted sockets inherit this.
    #[cfg(target_os = "linux")]
    socket.set_tcp_notsent_lowat(UNSENT_MAX)?;
    socket.set_nonblocking(true)
}

#[cfg(test)]
mod tests {
    use std::io::{ErrorKind, Read};
    use std::net::{Ipv4Addr, TcpStream};
    use std::sync::Barrier;

    use super::*;

    fn free_address() -> SocketAddr {
        TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap()
    }

    /// Tries to connect until something listens on the address. Waits at `begun` after the first attempt.
    fn connect(address: SocketAddr, begun: &Barrier) -> TcpStream {
        TcpStream::connect(address).unwrap_err();
        begun.wait();
        loop {
            if let Ok(stream) = TcpStream::connect(address) {
                return stream;
            }
        }
    }

    #[test]
    fn a_client_that_connects_while_the_address_is_bound_is_not_reset() {
        for _ in 0..3_000 {
            let (address, begun) = (free_address(), Barrier::new(2));
            std::thread::scope(|scope| {
                let client = scope.spawn(|| connect(address, &begun));
                begun.wait();
                let _listener = Listener::bind(address, NonZeroUsize::MIN).unwrap();
                let mut client = client.join().unwrap();
                client.set_nonblocking(true).unwrap();
                assert_eq!(client.read(&mut [0]).unwrap_err().kind(), ErrorKind::WouldBlock);
            });
        }
    }

    #[test]
    fn an_address_with_another_listener_is_in_use() {
        let first = Listener::bind(free_address(), NonZeroUsize::MIN).unwrap();
        let address = first.local_addr().unwrap();
        let second = Listener::bind(address, NonZeroUsize::MIN);
        assert_eq!(second.unwrap_err().kind(), ErrorKind::AddrInUse);
        let probes = Listener::bind(free_address(), NonZeroUsize::MIN).unwrap();
        assert_eq!(probes.with_probes(address).unwrap_err().kind(), ErrorKind::AddrInUse);
    }
}

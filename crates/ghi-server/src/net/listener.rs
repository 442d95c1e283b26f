//! Listening sockets: one for the workers, and one for probes.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::num::NonZeroUsize;

use socket2::SockRef;

/// A bound address, from which all workers accept.
#[derive(Debug)]
pub struct Listener {
    /// One handle to the same socket for each worker.
    pub(crate) sockets: Vec<TcpListener>,
    pub(crate) probes: Option<TcpListener>,
}

impl Listener {
    /// Binds an address. Port 0 binds a free port.
    ///
    /// Fails with [`io::ErrorKind::AddrInUse`] if another process already listens there.
    pub fn bind(address: SocketAddr, workers: NonZeroUsize) -> io::Result<Self> {
        Self::inherit(TcpListener::bind(address)?, workers)
    }

    /// Uses a socket that already listens, such as one opened by a service manager, which holds connections
    /// while the process is replaced.
    ///
    /// Fails with [`io::ErrorKind::InvalidInput`] if the socket cannot listen.
    pub fn inherit(socket: TcpListener, workers: NonZeroUsize) -> io::Result<Self> {
        // Listening again fails on a connection, and otherwise only makes the queue as long as the system allows.
        if SockRef::from(&socket).listen(i32::MAX).is_err() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the socket is not listening"));
        }
        // Accepted sockets inherit this: how many bytes of a response may wait in the kernel, in addition to those in
        // flight. By default, far more of a large response would pass through the processor's caches twice.
        #[cfg(target_os = "linux")]
        SockRef::from(&socket).set_tcp_notsent_lowat(128 * 1024)?;
        socket.set_nonblocking(true)?;
        let sockets = (0..workers.get()).map(|_| socket.try_clone()).collect::<io::Result<_>>()?;
        Ok(Self { sockets, probes: None })
    }

    /// Binds another address for probes and metrics only, so that an orchestrator never queues behind public traffic.
    pub fn with_probes(self, address: SocketAddr) -> io::Result<Self> {
        let socket = TcpListener::bind(address)?;
        socket.set_nonblocking(true)?;
        Ok(Self { probes: Some(socket), ..self })
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

//! Sockets that listen: one for each worker, and one for probes alone.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::num::NonZeroUsize;

use socket2::{Domain, Protocol, Socket, Type};

/// How many connections may wait to be accepted, per worker.
const BACKLOG: i32 = 1024;

/// How much of a response may wait in the kernel beyond what is on its way, bytes: enough to keep a
/// reader busy, and a fraction of what the kernel would take in of a large answer, which then goes
/// through the processor's caches twice.
#[cfg(target_os = "linux")]
const UNSENT_MAX: u32 = 128 * 1024;

/// A bound address. The kernel spreads its connections over as many sockets as there are workers.
#[derive(Debug)]
pub struct Listener {
    sockets: Vec<TcpListener>,
    probes: Option<TcpListener>,
}

impl Listener {
    /// Binds an address, port 0 taking a free port.
    ///
    /// Fails with [`io::ErrorKind::AddrInUse`] where another process listens there already.
    pub fn bind(address: SocketAddr, workers: NonZeroUsize) -> io::Result<Self> {
        check_free(address)?;
        let first = bind_shared(address)?;
        let address = first.local_addr()?;
        let others = (1..workers.get()).map(|_| bind_shared(address));
        let sockets = std::iter::once(Ok(first)).chain(others).collect::<io::Result<_>>()?;
        Ok(Self { sockets, probes: None })
    }

    /// Takes a socket that listens already, such as one that a service manager has opened: it holds
    /// connections while the process is replaced. All workers accept from it.
    ///
    /// Fails with [`io::ErrorKind::InvalidInput`] where it does not listen.
    pub fn inherit(socket: TcpListener, workers: NonZeroUsize) -> io::Result<Self> {
        let socket = Socket::from(socket);
        if !socket.is_listener()? {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the socket does not listen"));
        }
        prepare(&socket)?;
        let socket = TcpListener::from(socket);
        let others =
            (1..workers.get()).map(|_| socket.try_clone()).collect::<io::Result<Vec<_>>>()?;
        Ok(Self { sockets: std::iter::once(socket).chain(others).collect(), probes: None })
    }

    /// Binds another address for probes and metrics alone, so that an orchestrator never queues
    /// behind the public.
    pub fn with_probes(self, address: SocketAddr) -> io::Result<Self> {
        check_free(address)?;
        Ok(Self { probes: Some(bind_shared(address)?), ..self })
    }

    /// The address for probes, with the port that was taken.
    pub fn probe_addr(&self) -> Option<io::Result<SocketAddr>> {
        self.probes.as_ref().map(TcpListener::local_addr)
    }

    /// The address, with the port that was taken.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.sockets[0].local_addr()
    }

    /// The sockets of the workers, and that of the probes.
    pub(crate) fn into_sockets(self) -> (Vec<TcpListener>, Option<TcpListener>) {
        (self.sockets, self.probes)
    }
}

/// Fails if another process listens on the address. Sockets that share a port don't notice that they
/// share it with another process of the same user; one that doesn't share it does. It never listens,
/// so that no client connects to it.
fn check_free(address: SocketAddr) -> io::Result<()> {
    new_socket(address)?.bind(&address.into())
}

/// A socket that may take an address whose last connections have just been closed.
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
    // Accepted sockets inherit it.
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

    /// Connects to an address until it is listened on; says when it has begun to.
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
    fn an_address_that_another_listener_has_is_in_use() {
        let first = Listener::bind(free_address(), NonZeroUsize::MIN).unwrap();
        let address = first.local_addr().unwrap();
        let second = Listener::bind(address, NonZeroUsize::MIN);
        assert_eq!(second.unwrap_err().kind(), ErrorKind::AddrInUse);
        let probes = Listener::bind(free_address(), NonZeroUsize::MIN).unwrap();
        assert_eq!(probes.with_probes(address).unwrap_err().kind(), ErrorKind::AddrInUse);
    }
}

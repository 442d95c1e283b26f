//! Permits for limited resources: a total limit and a limit per client, so that one client cannot starve
//! the others.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::net::client_key::ClientKey;

/// A limited number of permits, shared by all clients.
#[derive(Debug)]
pub(crate) struct PermitPool {
    total: usize,
    per_client: usize,
    used: Mutex<Used>,
}

#[derive(Debug, Default)]
struct Used {
    total: usize,
    by_client: HashMap<ClientKey, usize>,
}

/// A permit, which is returned to the pool when it is dropped.
#[derive(Debug)]
pub(crate) struct Permit {
    pool: Arc<PermitPool>,
    client: Option<ClientKey>,
}

impl PermitPool {
    pub(crate) fn new(total: usize, per_client: usize) -> Self {
        Self { total, per_client, used: Mutex::default() }
    }

    /// Takes a permit, unless all are in use or the client has reached its limit. Without a client, only
    /// the total limit applies.
    pub(crate) fn acquire(self: &Arc<Self>, client: Option<ClientKey>) -> Option<Permit> {
        let mut used = self.lock();
        if used.total >= self.total {
            return None;
        }
        if let Some(client) = client {
            let of_client = used.by_client.entry(client).or_default();
            if *of_client >= self.per_client {
                return None;
            }
            *of_client += 1;
        }
        used.total += 1;
        Some(Permit { pool: Arc::clone(self), client })
    }

    /// Returns the number of permits in use.
    pub(crate) fn in_use(&self) -> usize {
        self.lock().total
    }

    fn lock(&self) -> MutexGuard<'_, Used> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut used = self.pool.lock();
        used.total -= 1;
        let Some(client) = self.client else { return };
        if let Some(of_client) = used.by_client.get_mut(&client) {
            *of_client -= 1;
            if *of_client == 0 {
                used.by_client.remove(&client);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use super::*;

    fn client(last: u8) -> Option<ClientKey> {
        Some(IpAddr::V4(Ipv4Addr::new(203, 0, 113, last)).into())
    }

    #[test]
    fn one_client_cannot_use_up_all_permits() {
        let pool = Arc::new(PermitPool::new(4, 2));
        let first = [pool.acquire(client(1)), pool.acquire(client(1))];
        assert!(first.iter().all(Option::is_some) && pool.acquire(client(1)).is_none());
        let others = [pool.acquire(client(2)), pool.acquire(client(3))];
        assert!(others.iter().all(Option::is_some));
        assert!(
            pool.acquire(client(4)).is_none() && pool.acquire(None).is_none(),
            "all are in use"
        );
        assert_eq!(pool.in_use(), 4);
    }

    #[test]
    fn dropped_permits_return_to_the_pool() {
        let pool = Arc::new(PermitPool::new(2, 1));
        drop(pool.acquire(client(1)));
        assert!(pool.acquire(client(1)).is_some());
        assert_eq!(pool.in_use(), 0);
        assert!(pool.lock().by_client.is_empty(), "clients without permits are forgotten");
    }

    #[test]
    fn without_a_client_only_the_limit_in_total_applies() {
        let pool = Arc::new(PermitPool::new(3, 1));
        let taken: Vec<_> = (0..4).map(|_| pool.acquire(None)).collect();
        assert_eq!(taken.iter().flatten().count(), 3);
    }
}

//! The rate of requests.

use std::time::Duration;

use crate::runner::check;
use crate::scripted::ScriptedServer;

#[test]
fn requests_are_evenly_spaced_at_the_rate() {
    let server = ScriptedServer::start();
    let base_url = server.with(|_: &_, _: &mut _| {});
    let output = check(&base_url, &["--strict", "--rate", "50"]);
    assert_eq!(output.status.code(), Some(0));
    let arrivals = server.arrivals();
    assert!(arrivals.len() > 50);
    let whole = *arrivals.last().unwrap() - arrivals[0];
    let gaps = u32::try_from(arrivals.len() - 1).unwrap();
    // The first request may be delayed on its way and the last one not.
    let slack = Duration::from_millis(200);
    assert!(whole + slack >= Duration::from_millis(20) * gaps, "{whole:?} for {gaps}");
    // Others may be delayed too, but not most of them: there are no bursts.
    let close = arrivals.windows(2).filter(|pair| pair[1] - pair[0] < Duration::from_millis(10));
    assert!(close.count() < arrivals.len() / 4, "{arrivals:?}");
}

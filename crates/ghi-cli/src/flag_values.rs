//! The values of flags.

use std::net::{IpAddr, SocketAddr};
use std::ops::RangeInclusive;
use std::time::Duration;

use ghi_engine::{InvalidDate, parse_date};
use ghi_server::{IpNet, Moment};
use jiff::SignedDuration;

/// Parses an address and a port, or a short form: `localhost:8000` or `8000` for this machine only, or
/// `:8000` for all addresses, as in other servers.
pub(crate) fn listen_address(text: &str) -> Result<SocketAddr, &'static str> {
    let (host, port) = text.rsplit_once(':').unwrap_or(("localhost", text));
    let host = match host {
        "localhost" => "127.0.0.1",
        "" => "0.0.0.0",
        address => address,
    };
    format!("{host}:{port}").parse().map_err(|_| {
        "must be a port, or an IP address or localhost with a port, such as 8000, localhost:8000 or [::1]:8000"
    })
}

/// Parses a UTC time. A date means 00:00 UTC on that day; the seconds and the `Z` are optional.
pub(crate) fn moment(text: &str) -> Result<Moment, &'static str> {
    let civil = text.strip_suffix('Z').unwrap_or(text);
    let (day, time) = civil.split_once(['T', ' ']).unwrap_or((civil, "00:00"));
    let seconds = if time.len() == "00:00".len() { ":00" } else { "" };
    format!("{day}T{time}{seconds}Z").parse().map_err(|_| {
        "must be a UTC time such as 2026-11-15T12:00:00Z, or a date such as 2026-11-15, from 1970-01-01 to 9999-12-31"
    })
}

/// Parses a time such as `5s`, `500ms` or `1m` within bounds; a plain number means seconds.
pub(crate) fn time_between(
    min: &'static str,
    max: &'static str,
) -> impl Fn(&str) -> Result<Duration, String> + Clone {
    let parse = |text: &str| {
        let with_unit = || text.parse::<SignedDuration>().ok()?.try_into().ok();
        plain_number(text).map(Duration::from_secs).or_else(with_unit)
    };
    let bounds = parse(min)..=parse(max);
    move |text| {
        let time = parse(text);
        let invalid = || {
            format!(
                "must be a time from {min} to {max}, such as 5s, 500ms or 1m; a plain number means seconds"
            )
        };
        time.filter(|_| bounds.contains(&time)).ok_or_else(invalid)
    }
}

pub(crate) fn whole_number<T: TryFrom<usize>>(
    range: RangeInclusive<usize>,
) -> impl Fn(&str) -> Result<T, String> + Clone {
    move |text| {
        let number = plain_number(text).and_then(|number| usize::try_from(number).ok());
        let number = number.filter(|number| range.contains(number));
        let number = number.and_then(|number| number.try_into().ok());
        number.ok_or_else(|| {
            format!("must be a whole number from {} to {}", range.start(), range.end())
        })
    }
}

pub(crate) fn network(text: &str) -> Result<IpNet, &'static str> {
    let text = text.trim();
    let network = text.parse().or_else(|_| text.parse::<IpAddr>().map(IpNet::from));
    network.map_err(|_| "must be an IP address or a network, such as 10.0.0.0/8")
}

fn plain_number(text: &str) -> Option<u64> {
    text.parse().ok().filter(|_| !text.starts_with('+'))
}

pub(crate) fn date(text: &str) -> Result<String, InvalidDate> {
    parse_date(text).map(|date| date.to_string())
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use super::*;

    #[test]
    fn an_address_may_be_a_port() {
        for (text, address) in [
            ("8000", "127.0.0.1:8000"),
            ("localhost:8000", "127.0.0.1:8000"),
            (":8000", "0.0.0.0:8000"),
            ("0", "127.0.0.1:0"),
            ("[::1]:8000", "[::1]:8000"),
            ("192.0.2.1:80", "192.0.2.1:80"),
        ] {
            assert_eq!(listen_address(text).unwrap().to_string(), address, "{text}");
        }
        for text in [
            "",
            ":",
            "::1",
            "[::1]",
            "192.0.2.1",
            "127.0.0.1:65536",
            "localhost",
            "65536",
            "-1",
            "+1",
            "127.1:x",
            "٣",
            "example.org:80",
            "http://localhost:8000",
            "*:8000",
            "127.1:8000",
        ] {
            let said = listen_address(text).unwrap_err();
            assert!(said.ends_with("such as 8000, localhost:8000 or [::1]:8000"), "{text}: {said}");
        }
    }

    #[test]
    fn a_moment_may_be_a_date_or_omit_the_seconds() {
        for (text, moment_said) in [
            ("2026-11-15", "2026-11-15T00:00:00.000000Z"),
            ("2026-11-15 12:00", "2026-11-15T12:00:00.000000Z"),
            ("2026-11-15T12:00Z", "2026-11-15T12:00:00.000000Z"),
            ("2026-11-15T12:00", "2026-11-15T12:00:00.000000Z"),
            ("2026-11-15 12:00:01Z", "2026-11-15T12:00:01.000000Z"),
            ("2026-11-15T12:00:01.5Z", "2026-11-15T12:00:01.500000Z"),
        ] {
            assert_eq!(moment(text).unwrap().to_string(), moment_said, "{text}");
        }
        for text in ["", "Z", "now", "2026-11", "2026-11-31", "2026-11-15T", "2026-11-15T12"] {
            assert!(moment(text).is_err(), "{text}");
        }
        // Other time zones are not accepted.
        for text in ["2026-11-15T12:00+01:00", "2026-11-15T12:00:00-05:00", "1969-12-31"] {
            assert!(moment(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_time_has_a_unit_or_is_in_seconds() {
        let time = time_between("0s", "24h");
        for (text, millis) in [
            ("5", 5_000),
            ("5s", 5_000),
            ("0", 0),
            ("500ms", 500),
            ("1m", 60_000),
            ("1m30s", 90_000),
            ("1.5s", 1_500),
            ("24h", 86_400_000),
        ] {
            assert_eq!(time(text), Ok(Duration::from_millis(millis)), "{text}");
        }
        for text in ["", "s", "-5", "-5s", "5x", "1.5", "24h1s", "86401", "99999999999999999999"] {
            assert!(time(text).is_err(), "{text}");
        }
        let time = time_between("1s", "24h");
        assert!(time("999ms").is_err() && time("1").is_ok());
    }

    #[test]
    fn numbers_are_whole_and_bounded() {
        let number = whole_number::<u8>(0..=100);
        assert_eq!((number("0"), number("100")), (Ok(0), Ok(100)));
        for text in ["", "-1", "+1", "1.5", "1e3", "101", "99999999999999999999", " 1", "٣"] {
            assert_eq!(number(text).unwrap_err(), "must be a whole number from 0 to 100", "{text}");
        }
        assert!(whole_number::<NonZeroUsize>(0..=1)("0").is_err());
    }
}

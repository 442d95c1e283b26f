//! Why a TLS connection failed, in words that say what would help.

use std::time::{Duration, UNIX_EPOCH};

use httpdate::fmt_http_date;
use rustls::pki_types::UnixTime;
use rustls::{AlertDescription, CertificateError, Error, OtherError};

/// What went wrong. `http` is the server by that scheme, for one that speaks no TLS.
pub(crate) fn words(error: &Error, http: Option<&str>) -> String {
    match error {
        Error::InvalidCertificate(error) => of_certificate(error),
        Error::InvalidMessage(_) => {
            let no_tls = "the server did not answer in TLS";
            http.map_or(no_tls.into(), |http| format!("{no_tls}; if it speaks plain HTTP, use {http}"))
        }
        Error::AlertReceived(alert) => {
            format!("the server refused the TLS connection: {}", of_alert(*alert))
        }
        Error::PeerIncompatible(_) => {
            "the server has no version or cipher of TLS in common with this client, which speaks TLS 1.2 and 1.3".into()
        }
        Error::NoCertificatesPresented => "the server has no certificate".into(),
        // Such as that the system has no authorities.
        Error::General(why) => why.clone(),
        _ => "the TLS handshake failed: the server broke the rules of the protocol".into(),
    }
}

fn of_certificate(error: &CertificateError) -> String {
    match error {
        CertificateError::UnknownIssuer => {
            "the server's certificate is from an authority that this machine does not trust, or is self-signed; if it is one of yours, name a file with the authority's certificate in SSL_CERT_FILE".into()
        }
        CertificateError::NotValidForName => {
            "the server's certificate is for another name; use the name that it is for".into()
        }
        CertificateError::NotValidForNameContext { expected, presented } => {
            let names: Vec<&str> = presented.iter().filter_map(|name| subject(name)).collect();
            let others = if names.is_empty() { "no name at all".into() } else { names.join(", ") };
            format!(
                "the server's certificate is not for {}, but for {others}; use a name that it is for",
                expected.to_str()
            )
        }
        CertificateError::Expired => {
            "the server's certificate has expired; it must be renewed, or the clock of this machine is wrong".into()
        }
        CertificateError::ExpiredContext { not_after, .. } => format!(
            "the server's certificate expired on {}; it must be renewed, or the clock of this machine is wrong",
            date(*not_after)
        ),
        CertificateError::NotValidYet => {
            "the server's certificate is not valid yet; is the clock of this machine right?".into()
        }
        CertificateError::NotValidYetContext { not_before, .. } => format!(
            "the server's certificate is not valid before {}; is the clock of this machine right?",
            date(*not_before)
        ),
        CertificateError::Revoked => {
            "the server's certificate was revoked; the server needs a new one".into()
        }
        CertificateError::BadSignature => {
            "the signature on the server's certificate is wrong: the certificate was changed, or another authority of the same name signed it".into()
        }
        CertificateError::BadEncoding => "the server's certificate cannot be read".into(),
        CertificateError::Other(OtherError(error)) if is_authority(&**error) => {
            "the server's certificate is that of an authority (CA:TRUE), as some tools make those that are self-signed, and cannot stand for a server; make one with CA:FALSE, or one that the authority signs".into()
        }
        _ => "the server's certificate is not acceptable; the server needs another one".into(),
    }
}

/// Whether a certificate was refused because it is that of an authority.
fn is_authority(error: &(dyn std::error::Error + 'static)) -> bool {
    matches!(error.downcast_ref(), Some(webpki::Error::CaUsedAsEndEntity))
}

/// A name of a certificate as people write it: `DnsName("example.org")` is how it is received.
fn subject(name: &str) -> Option<&str> {
    let value = name.strip_prefix("DnsName(").or_else(|| name.strip_prefix("IpAddress("))?;
    Some(value.strip_suffix(')')?.trim_matches('"'))
}

/// `CertificateExpired` as `certificate expired`.
fn of_alert(alert: AlertDescription) -> String {
    let Some(name) = alert.as_str() else { return format!("alert {}", u8::from(alert)) };
    let mut words = String::new();
    for char in name.chars() {
        if char.is_uppercase() && words.ends_with(char::is_lowercase) {
            words.push(' ');
        }
        words.extend(char.to_lowercase());
    }
    words
}

fn date(time: UnixTime) -> String {
    fmt_http_date(UNIX_EPOCH + Duration::from_secs(time.as_secs()))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use expect_test::{Expect, expect};
    use rustls::{InvalidMessage, PeerIncompatible, PeerMisbehaved};

    use super::*;

    fn check(error: impl Into<Error>, expected: Expect) {
        expected.assert_eq(&words(&error.into(), Some("http://localhost:8000")));
    }

    #[test]
    fn each_failure_says_what_would_help() {
        check(
            CertificateError::Expired,
            expect![
                "the server's certificate has expired; it must be renewed, or the clock of this machine is wrong"
            ],
        );
        check(
            CertificateError::NotValidYet,
            expect![
                "the server's certificate is not valid yet; is the clock of this machine right?"
            ],
        );
        check(
            CertificateError::Revoked,
            expect!["the server's certificate was revoked; the server needs a new one"],
        );
        check(
            CertificateError::BadSignature,
            expect![
                "the signature on the server's certificate is wrong: the certificate was changed, or another authority of the same name signed it"
            ],
        );
        check(
            CertificateError::NotValidForName,
            expect!["the server's certificate is for another name; use the name that it is for"],
        );
        let expected = "example.org".try_into().unwrap();
        let presented = ["DnsName(\"a.example\")", "IpAddress(::1)", "DirectoryName"];
        let presented = presented.map(String::from).to_vec();
        check(
            CertificateError::NotValidForNameContext { expected, presented },
            expect![
                "the server's certificate is not for example.org, but for a.example, ::1; use a name that it is for"
            ],
        );
        check(
            InvalidMessage::InvalidContentType,
            expect![
                "the server did not answer in TLS; if it speaks plain HTTP, use http://localhost:8000"
            ],
        );
        check(
            PeerIncompatible::Tls12NotOffered,
            expect![
                "the server has no version or cipher of TLS in common with this client, which speaks TLS 1.2 and 1.3"
            ],
        );
        check(
            Error::AlertReceived(AlertDescription::HandshakeFailure),
            expect!["the server refused the TLS connection: handshake failure"],
        );
        check(
            Error::AlertReceived(AlertDescription::Unknown(200)),
            expect!["the server refused the TLS connection: alert 200"],
        );
    }

    #[test]
    fn no_failure_speaks_of_types() {
        let other = OtherError(Arc::new(webpki::Error::PathLenConstraintViolated));
        for error in [
            CertificateError::Other(other).into(),
            CertificateError::UnhandledCriticalExtension.into(),
            CertificateError::UnknownRevocationStatus.into(),
            PeerMisbehaved::TooManyEmptyFragments.into(),
            Error::DecryptError,
        ] {
            let said = words(&error, None);
            let is_camel = |pair: &[char]| pair[0].is_lowercase() && pair[1].is_uppercase();
            let chars: Vec<char> = said.chars().collect();
            assert!(!chars.windows(2).any(is_camel) && !said.contains('('), "{error:?}: {said}");
        }
    }
}

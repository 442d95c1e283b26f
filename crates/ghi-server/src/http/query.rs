//! The query string: parameters by name, decoded once.

use std::borrow::Cow;

use ghi_engine::is_invisible;
use memchr::{memchr, memchr2};
use percent_encoding::percent_decode;

use crate::http::problem::Problem;

/// The query parameters of a request, checked to be valid UTF-8 when decoded.
pub(crate) struct Query<'a> {
    raw: &'a str,
    /// Whether it may come from a form, which sends a field that was left empty as an empty value.
    pub(crate) is_form: bool,
}

impl<'a> Query<'a> {
    #[inline(always)] // It has several callers, but only one of them for each request.
    pub(crate) fn parse(raw: Option<&'a str>) -> Result<Self, Problem> {
        let query = Self { raw: raw.unwrap_or_default(), is_form: false };
        let is_plain = memchr(b'%', query.raw.as_bytes()).is_none();
        let mut pairs = query.pairs();
        if is_plain || pairs.all(|(name, value)| decode(name).and(decode(value)).is_some()) {
            Ok(query)
        } else {
            Err(Problem::invalid_parameter("The percent-decoded query is not valid UTF-8."))
        }
    }

    /// Fails if a parameter has an unknown name.
    pub(crate) fn check_names(&self, known: &[&str]) -> Result<(), Problem> {
        match self.unknown_name(known) {
            None => Ok(()),
            Some(_) => Err(Problem::unknown_parameter(known)),
        }
    }

    /// Returns the first name that is not one of these.
    pub(crate) fn unknown_name(&self, known: &[&str]) -> Option<Cow<'a, str>> {
        // Two `&` in a row are allowed.
        let pairs = self.pairs().filter(|(name, value)| !(name.is_empty() && value.is_empty()));
        let mut names = pairs.map(|(name, _)| decode(name).unwrap_or_default());
        names.find(|name| !known.contains(&&**name))
    }

    /// Returns the value of a parameter. Fails if it is given twice, because either may be meant, and if a page
    /// would have to repeat characters that cannot be seen.
    pub(crate) fn get(&self, name: &'static str) -> Result<Option<Cow<'a, str>>, Problem> {
        let value = self.value(name)?;
        if self.is_form && value.as_deref().is_some_and(|text| text.contains(is_invisible)) {
            let rule = format!("{name} must not contain control or other invisible characters.");
            return Err(Problem::invalid_parameter(rule));
        }
        Ok(value)
    }

    fn value(&self, name: &'static str) -> Result<Option<Cow<'a, str>>, Problem> {
        if self.raw.is_empty() {
            return Ok(None);
        }
        // The common case: a single parameter of letters and digits.
        if let Some(value) = self.raw.strip_prefix(name).and_then(|rest| rest.strip_prefix('='))
            && value.bytes().all(|byte| byte.is_ascii_alphanumeric())
        {
            return Ok(Some(Cow::Borrowed(value)));
        }
        let matches =
            |found: &str| found == name || decode(found).is_some_and(|found| found == name);
        let mut values = self.pairs().filter(|pair| matches(pair.0)).map(|pair| pair.1);
        match (values.next(), values.next()) {
            (value, None) => Ok(value.and_then(decode)),
            _ => Err(Problem::invalid_parameter(format!("{name} is given more than once."))),
        }
    }

    /// The names and values, not decoded.
    fn pairs(&self) -> impl Iterator<Item = (&'a str, &'a str)> + use<'a> {
        let mut rest = Some(self.raw);
        std::iter::from_fn(move || {
            let (pair, after) = split_at_byte(rest?, b'&');
            rest = after;
            let (name, value) = split_at_byte(pair, b'=');
            Some((name, value.unwrap_or_default()))
        })
    }
}

/// Splits a string at the first occurrence of an ASCII character. `split_once` takes twice as long on
/// strings this short.
fn split_at_byte(text: &str, byte: u8) -> (&str, Option<&str>) {
    match memchr(byte, text.as_bytes()) {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    }
}

/// Decodes a form-encoded name or value; `None` if it is not valid UTF-8.
fn decode(encoded: &str) -> Option<Cow<'_, str>> {
    if memchr2(b'%', b'+', encoded.as_bytes()).is_none() {
        return Some(Cow::Borrowed(encoded));
    }
    let spaced = encoded.replace('+', " ");
    let decoded = percent_decode(spaced.as_bytes()).decode_utf8().ok()?;
    Some(Cow::Owned(decoded.into_owned()))
}

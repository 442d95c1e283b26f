//! The query string: parameters by name, decoded once.

use std::borrow::Cow;

use ghi_engine::is_invisible;
use percent_encoding::percent_decode;

use crate::http::problem::Problem;

pub(crate) struct Query<'a> {
    /// The names and values, without pairs of which both are empty.
    pairs: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    /// Whether it may come from a form, which sends a field that was left empty as an empty value.
    pub(crate) is_form: bool,
}

impl<'a> Query<'a> {
    pub(crate) fn parse(raw: Option<&'a str>) -> Result<Self, Problem> {
        // Two `&` in a row are allowed.
        let pairs = raw.unwrap_or_default().split('&').filter(|pair| !matches!(*pair, "" | "="));
        let decoded = pairs.map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Some((decode(name)?, decode(value)?))
        });
        let query = decoded.collect::<Option<_>>().map(|pairs| Self { pairs, is_form: false });
        let invalid = "The percent-decoded query is not valid UTF-8.";
        query.ok_or_else(|| Problem::invalid_parameter(invalid))
    }

    pub(crate) fn check_names(&self, known: &[&str]) -> Result<(), Problem> {
        let mut names = self.pairs.iter().map(|(name, _)| &**name);
        match names.find(|name| !known.contains(name)) {
            None => Ok(()),
            Some(name) if self.is_form => Err(Problem::unknown_parameter_of_page(name, known)),
            Some(_) => Err(Problem::unknown_parameter(known)),
        }
    }

    /// Returns the value of a parameter. Fails if it is given twice, because either may be meant, and if a page
    /// would have to repeat characters that cannot be seen.
    pub(crate) fn get(&self, name: &str) -> Result<Option<&str>, Problem> {
        let mut values = self.pairs.iter().filter(|pair| pair.0 == name).map(|pair| &*pair.1);
        let value = values.next();
        let rule = if values.next().is_some() {
            "is given more than once"
        } else if self.is_form && value.is_some_and(|text| text.contains(is_invisible)) {
            "must not contain control or other invisible characters"
        } else {
            return Ok(value);
        };
        Err(Problem::invalid_parameter(format!("{name} {rule}.")))
    }
}

/// Decodes a form-encoded name or value; `None` if it is not valid UTF-8.
fn decode(encoded: &str) -> Option<Cow<'_, str>> {
    if !encoded.contains(['%', '+']) {
        return Some(Cow::Borrowed(encoded));
    }
    let spaced = encoded.replace('+', " ");
    let decoded = percent_decode(spaced.as_bytes()).decode_utf8();
    decoded.ok().map(|text| Cow::Owned(text.into_owned()))
}

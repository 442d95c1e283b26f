//! From a text to a document.

use serde::de::DeserializeOwned;
use serde_json::{Deserializer, Error};

/// A document, or what is wrong with its text.
pub(crate) fn parse<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    let not_json = |error: Error| format!("it is not JSON: {error}");
    let mut deserializer = Deserializer::from_str(text);
    let document = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let path = error.path().to_string();
        match error.into_inner() {
            error if !error.is_data() => not_json(error),
            error if path == "." => in_terms_of_json(&error),
            error => format!("{path}: {}", in_terms_of_json(&error)),
        }
    })?;
    deserializer.end().map_err(not_json)?;
    // An array with the values of all fields would do as well.
    if !text.trim_start().starts_with('{') {
        return Err("it is not an object".into());
    }
    Ok(document)
}

/// What a value should have been, for readers who do not write Rust.
fn in_terms_of_json(error: &Error) -> String {
    let place = format!(" at line {} column {}", error.line(), error.column());
    let message = error.to_string();
    let message = message.strip_suffix(&place).unwrap_or(&message);
    let Some((found, expected)) = message.rsplit_once(", expected ") else {
        return message.to_owned();
    };
    let expected = match expected {
        "f64" => "a number",
        "usize" | "u16" => "a whole number",
        "a sequence" => "an array",
        expected if expected.starts_with("struct ") => "an object",
        expected => expected,
    };
    format!("{found}, expected {expected}")
}

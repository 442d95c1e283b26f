//! Numbers as people write them: which are plain, and what is wrong with the others.

/// The value of a plain decimal number: digits, a point with digits, an exponent. Nothing else,
/// so that a file says the same to every program that reads it.
pub(crate) fn plain(text: &str) -> Option<f64> {
    short(text.as_bytes()).or_else(|| any_plain(text))
}

/// The powers of ten that a float holds exactly, as far as short numbers need them.
const POWERS: [f64; 16] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];

/// The value of at most 15 digits with a point among them: what most cells of a series are, in one
/// pass. Both sides of the division are exact, so its result is the float nearest to the decimals,
/// as it is for any other number.
fn short(text: &[u8]) -> Option<f64> {
    if text.len() > POWERS.len() {
        return None;
    }
    let (mut digits, mut point) = (0_u64, None);
    for (at, byte) in text.iter().enumerate() {
        match byte {
            b'0'..=b'9' => digits = digits * 10 + u64::from(byte - b'0'),
            b'.' if point.is_none() && at > 0 => point = Some(at),
            _ => return None,
        }
    }
    let decimals = match point {
        Some(at) if at + 1 == text.len() => return None,
        Some(at) => text.len() - at - 1,
        None => 0,
    };
    let count = text.len() - usize::from(point.is_some());
    if (1..POWERS.len()).contains(&count) { Some(digits as f64 / POWERS[decimals]) } else { None }
}

fn any_plain(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix('-').unwrap_or(text).as_bytes();
    let after_whole = after_digits(unsigned)?;
    let after_fraction = match after_whole.strip_prefix(b".") {
        Some(fraction) => after_digits(fraction)?,
        None => after_whole,
    };
    let rest = match after_fraction {
        [b'e' | b'E', b'+' | b'-', exponent @ ..] | [b'e' | b'E', exponent @ ..] => {
            after_digits(exponent)?
        }
        rest => rest,
    };
    if rest.is_empty() { text.parse().ok() } else { None }
}

/// What follows one digit or more.
fn after_digits(text: &[u8]) -> Option<&[u8]> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 { None } else { Some(&text[digits..]) }
}

/// What is wrong with a number that is not plain, in words that say how it would be right. None
/// where the text does not look like a number.
pub(crate) fn slip(text: &str) -> Option<String> {
    let (sign, unsigned) = match text.strip_prefix('-') {
        Some(unsigned) => ("-", unsigned),
        None => ("", text),
    };
    let looks_plain = |text: &str| plain(text).is_some();
    if let Some(currency) = unsigned.chars().next().filter(|first| "$€£¥".contains(*first)) {
        return Some(format!("{text} has a {currency}; a number is written without a unit"));
    }
    if let Some(number) = text.strip_suffix('%').filter(|rest| rest.contains(digit)) {
        let number = number.trim_end();
        return Some(format!("{text} has a %; a number is written without a unit: {number}"));
    }
    if let Some(slip) = comma(text) {
        return Some(slip);
    }
    if unsigned.starts_with('.') && looks_plain(&format!("0{unsigned}")) {
        return Some(format!(
            "{text} has no digit before its point; it is written {sign}0{unsigned}"
        ));
    }
    if text.ends_with('.') && looks_plain(&format!("{text}0")) {
        return Some(format!("{text} has no digit behind its point; it is written {text}0"));
    }
    if let Some(number) = unsigned.strip_prefix('+').filter(|number| looks_plain(number)) {
        return Some(format!("{text} has a +; it is written {number}"));
    }
    let joined = text.replace(['_', ' ', '\'', '’', '\u{a0}', '\u{202f}'], "");
    if joined != text && looks_plain(&joined) {
        return Some(format!("{text} has more than digits and a point; it is written {joined}"));
    }
    let whole = text.trim_start_matches('0');
    if whole != text && whole.starts_with(digit) && looks_plain(whole) {
        return Some(format!("{text} begins with a 0; it is written {whole}"));
    }
    let number = text.trim_end_matches(|char: char| char.is_alphabetic() || " /°".contains(char));
    if number != text && looks_plain(number) {
        return Some(format!("{text} has a unit; a number is written without one: {number}"));
    }
    None
}

fn digit(char: char) -> bool {
    char.is_ascii_digit()
}

/// A comma within a number: for decimals, for thousands, or for either.
fn comma(text: &str) -> Option<String> {
    let groups: Vec<&str> = text.strip_prefix('-').unwrap_or(text).split(',').collect();
    let [first, between @ .., last] = &groups[..] else { return None };
    let is_whole = |text: &str| !text.is_empty() && text.chars().all(digit);
    let without = text.replace(',', "");
    if text.contains('.') {
        // Points may stand between thousands and a comma before the decimals, or the other way.
        let decimals_last = text.rfind(',') > text.rfind('.');
        let written = if decimals_last { text.replace('.', "").replace(',', ".") } else { without };
        return plain(&written).map(|_| {
            format!("{text} has a thousands separator; thousands are not set apart: {written}")
        });
    }
    if !is_whole(first) || !is_whole(last) || !between.iter().all(|group| is_whole(group)) {
        return None;
    }
    Some(match (between, last.len()) {
        ([], 3) => format!(
            "{text} has a comma; thousands are not set apart and decimals have a point: {without} or {}",
            text.replace(',', ".")
        ),
        ([], _) => format!(
            "{text} has a decimal comma; decimals are written with a point: {}",
            text.replace(',', ".")
        ),
        _ => format!("{text} has a thousands separator; thousands are not set apart: {without}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_short_number_is_what_it_is_in_the_long_way(text in "-?[0-9]{0,17}[.]?[0-9]{0,17}(e[0-9])?") {
            let bits = |number: Option<f64>| number.map(f64::to_bits);
            prop_assert_eq!(bits(plain(&text)), bits(any_plain(&text)));
        }
    }

    #[test]
    fn a_plain_number_has_digits_a_point_and_an_exponent() {
        for (text, value) in
            [("1234.5", 1234.5), ("1.2e14", 1.2e14), ("0", 0.0), ("-3", -3.0), ("1E+2", 100.0)]
        {
            assert_eq!(plain(text), Some(value), "{text}");
        }
        for text in [
            "", "-", ".", ".5", "5.", "1e", "1e+", "1,5", "+5", " 5", "5 ", "inf", "nan", "1_000",
            "0x10", "１", "1.2.3", "--1", "1-", "NaN", "infinity", "5%",
        ] {
            assert_eq!(plain(text), None, "{text}");
        }
    }
}

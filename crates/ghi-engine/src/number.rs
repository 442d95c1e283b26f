//! Plain decimal numbers, and suggestions for other notations.

/// Characters that separate groups of digits.
const GROUP_SEPARATORS: [char; 6] = ['_', ' ', '\'', '’', '\u{a0}', '\u{202f}'];

/// Parses a plain decimal number: digits, a decimal point between digits, an exponent. Anything else is
/// refused, so that every program reads the same number.
pub(crate) fn parse_plain(text: &str) -> Option<f64> {
    let is_allowed = |byte: u8| byte.is_ascii_digit() || b".-+eE".contains(&byte);
    let digit = |char: char| char.is_ascii_digit();
    let is_plain = text.bytes().all(is_allowed)
        && !text.starts_with('+')
        && text
            .split_once('.')
            .is_none_or(|(whole, fraction)| whole.ends_with(digit) && fraction.starts_with(digit));
    if is_plain { text.parse().ok() } else { None }
}

/// Explains that a string is not a plain number, and suggests one. Returns `None` if the string does not look
/// like a number.
///
/// `1,24` means `1.24`, `$5` means `5`, and `1,000` means `1000` or `1.000`.
pub(crate) fn explain_notation(text: &str) -> Option<String> {
    let is_unit = |char: char| char.is_alphabetic() || "%/°;, ".contains(char);
    let number = text.trim_end_matches(is_unit).trim_start_matches(['$', '€', '£', '¥', '+']);
    let number = number.replace(GROUP_SEPARATORS, "");
    let without_commas = number.replace(',', "");
    let is_decimal_comma =
        number.matches(',').count() == 1 && number.rfind(',') > number.rfind('.');
    let readings = match number.rsplit_once(',') {
        Some((_, decimals)) if is_decimal_comma && decimals.len() == 3 && !number.contains('.') => {
            vec![without_commas, number.replace(',', ".")]
        }
        Some(_) if is_decimal_comma => vec![number.replace('.', "").replace(',', ".")],
        _ => vec![without_commas],
    };
    let readings: Vec<String> = readings.iter().map(|reading| canonical(reading)).collect();
    let is_meant = |reading: &String| reading != text && parse_plain(reading).is_some();
    readings
        .iter()
        .all(is_meant)
        .then(|| format!("{text} is not a plain number; did you mean {}?", readings.join(" or ")))
}

/// Adds a missing digit before or after the decimal point, and drops leading zeros.
fn canonical(number: &str) -> String {
    let (sign, digits) = match number.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", number),
    };
    let significant = digits.trim_start_matches('0');
    let needs_zero = significant.is_empty() || significant.starts_with(['.', 'e', 'E']);
    let zero = if needs_zero && digits.starts_with(['0', '.']) { "0" } else { "" };
    let end = if number.ends_with('.') { "0" } else { "" };
    format!("{sign}{zero}{significant}{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_number_has_digits_a_point_and_an_exponent() {
        for (text, value) in
            [("1234.5", 1234.5), ("1.2e14", 1.2e14), ("0", 0.0), ("-3", -3.0), ("1E+2", 100.0)]
        {
            assert_eq!(parse_plain(text), Some(value), "{text}");
        }
        for text in [
            "", "-", ".", ".5", "5.", "1e", "1e+", "1,5", "+5", " 5", "5 ", "inf", "nan", "1_000",
            "0x10", "１", "1.2.3", "--1", "1-", "NaN", "infinity", "5%", "5.e3", "-.5", "e5",
            "1e.5",
        ] {
            assert_eq!(parse_plain(text), None, "{text}");
        }
    }

    #[test]
    fn other_notations_get_a_suggestion() {
        for (text, meant) in [
            ("1,24", "1.24"),
            ("1,000", "1000 or 1.000"),
            ("1,000,000", "1000000"),
            ("1.000,50", "1000.50"),
            ("1,000.50", "1000.50"),
            ("-1,5", "-1.5"),
            ("1 000", "1000"),
            ("1_000", "1000"),
            ("1\u{a0}000", "1000"),
            ("$1.24", "1.24"),
            ("24 %", "24"),
            ("1.24 USD", "1.24"),
            (".05", "0.05"),
            ("-.05", "-0.05"),
            ("5.", "5.0"),
            ("01.24", "1.24"),
            ("00", "0"),
            ("+5", "5"),
            ("1.24,", "1.24"),
            ("1.24;", "1.24"),
        ] {
            let expected = format!("{text} is not a plain number; did you mean {meant}?");
            assert_eq!(explain_notation(text), Some(expected), "{text}");
        }
        for text in ["", "much", "1.2.3", "n/a", "%", "$", "2025-10-03", "nan"] {
            assert_eq!(explain_notation(text), None, "{text}");
        }
    }
}

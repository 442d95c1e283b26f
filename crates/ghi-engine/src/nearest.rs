//! What somebody meant who wrote a name that nobody knows.

/// Names longer than this are no slip of a known one, characters.
const LONGEST: usize = 48;

/// The known name that is nearest to this one, where one is near: some letters off, or only begun.
pub(crate) fn nearest(name: &str, known: &[&'static str]) -> Option<&'static str> {
    if name.chars().nth(LONGEST).is_some() {
        return None;
    }
    let letters = name.to_lowercase();
    let slips = |known: &&str| distance(&letters, known);
    let best = known.iter().copied().min_by_key(slips)?;
    let is_begun = |known: &&str| letters.len() >= 3 && known.starts_with(&letters);
    if distance(&letters, best) <= 1.max(letters.chars().count() / 3) {
        return Some(best);
    }
    known.iter().copied().find(is_begun)
}

/// How many letters have to be added, taken away or replaced to get from one text to the other.
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (index, letter) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = index + 1;
        for (place, other) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != *other);
            diagonal = row[place + 1];
            row[place + 1] = replaced.min(diagonal + 1).min(row[place] + 1);
        }
    }
    row[to.len()]
}

/// Names as a sentence lists them: `a, b and c`.
pub(crate) fn listed(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [name] => (*name).to_owned(),
        [names @ .., last] => format!("{} and {last}", names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_has_a_nearest_name_and_a_stranger_has_none() {
        let known = ["hashrate_eh", "overhead", "fee_usd"];
        for (name, expected) in [
            ("overhaed", Some("overhead")),
            ("Overhead", Some("overhead")),
            ("hashrate", Some("hashrate_eh")),
            ("fee_us", Some("fee_usd")),
            ("fee-usd", Some("fee_usd")),
            ("colour", None),
            ("", None),
            ("x", None),
        ] {
            assert_eq!(nearest(name, &known), expected, "{name}");
        }
        assert_eq!(nearest(&"overhead".repeat(9), &known), None);
    }

    #[test]
    fn names_are_listed_as_in_a_sentence() {
        assert_eq!(listed(&["a"]), "a");
        assert_eq!(listed(&["a", "b", "c"]), "a, b and c");
    }
}

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

/// How many letters have to be added, taken away, replaced or swapped with their neighbour to get
/// from one text to the other.
fn distance(from: &str, to: &str) -> usize {
    let [from, to] = [from, to].map(|text| text.chars().collect::<Vec<char>>());
    let mut rows = vec![(0..=to.len()).collect::<Vec<usize>>()];
    for i in 1..=from.len() {
        let mut row = vec![i];
        for j in 1..=to.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(from[i - 1] != to[j - 1]);
            let mut best = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[from.len()][to.len()]
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
            ("ovrehaed", Some("overhead")),
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

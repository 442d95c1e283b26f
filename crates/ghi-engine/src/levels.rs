//! Three levels of a kind, from the cheapest to the dearest: best, mean and worst, or low, mean and
//! high.

/// That three levels are not in their order.
pub(crate) fn not_rising(field: &str, names: [&str; 3], levels: [f64; 3]) -> String {
    let [a, b, c] = names;
    let [x, y, z] = levels;
    format!("{field} must not fall from {a} to {b} to {c}, but is {x}, {y}, {z}")
}

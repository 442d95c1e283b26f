//! Labels at the ends of lines, moved apart if they would overlap.

use crate::svg::width_of;

/// The height of a label, in pixels.
pub(crate) const LABEL_HEIGHT: f64 = 16.0;

/// The factor by which bold letters are wider.
pub(crate) const BOLD: f64 = 1.1;

/// The label at the end of a line.
pub(crate) struct EndLabel {
    /// The vertical position of the line's end, in pixels.
    pub(crate) at: f64,
    pub(crate) text: String,
    /// The name of the line, if the script shows the costs of its days here.
    pub(crate) name: Option<String>,
    pub(crate) colour: &'static str,
    pub(crate) is_bold: bool,
}

impl EndLabel {
    /// Returns the width in pixels.
    pub(crate) fn width(&self) -> f64 {
        width_of(&self.text) * if self.is_bold { BOLD } else { 1.0 }
    }
}

/// A block of labels that touch each other.
struct LabelBlock {
    /// The sum of the starts that would put each label at its ideal position.
    wanted: f64,
    labels: usize,
}

impl LabelBlock {
    fn height(&self) -> f64 {
        LABEL_HEIGHT * self.labels as f64
    }

    /// Returns the middle of the first label, such that all labels are as near as possible to their ideal
    /// positions.
    fn start(&self, [top, bottom]: [f64; 2]) -> f64 {
        let last = bottom - self.height() + LABEL_HEIGHT;
        (self.wanted / self.labels as f64).min(last).max(top)
    }
}

/// Moves labels apart, within bounds and as little as possible. Returns the middle of each label, ordered
/// by ideal position.
pub(crate) fn spread_out(heights: &[f64], bounds: [f64; 2]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..heights.len()).collect();
    order.sort_by(|a, b| heights[*a].total_cmp(&heights[*b]));
    let mut blocks: Vec<LabelBlock> = Vec::new();
    for label in &order {
        let mut block = LabelBlock { wanted: heights[*label], labels: 1 };
        let overlaps = |above: &LabelBlock, block: &LabelBlock| {
            above.start(bounds) + above.height() > block.start(bounds)
        };
        while let Some(above) = blocks.pop_if(|above| overlaps(above, &block)) {
            // The labels of the lower block begin where the upper one ends.
            let wanted = above.wanted + block.wanted - above.height() * block.labels as f64;
            block = LabelBlock { wanted, labels: above.labels + block.labels };
        }
        blocks.push(block);
    }
    let middles = blocks.iter().flat_map(|block| {
        let start = block.start(bounds);
        (0..block.labels).map(move |index| start + LABEL_HEIGHT * index as f64)
    });
    let mut placed = vec![0.0; heights.len()];
    for (label, middle) in order.into_iter().zip(middles) {
        placed[label] = middle;
    }
    placed
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn labels_move_to_both_sides() {
        assert_eq!(spread_out(&[100.0, 50.0], [8.0, 300.0]), [100.0, 50.0]);
        assert_eq!(spread_out(&[100.0, 104.0], [8.0, 300.0]), [94.0, 110.0]);
        assert_eq!(spread_out(&[104.0, 100.0, 102.0], [8.0, 300.0]), [118.0, 86.0, 102.0]);
        assert_eq!(spread_out(&[0.0, 4.0], [8.0, 300.0]), [8.0, 24.0]);
        assert_eq!(spread_out(&[300.0, 300.0], [8.0, 300.0]), [284.0, 300.0]);
    }

    proptest! {
        #[test]
        fn no_labels_overlap_or_leave_their_bounds(heights in prop::collection::vec(-50.0..350.0, 0..8_usize)) {
            let bounds = [8.0, 260.0];
            let mut placed = spread_out(&heights, bounds);
            for at in &placed {
                prop_assert!((bounds[0]..=bounds[1] + 1e-9).contains(at), "{placed:?}");
            }
            placed.sort_by(f64::total_cmp);
            for pair in placed.windows(2) {
                prop_assert!(pair[1] - pair[0] > LABEL_HEIGHT - 1e-6, "{placed:?}");
            }
        }
    }
}

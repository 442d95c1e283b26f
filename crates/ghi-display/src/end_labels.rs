//! The positions of labels next to lines, moved apart if they would overlap.

pub(crate) const LABEL_HEIGHT: f64 = 16.0;

/// The factor by which bold letters are wider.
pub(crate) const BOLD: f64 = 1.1;

/// Moves labels apart, within bounds and as little as possible. Returns the middle of each label.
pub(crate) fn spread_out(heights: &[f64], [top, bottom]: [f64; 2]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..heights.len()).collect();
    order.sort_by(|a, b| heights[*a].total_cmp(&heights[*b]));
    // Blocks of labels that touch each other: the sum of the starts that would put each label at its ideal
    // position, and how many labels there are.
    let mut blocks: Vec<(f64, usize)> = Vec::new();
    let height = |labels: usize| LABEL_HEIGHT * labels as f64;
    // The middle of the first label, such that all are as near as possible to their ideal positions.
    let start = |(wanted, labels): (f64, usize)| {
        let last = bottom - height(labels) + LABEL_HEIGHT;
        (wanted / labels as f64).min(last).max(top)
    };
    for label in &order {
        let mut block = (heights[*label], 1);
        let overlaps =
            |above: &mut (f64, usize), block| start(*above) + height(above.1) > start(block);
        while let Some(above) = blocks.pop_if(|above| overlaps(above, block)) {
            // The labels of the lower block begin where the upper one ends.
            block = (above.0 + block.0 - height(above.1) * block.1 as f64, above.1 + block.1);
        }
        blocks.push(block);
    }
    let labels = |block: (f64, usize)| (0..block.1).map(move |at| start(block) + height(at));
    let mut placed = vec![0.0; heights.len()];
    for (label, middle) in order.into_iter().zip(blocks.into_iter().flat_map(labels)) {
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

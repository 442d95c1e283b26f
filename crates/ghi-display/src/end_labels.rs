//! Labels at the ends of lines, moved apart where they would overlap.

/// The height of a label, in pixels.
pub(crate) const LABEL_HEIGHT: f64 = 16.0;

/// Labels that touch, and stand above each other as one block.
struct Block {
    /// The sum of where the block would have to begin for each label to stand where it should.
    wanted: f64,
    labels: usize,
}

impl Block {
    fn height(&self) -> f64 {
        LABEL_HEIGHT * self.labels as f64
    }

    /// Where its first label's middle stands, as near as possible to what all of them want.
    fn start(&self, [top, bottom]: [f64; 2]) -> f64 {
        let last = bottom - self.height() + LABEL_HEIGHT;
        (self.wanted / self.labels as f64).min(last).max(top)
    }
}

/// Where the middles of labels stand that should stand at some heights, in the order of those: as near
/// as possible, and as far apart as they are high, between two heights.
pub(crate) fn placed(heights: &[f64], bounds: [f64; 2]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..heights.len()).collect();
    order.sort_by(|a, b| heights[*a].total_cmp(&heights[*b]));
    let mut blocks: Vec<Block> = Vec::new();
    for label in &order {
        let mut block = Block { wanted: heights[*label], labels: 1 };
        while let Some(above) =
            blocks.pop_if(|above| above.start(bounds) + above.height() > block.start(bounds))
        {
            // The labels of the lower block begin where the upper one ends.
            let wanted = above.wanted + block.wanted - above.height() * block.labels as f64;
            block = Block { wanted, labels: above.labels + block.labels };
        }
        blocks.push(block);
    }
    let starts = blocks.iter().flat_map(|block| {
        let start = block.start(bounds);
        (0..block.labels).map(move |place| start + LABEL_HEIGHT * place as f64)
    });
    let mut placed = vec![0.0; heights.len()];
    for (label, at) in order.into_iter().zip(starts) {
        placed[label] = at;
    }
    placed
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn labels_give_way_to_both_sides() {
        assert_eq!(placed(&[100.0, 50.0], [8.0, 300.0]), [100.0, 50.0]);
        assert_eq!(placed(&[100.0, 104.0], [8.0, 300.0]), [94.0, 110.0]);
        assert_eq!(placed(&[104.0, 100.0, 102.0], [8.0, 300.0]), [118.0, 86.0, 102.0]);
        assert_eq!(placed(&[0.0, 4.0], [8.0, 300.0]), [8.0, 24.0]);
        assert_eq!(placed(&[300.0, 300.0], [8.0, 300.0]), [284.0, 300.0]);
    }

    proptest! {
        #[test]
        fn no_two_overlap_and_none_is_outside(heights in prop::collection::vec(-50.0..350.0, 0..8_usize)) {
            let bounds = [8.0, 260.0];
            let mut placed = placed(&heights, bounds);
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

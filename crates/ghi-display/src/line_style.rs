//! The colours and widths of lines.

use ghi_engine::{RegionIndex, Scope};

/// The style of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LineStyle {
    /// The name of a colour in the stylesheet.
    pub(crate) colour: &'static str,
    /// The width in pixels.
    pub(crate) width: f64,
    /// Whether it is dashed, so that it differs from its neighbour without colour.
    pub(crate) is_dashed: bool,
}

/// The colours of regions.
const COLOURS: [&str; 5] = ["line-1", "line-2", "line-3", "line-4", "line-5"];

/// Returns the colour of a region that is shown alone, by its name in the stylesheet.
pub fn region_colour(region: RegionIndex) -> &'static str {
    COLOURS[region.get() % COLOURS.len()]
}

impl LineStyle {
    /// Returns the line styles of these scopes, one of which the reader may have chosen.
    pub(crate) fn of(scopes: &[Scope], chosen: Option<Scope>) -> Vec<Self> {
        let indices = scopes.iter().filter_map(|scope| match scope {
            Scope::Global => None,
            Scope::Region(region) => Some(region.get()),
        });
        let colours = colours(&indices.collect::<Vec<_>>());
        // The worldwide line is not dashed, so the first region next to it is.
        let first = usize::from(scopes.contains(&Scope::Global));
        let mut colours = std::iter::zip(first.., colours);
        let style = |scope: &Scope| match scope {
            Scope::Global => Self { colour: "average", width: 3.0, is_dashed: false },
            Scope::Region(_) => {
                let (place, colour) = colours.next().unwrap_or((0, COLOURS[0]));
                let width = if chosen == Some(*scope) { 2.5 } else { 1.75 };
                Self { colour, width, is_dashed: place % 2 == 1 }
            }
        };
        scopes.iter().map(style).collect()
    }
}

/// Returns the colours of regions, given by their indices in the registry. A region has the colour of
/// its index, so that it looks the same in every chart. If two have the same colour, the second takes the
/// next free one.
fn colours(regions: &[usize]) -> Vec<&'static str> {
    let count = COLOURS.len();
    let mut sorted = regions.to_vec();
    sorted.sort_unstable();
    // The region of each colour.
    let mut taken = [None; COLOURS.len()];
    for &index in &sorted {
        taken[index % count].get_or_insert(index);
    }
    for &index in &sorted {
        let free = (index..index + count).map(|colour| colour % count);
        let free = free.into_iter().find(|colour| taken[*colour].is_none());
        if let (Some(free), false) = (free, taken.contains(&Some(index))) {
            taken[free] = Some(index);
        }
    }
    // If there are more regions than colours, some look the same.
    let colour = |index: &usize| {
        let own = taken.iter().position(|region| *region == Some(*index));
        COLOURS[own.unwrap_or(index % count)]
    };
    regions.iter().map(colour).collect()
}

#[cfg(test)]
mod tests {
    use ghi_engine::{Inputs, Model};

    use super::*;

    #[test]
    fn a_region_has_the_colour_of_its_index_in_every_chart() {
        assert_eq!(colours(&[0, 1, 2, 3, 4]), COLOURS);
        assert_eq!(colours(&[3, 1]), ["line-4", "line-2"]);
        assert_eq!(colours(&[2]), ["line-3"]);
        assert_eq!(colours(&[7, 4]), ["line-3", "line-5"]);
    }

    #[test]
    fn the_second_of_two_regions_with_the_same_colour_takes_a_free_one() {
        assert_eq!(colours(&[0, 5]), ["line-1", "line-2"]);
        assert_eq!(colours(&[5, 0]), ["line-2", "line-1"]);
        assert_eq!(colours(&[5, 0, 1]), ["line-3", "line-1", "line-2"]);
        assert_eq!(colours(&[29, 28, 4, 9]), ["line-2", "line-4", "line-5", "line-1"]);
        assert_eq!(colours(&[4, 4]), ["line-5", "line-5"]);
        let six = ["line-1", "line-2", "line-3", "line-4", "line-5", "line-1"];
        assert_eq!(colours(&[0, 1, 2, 3, 4, 5]), six);
    }

    #[test]
    fn worldwide_is_thickest_and_the_chosen_region_is_thicker_than_others() {
        let model = Model::new(Inputs::default());
        let regions = model.registry().indices().map(Scope::Region);
        let scopes: Vec<Scope> = std::iter::once(Scope::Global).chain(regions).collect();
        let styles = LineStyle::of(&scopes, Some(scopes[1]));
        let widths: Vec<f64> = styles.iter().map(|style| style.width).collect();
        assert_eq!(widths, [3.0, 2.5, 1.75, 1.75]);
        let is_dashed = |styles: &[LineStyle]| styles.iter().map(|style| style.is_dashed).collect();
        let dashed: [Vec<bool>; 2] =
            [is_dashed(&styles), is_dashed(&LineStyle::of(&scopes[1..], None))];
        assert_eq!(dashed[0], [false, true, false, true], "neighbours differ");
        assert_eq!(dashed[1], [false, true, false]);
    }
}

//! The colours and widths of lines.

use ghi_engine::{RegionIndex, Scope};

use crate::end_labels::BOLD;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LineStyle {
    /// The name of a colour in the stylesheet.
    pub(crate) colour: &'static str,
    pub(crate) width: f64,
    /// Whether it is dashed, so that it differs from its neighbour without colour.
    pub(crate) is_dashed: bool,
}

/// The colours of regions, by their index in the registry. With more regions, some look the same.
const COLOURS: [&str; 12] = [
    "line-1", "line-2", "line-3", "line-4", "line-5", "line-6", "line-7", "line-8", "line-9",
    "line-10", "line-11", "line-12",
];

/// Returns the colour of a region in every chart and list, by its name in the stylesheet.
pub fn region_colour(region: RegionIndex) -> &'static str {
    COLOURS[region.get() % COLOURS.len()]
}

impl LineStyle {
    /// Returns the line styles of these scopes. The one that the reader chose is thick. The others
    /// alternate between dashed and solid.
    pub(crate) fn of(scopes: impl Iterator<Item = Scope>, chosen: Option<Scope>) -> Vec<Self> {
        let mut is_dashed = chosen.is_none();
        let style = |scope: Scope| {
            let colour = match scope {
                Scope::Global => "average",
                Scope::Region(region) => region_colour(region),
            };
            if chosen == Some(scope) {
                return Self { colour, width: 3.0, is_dashed: false };
            }
            is_dashed = !is_dashed;
            Self { colour, width: 1.75, is_dashed }
        };
        scopes.map(style).collect()
    }

    pub(crate) fn is_bold(self) -> bool {
        self.width >= 3.0
    }

    /// Returns the factor by which the letters of the name are wider than usual.
    pub(crate) fn letter_width(self) -> f64 {
        if self.is_bold() { BOLD } else { 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use ghi_engine::{Inputs, Model};

    use super::*;

    #[test]
    fn regions_have_different_colours() {
        let model = Model::new(Inputs::default());
        let colours: Vec<&str> = model.registry().indices().map(region_colour).collect();
        assert_eq!(colours, ["line-1", "line-2", "line-3"]);
    }

    #[test]
    fn the_chosen_line_is_thick_and_neighbours_differ() {
        let model = Model::new(Inputs::default());
        let regions = model.registry().indices().map(Scope::Region);
        let scopes: Vec<Scope> = std::iter::once(Scope::Global).chain(regions).collect();
        for chosen in [0, 1, 3] {
            let styles = LineStyle::of(scopes.iter().copied(), Some(scopes[chosen]));
            let thick = styles.iter().position(|style| style.width == 3.0);
            assert_eq!((thick, styles[chosen].is_dashed), (Some(chosen), false));
            let others = styles.iter().filter(|style| style.width < 3.0);
            let dashed: Vec<bool> = others.map(|style| style.is_dashed).collect();
            assert_eq!(dashed, [true, false, true]);
        }
        let styles = LineStyle::of(scopes[..2].iter().copied(), None);
        let dashed = styles.into_iter().map(|style| style.is_dashed);
        assert_eq!(dashed.collect::<Vec<_>>(), [false, true]);
    }
}

//! How the lines of a chart are drawn.

use std::collections::{BTreeMap, BTreeSet};

/// What a line is among others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The whole network.
    Worldwide,
    /// A region.
    Region {
        /// Its place in the registry.
        place: usize,
        /// Whether the reader chose it.
        is_chosen: bool,
    },
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pen {
    pub(crate) colour: &'static str,
    pub(crate) width: f64,
}

/// The colours of regions.
const COLOURS: [&str; 5] = ["line-1", "line-2", "line-3", "line-4", "line-5"];

impl Pen {
    /// The pens of some lines.
    pub(crate) fn of(roles: &[Role]) -> Vec<Self> {
        let colours = colours(roles);
        let pen = |role: &Role| match *role {
            Role::Worldwide => Self { colour: "average", width: 3.0 },
            Role::Region { place, is_chosen } => {
                Self { colour: COLOURS[colours[&place]], width: if is_chosen { 2.5 } else { 1.75 } }
            }
        };
        roles.iter().map(pen).collect()
    }
}

/// The colours of some regions by their places in the registry: the one of its place, so that a region
/// looks alike wherever it is shown. Where two would have the same, the later takes the next that none
/// of the others has.
fn colours(roles: &[Role]) -> BTreeMap<usize, usize> {
    let mut colours = BTreeMap::new();
    let mut is_free = [true; COLOURS.len()];
    let places: BTreeSet<usize> = roles.iter().filter_map(|role| role.place()).collect();
    let (own, others): (Vec<usize>, Vec<usize>) =
        places.into_iter().partition(|place| std::mem::take(&mut is_free[place % COLOURS.len()]));
    colours.extend(own.into_iter().map(|place| (place, place % COLOURS.len())));
    for place in others {
        let mut next = (place..place + COLOURS.len()).map(|colour| colour % COLOURS.len());
        // Of more regions than colours, some look alike.
        let colour = next.find(|colour| is_free[*colour]).unwrap_or(place % COLOURS.len());
        is_free[colour] = false;
        colours.insert(place, colour);
    }
    colours
}

impl Role {
    fn place(self) -> Option<usize> {
        match self {
            Self::Worldwide => None,
            Self::Region { place, .. } => Some(place),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(places: &[usize], expected: &[&str]) {
        let role = |place: &usize| Role::Region { place: *place, is_chosen: false };
        let roles: Vec<Role> = places.iter().map(role).collect();
        let colours: Vec<&str> = Pen::of(&roles).iter().map(|pen| pen.colour).collect();
        assert_eq!(colours, expected);
    }

    #[test]
    fn a_region_has_the_colour_of_its_place_whatever_is_beside_it() {
        check(&[0, 1, 2, 3, 4], &["line-1", "line-2", "line-3", "line-4", "line-5"]);
        check(&[3, 1], &["line-4", "line-2"]);
        check(&[2], &["line-3"]);
        check(&[7, 4], &["line-3", "line-5"]);
    }

    #[test]
    fn the_later_of_two_regions_of_one_colour_takes_one_that_is_free() {
        check(&[0, 5], &["line-1", "line-2"]);
        check(&[5, 0], &["line-2", "line-1"]);
        check(&[5, 0, 1], &["line-3", "line-1", "line-2"]);
        check(&[29, 28, 4, 9], &["line-2", "line-4", "line-5", "line-1"]);
        check(&[4, 4], &["line-5", "line-5"]);
        check(&[0, 1, 2, 3, 4, 5], &["line-1", "line-2", "line-3", "line-4", "line-5", "line-1"]);
    }

    #[test]
    fn worldwide_is_the_thickest_and_a_chosen_region_thicker_than_others() {
        let [chosen, other] = [true, false]
            .map(|is_chosen| Role::Region { place: usize::from(is_chosen), is_chosen });
        let widths = Pen::of(&[Role::Worldwide, chosen, other]).into_iter().map(|pen| pen.width);
        assert_eq!(widths.collect::<Vec<_>>(), [3.0, 2.5, 1.75]);
    }
}

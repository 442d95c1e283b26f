//! The numbers that a reader enters instead of the averages.

use ghi_engine::{Variable, WhatIf};

use crate::http::problem::Problem;
use crate::http::query::Query;
use crate::routes::parameters::parsed;

/// The values given in the URL, in the order of [`WhatIf::VARIABLES`]. Missing ones default to today's.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct WhatIfInput([Option<f64>; 4]);

impl WhatIfInput {
    /// No values.
    pub(crate) const NONE: Self = Self([None; 4]);

    /// Parses the query of a page. Invalid values are passed to `failed`, with their names. An efficiency in J/MH
    /// replaces one in J/TH.
    pub(crate) fn parse(query: &Query<'_>, mut failed: impl FnMut(&'static str, Problem)) -> Self {
        let mut given = Self::NONE;
        for (value, variable) in given.0.iter_mut().zip(WhatIf::VARIABLES) {
            match parse(query, &variable) {
                Ok(number) => *value = number,
                Err(problem) => failed(variable.name, problem),
            }
        }
        match parse(query, &WhatIf::J_PER_MH) {
            Ok(Some(j_per_mh)) => given = given.with_efficiency((1e12 * j_per_mh).round() / 1e6),
            Ok(None) => {}
            Err(problem) => failed(WhatIf::J_PER_MH.name, problem),
        }
        given
    }

    /// Returns the given values, in the order of [`WhatIf::VARIABLES`].
    pub(crate) fn values(self) -> [Option<f64>; 4] {
        self.0
    }

    /// Returns the same values with another efficiency.
    pub(crate) fn with_efficiency(self, j_per_th: f64) -> Self {
        let [electricity, _, overhead, reward] = self.0;
        Self([electricity, Some(j_per_th), overhead, reward])
    }

    /// Returns the values to calculate with.
    pub(crate) fn or(self, today: &WhatIf) -> WhatIf {
        let today = today.values();
        WhatIf::new(std::array::from_fn(|place| self.0[place].unwrap_or(today[place])))
    }

    /// Returns the parameters that represent the values.
    pub(crate) fn fields(self) -> impl Iterator<Item = (&'static str, String)> {
        let given = WhatIf::VARIABLES.into_iter().zip(self.0);
        given.filter_map(|(variable, value)| Some((variable.name, value?.to_string())))
    }
}

fn parse(query: &Query<'_>, variable: &Variable) -> Result<Option<f64>, Problem> {
    let number = parsed(query, variable.name, |text| match text.trim() {
        "" => Ok(None),
        text => match text.parse().ok().filter(|number| variable.takes(*number)) {
            Some(number) => Ok(Some(number)),
            None => Err(format!("{variable}; leave it empty to use today's value.")),
        },
    });
    number.map(Option::flatten)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(query: &str) -> Result<WhatIfInput, Problem> {
        let mut first = Ok(());
        let failed = |_, problem| first = Err(problem);
        let given = WhatIfInput::parse(&Query::parse(Some(query)).unwrap(), failed);
        first.map(|()| given)
    }

    #[test]
    fn given_values_replace_todays() {
        let today = WhatIf::new([0.05, 20.0, 1.2, 3.125]);
        assert_eq!(parse("").unwrap().or(&today), today);
        assert_eq!(parse("overhead=&efficiency_j_per_th=%20").unwrap(), WhatIfInput::NONE);
        let given = parse("overhead=1.5&electricity_usd_per_kwh=5e-2&x=1").unwrap();
        assert_eq!(given.or(&today), WhatIf::new([0.05, 20.0, 1.5, 3.125]));
        assert_eq!(parse("efficiency_j_per_mh=2.05").unwrap().values()[1], Some(2.05e6));
        let fields: Vec<_> = given.fields().collect();
        assert_eq!(
            fields,
            [("electricity_usd_per_kwh", "0.05".to_owned()), ("overhead", "1.5".to_owned())]
        );
    }

    #[test]
    fn invalid_values_are_rejected_with_the_allowed_range() {
        for query in [
            "block_reward_coins=0",
            "block_reward_coins=-1",
            "block_reward_coins=NaN",
            "block_reward_coins=inf",
            "block_reward_coins=1e400",
            "block_reward_coins=three",
            "block_reward_coins=3,125",
            "block_reward_coins=1e10",
        ] {
            let problem = parse(query).unwrap_err();
            assert_eq!(
                problem.detail(),
                "block_reward_coins must be a number from 1e-6 to 1e9; leave it empty to use today's value.",
                "{query}"
            );
        }
        assert!(parse("overhead=1.1&overhead=1.2").is_err());
    }
}

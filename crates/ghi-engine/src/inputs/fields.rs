//! Checks the fields of an inputs file, and fills in their defaults.

use std::collections::HashSet;
use std::ops::Range;

use ghi_contract::{GLOBAL, REGION_ID_MAX, is_region_id};
use toml::Spanned;

use crate::calendar::{date_of, day_number, parse_date};
use crate::decimal::Decimal;
use crate::inputs::file::{
    CapitalTable, CoinTable, EfficiencyTable, ElectricityTable, InputsFile, MovementTable,
    NetworkTable, Number, RegionTable, RewardTable, SeriesTable,
};
use crate::inputs::{
    CapitalInputs, Coin, DecimalsInputs, Fingerprint, Inputs, MovementInputs, NetworkInputs,
    RegionInputs,
};
use crate::problems::{InputFile, Location, ProblemReport};
use crate::ranges::{self, EFFICIENCY_LEVELS, ELECTRICITY_LEVELS, LevelsField, ValidRange};
use crate::registry::{SHARE_DECIMALS, WHOLE_NETWORK_PCT};
use crate::series::{Series, SeriesFiles};
use crate::text::{is_invisible, visible};

/// The most regions that a network may have: twice as many as the largest public maps of miners.
pub(super) const REGIONS_MAX: usize = 256;

/// Bitcoin's block time in seconds.
const SECONDS_PER_BLOCK: f64 = 600.0;

/// Bitcoin's hashes per unit of difficulty, 2^32.
const HASHES_PER_DIFFICULTY: f64 = 4_294_967_296.0;

/// The time of Bitcoin's 2016 blocks in days.
const RETARGET_DAYS: f64 = 14.0;

/// The default number of decimals: cents, and hundredths of EH/s.
const DECIMALS: f64 = 2.0;

/// How many days a row of the network series is valid: a month, plus some time to publish the next
/// row.
const VALID_DAYS: f64 = 45.0;

/// The same for regions: a year, plus some time to publish the next row.
const REGIONS_VALID_DAYS: f64 = 400.0;

/// The longest symbol of a coin in characters.
const SYMBOL_MAX: usize = 10;

/// The longest name of a region or a coin in characters.
const NAME_MAX: usize = 64;

/// The longest name of a series file in characters.
const FILE_NAME_MAX: usize = 255;

/// The characters that start a formula in a spreadsheet, including their East Asian full-width forms.
const FORMULA_STARTS: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];

/// Reads a series file by its name. Returns its bytes, or why it cannot be read.
pub(super) type ReadFile<'a> = &'a mut dyn FnMut(&str) -> Result<Vec<u8>, String>;

/// The fields whose values may be too small or too large for the published decimals.
pub(super) struct Locations {
    pub(super) hashrate_eh: Location<'static>,
    pub(super) fee_usd: Location<'static>,
    pub(super) price_usd: Location<'static>,
    pub(super) capital: Location<'static>,
    /// The efficiency of each region.
    pub(super) regions: Vec<Location<'static>>,
}

/// Checks values, and reports the wrong ones with their lines.
pub(super) struct FieldChecks<'a> {
    text: &'a str,
    pub(super) problems: &'a ProblemReport,
    /// The byte at which each line but the first starts.
    line_starts: Vec<usize>,
}

impl<'a> FieldChecks<'a> {
    pub(super) fn new(text: &'a str, problems: &'a ProblemReport) -> Self {
        let newlines = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let line_starts = newlines.map(|(at, _)| at + 1).collect();
        Self { text, problems, line_starts }
    }

    /// The location of a part of the text.
    pub(super) fn location(&self, span: &Range<usize>) -> Location<'static> {
        Location::toml(Some(1 + self.line_starts.partition_point(|start| *start <= span.start)))
    }

    /// Reports a problem with a field. The message follows the field's name.
    fn report<T>(&self, field: &Spanned<T>, message: &str) {
        let span = field.span();
        let before = self.text[..span.start].trim_end_matches([' ', '\t', '=', '"', '\'']);
        let name = before.rsplit([' ', '\t', '\n', '{', ',', '[', '.', '"', '\'']).next();
        let name = name.unwrap_or_default();
        self.problems.add(self.location(&span), &format!("{name} {message}"));
    }

    /// Reports the value of a field.
    fn refuse<T>(&self, field: &Spanned<T>, expected: &str) {
        self.report(field, &format!("is {}; expected {expected}", &self.text[field.span()]));
    }

    fn number(&self, number: &Number, range: ValidRange) -> f64 {
        if !range.contains(*number.get_ref()) {
            self.refuse(number, &format!("a number {range}"));
            return range.min;
        }
        *number.get_ref()
    }

    fn number_or(&self, number: &Option<Number>, default: f64, range: ValidRange) -> f64 {
        number.as_ref().map_or(default, |number| self.number(number, range))
    }

    fn whole_or(&self, number: &Option<Number>, default: f64, range: ValidRange) -> f64 {
        let Some(number) = number else { return default };
        if !range.contains(*number.get_ref()) || number.get_ref().fract() != 0.0 {
            self.refuse(number, &format!("a whole number {range}"));
            return default;
        }
        *number.get_ref()
    }

    /// Checks every field, and reads the files that they name. The inputs have neither series nor a fingerprint
    /// yet.
    pub(super) fn read(
        &self,
        file: &InputsFile,
        read_file: Option<ReadFile<'_>>,
    ) -> (Inputs, SeriesFiles, Locations) {
        let decimals = &file.decimals;
        let capital = |capital: &Spanned<CapitalTable>| CapitalInputs {
            usd_per_th: self.number(&capital.get_ref().usd_per_th, ranges::USD_PER_TH),
            years: self.number(&capital.get_ref().years, ranges::YEARS),
        };
        let [usd, hashrate_eh] = [
            (&decimals.usd, ranges::DECIMALS_USD),
            (&decimals.hashrate_eh, ranges::DECIMALS_HASHRATE_EH),
        ]
        .map(|(number, range)| self.whole_or(number, DECIMALS, range) as u8);
        let inputs = Inputs {
            seed: file.seed,
            coin: self.coin(&file.coin),
            network: self.network(&file.network),
            decimals: DecimalsInputs { usd, hashrate_eh },
            movement: self.movement(&file.movement),
            capital: file.capital.as_ref().map(capital),
            regions: self.regions(file),
            series: Series::default(),
            fingerprint: Fingerprint::new([]),
        };
        (inputs, self.series_files(file.series.as_ref(), read_file), self.locations(file))
    }

    fn locations(&self, file: &InputsFile) -> Locations {
        let of = |number: &Number| self.location(&number.span());
        let NetworkTable { hashrate_eh, fee_usd, price_usd, .. } = &file.network;
        let capital = file.capital.as_ref();
        let efficiency = |region: &RegionTable| self.location(&region.efficiency_j_per_th.span());
        Locations {
            hashrate_eh: of(hashrate_eh),
            fee_usd: of(fee_usd),
            price_usd: price_usd.as_ref().map_or(Location::toml(None), of),
            capital: capital.map_or(Location::toml(None), |table| self.location(&table.span())),
            regions: file.region.get_ref().iter().map(efficiency).collect(),
        }
    }

    fn coin(&self, table: &CoinTable) -> Coin {
        let name = table.name.as_ref().map_or(Coin::default().name, |name| self.display_name(name));
        let is_symbol = |text: &str| {
            let is_allowed = text.bytes().all(|byte| byte.is_ascii_alphanumeric());
            (1..=SYMBOL_MAX).contains(&text.len()) && is_allowed
        };
        if let Some(symbol) = &table.symbol
            && !is_symbol(symbol.get_ref())
        {
            let allowed = format!("1 to {SYMBOL_MAX} characters from A-Z, a-z and 0-9");
            self.refuse(symbol, &allowed);
        }
        Coin { name, symbol: table.symbol.as_ref().map(|symbol| symbol.get_ref().clone()) }
    }

    fn network(&self, table: &NetworkTable) -> NetworkInputs {
        let hashes = &table.hashes_per_difficulty;
        let days = self.whole_or(&table.retarget_days, RETARGET_DAYS, ranges::RETARGET_DAYS);
        let price = |price| self.number(price, ranges::PRICE_USD);
        NetworkInputs {
            hashrate_eh: self.number(&table.hashrate_eh, ranges::HASHRATE_EH),
            block_reward_coins: self.number(&table.block_reward_coins, ranges::BLOCK_REWARD_COINS),
            fee_usd: self.number(&table.fee_usd, ranges::FEE_USD),
            seconds_per_block: self.number_or(
                &table.seconds_per_block,
                SECONDS_PER_BLOCK,
                ranges::SECONDS_PER_BLOCK,
            ),
            hashes_per_difficulty: self.number_or(
                hashes,
                HASHES_PER_DIFFICULTY,
                ranges::HASHES_PER_DIFFICULTY,
            ),
            retarget_days: (days as i64).max(1),
            price_usd: table.price_usd.as_ref().map(price),
            rewards: self.rewards(&table.reward),
        }
    }

    /// Checks the rewards, each with the day from which it applies.
    fn rewards(&self, tables: &[RewardTable]) -> Vec<(i64, f64)> {
        let mut previous = None;
        let reward = |RewardTable { from, coins }: &RewardTable| {
            let day = parse_date(from.get_ref()).map(day_number).ok();
            if day.is_none() {
                self.refuse(from, "a valid date in quotes such as \"2028-04-17\"");
            } else if let Some(previous) = previous.filter(|previous| day <= Some(*previous)) {
                self.refuse(from, &format!("a date after the previous one, {}", date_of(previous)));
            }
            previous = day;
            (day.unwrap_or_default(), self.number(coins, ranges::BLOCK_REWARD_COINS))
        };
        tables.iter().map(reward).collect()
    }

    /// Checks the movements, in percent of the base level.
    fn movement(&self, table: &MovementTable) -> MovementInputs {
        let range = |max| ValidRange { min: 0.0, max };
        MovementInputs {
            difficulty_pct: self.number(&table.difficulty_pct, range(50.0)),
            hashrate_pct: self.number(&table.hashrate_pct, range(30.0)),
            fee_pct: self.number(&table.fee_pct, range(90.0)),
            electricity_pct: self.number(&table.electricity_pct, range(50.0)),
            weekday_pct: self.number_or(&table.weekday_pct, 0.0, range(20.0)),
            spread_pct: self.number_or(&table.spread_pct, 0.0, range(90.0)),
            price_pct: self.number_or(&table.price_pct, 0.0, range(90.0)),
        }
    }

    /// Checks the regions. Returns none if one has problems.
    fn regions(&self, file: &InputsFile) -> Vec<RegionInputs> {
        let tables = file.region.get_ref();
        let Some(last) = tables.last() else {
            self.refuse(&file.region, "at least one [[region]]");
            return Vec::new();
        };
        if tables.len() > REGIONS_MAX {
            let location = self.location(&file.region.span());
            self.problems.add(location, &too_many_regions(tables.len()));
            return Vec::new();
        }
        let overhead = self.number(&file.network.overhead, ranges::OVERHEAD);
        let before = self.problems.count();
        let regions: Vec<_> = tables.iter().map(|table| self.region(table, overhead)).collect();
        let mut ids = HashSet::new();
        for table in tables.iter().filter(|table| !ids.insert(table.id.get_ref())) {
            self.refuse(&table.id, "an id that no other region has");
        }
        if self.problems.count() > before {
            return Vec::new();
        }
        let counts = regions.iter().map(|region| region.hashrate_share_pct.count());
        let sum = Decimal::new(counts.sum(), SHARE_DECIMALS);
        if sum != WHOLE_NETWORK_PCT {
            let sum = sum.to_f64();
            let location = self.location(&last.hashrate_share_pct.span());
            let message = format!(
                "the hashrate_share_pct values add up to {sum}; expected exactly 100 (reported at the last region)"
            );
            self.problems.add(location, &message);
        }
        regions
    }

    fn region(&self, table: &RegionTable, overhead: f64) -> RegionInputs {
        let RegionTable { id, efficiency_j_per_th, electricity_usd_per_kwh, .. } = table;
        let EfficiencyTable { best, mean, worst } = efficiency_j_per_th.get_ref();
        let efficiency = self.levels(efficiency_j_per_th, EFFICIENCY_LEVELS, [best, mean, worst]);
        let ElectricityTable { low, mean, high } = electricity_usd_per_kwh.get_ref();
        let electricity =
            self.levels(electricity_usd_per_kwh, ELECTRICITY_LEVELS, [low, mean, high]);
        if id.get_ref() == GLOBAL {
            self.refuse(id, "another id, because this one is reserved for worldwide data");
        } else if !is_region_id(id.get_ref()) {
            let allowed =
                format!("1 to {REGION_ID_MAX} of a-z, 0-9 and '-', starting with a letter");
            self.refuse(id, &allowed);
        }
        let share_pct = self.number(&table.hashrate_share_pct, ranges::HASHRATE_SHARE_PCT);
        let hashrate_share_pct = Decimal::nearest(share_pct, SHARE_DECIMALS);
        // Rounding doesn't change a share with at most two decimals.
        if hashrate_share_pct.to_f64() != share_pct {
            self.refuse(&table.hashrate_share_pct, "at most two decimals");
        }
        RegionInputs {
            id: id.get_ref().clone(),
            name: self.display_name(&table.name),
            hashrate_share_pct,
            efficiency_j_per_th: efficiency,
            electricity_usd_per_kwh: electricity,
            overhead: self.number_or(&table.overhead, overhead, ranges::OVERHEAD),
            electricity_line: self.location(&electricity_usd_per_kwh.span()).line(),
        }
    }

    fn levels<T>(&self, table: &Spanned<T>, field: LevelsField, numbers: [&Number; 3]) -> [f64; 3] {
        let before = self.problems.count();
        let values = numbers.map(|number| self.number(number, field.range));
        let problem = field.order_problem(values).filter(|_| self.problems.count() == before);
        if let Some(problem) = problem {
            self.report(table, &problem);
        }
        values
    }

    /// Checks the name of a region or a coin.
    fn display_name(&self, name: &Spanned<String>) -> String {
        let text = name.get_ref();
        if !is_printable(text, NAME_MAX) {
            self.report(name, &format!("must have 1 to {NAME_MAX} visible characters"));
        } else if text.trim() != text {
            self.report(name, "must not start or end with a space");
        } else if text.starts_with(FORMULA_STARTS) {
            self.report(name, "must not start with =, +, - or @, which start a formula");
        }
        text.clone()
    }

    fn series_files(
        &self,
        series: Option<&Spanned<SeriesTable>>,
        read_file: Option<ReadFile<'_>>,
    ) -> SeriesFiles {
        let none = SeriesFiles {
            network: None,
            regions: None,
            valid_days: VALID_DAYS as i64,
            regions_valid_days: REGIONS_VALID_DAYS as i64,
        };
        let Some(series) = series else { return none };
        let Some(read_file) = read_file else {
            let message =
                "[series] is only allowed in a file, because its paths are relative to it";
            self.problems.add(self.location(&series.span()), message);
            return none;
        };
        let table = series.get_ref();
        if table.network.is_none() && table.regions.is_none() {
            let message = "[series] names no file; expected network, regions or both";
            self.problems.add(self.location(&series.span()), message);
        }
        let days = |days, default| self.whole_or(days, default, ranges::VALID_DAYS) as i64;
        SeriesFiles {
            network: self.series_file(&table.network, InputFile::NetworkSeries, read_file),
            regions: self.series_file(&table.regions, InputFile::RegionSeries, read_file),
            valid_days: days(&table.valid_days, VALID_DAYS),
            regions_valid_days: days(&table.regions_valid_days, REGIONS_VALID_DAYS),
        }
    }

    fn series_file(
        &self,
        name: &Option<Spanned<String>>,
        file: InputFile,
        read_file: ReadFile<'_>,
    ) -> Option<Vec<u8>> {
        let field = name.as_ref()?;
        let name = field.get_ref();
        if !is_printable(name, FILE_NAME_MAX) {
            // In a string, "data\network.csv" has a line break.
            let hint =
                "in a path, write / or use single quotes, because a backslash starts an escape";
            let message = format!("must have 1 to {FILE_NAME_MAX} visible characters; {hint}");
            self.report(field, &message);
            return None;
        }
        self.problems.set_name(file, name);
        let bytes = read_file(name);
        if let Err(reason) = &bytes {
            self.report(field, &format!("{:?} cannot be read: {reason}", visible(name, NAME_MAX)));
        }
        bytes.ok()
    }
}

/// Whether a string can be displayed: not blank, not too long, and without invisible characters.
fn is_printable(text: &str, max: usize) -> bool {
    let is_long = text.chars().nth(max).is_some();
    !is_long && !text.trim().is_empty() && !text.chars().any(is_invisible)
}

/// The message for a file with too many regions.
pub(super) fn too_many_regions(count: usize) -> String {
    format!("the file has {count} regions; at most {REGIONS_MAX} are allowed")
}

//! The series that an inputs file names.

use crate::bounds;
use crate::inputs::syntax;
use crate::inputs::table::Table;
use crate::problems::{Place, Problems, Source};
use crate::series::SeriesFiles;
use crate::visible::{is_invisible, visible};

const FIELDS: [&str; 3] = ["network", "regions", "valid_days"];

/// How long the last row of a series holds, days, where the inputs do not say: a month, and some
/// time to publish the next.
const VALID_DAYS: i64 = 45;

/// The longest name of a file, characters.
const NAME_MAX: usize = 255;

/// What gives the bytes of a series by its name, or says why it cannot.
pub(super) type ReadSeries<'a> = &'a mut dyn FnMut(&str) -> Result<Vec<u8>, String>;

/// Reads the series that `[series]` names.
pub(super) fn read(
    root: &Table<'_>,
    read: Option<ReadSeries<'_>>,
    problems: &mut Problems,
) -> SeriesFiles {
    let mut files = SeriesFiles { network: None, regions: None, valid_days: VALID_DAYS };
    let Some(table) = root.table("series", &FIELDS, problems) else { return files };
    let here = root.place("series");
    let Some(read) = read else {
        problems.push(here, || {
            "[series] names files, which are found beside an inputs file; a text that is not read from a file must have no [series]".to_owned()
        });
        return files;
    };
    if let Some(days) = table.whole_or("valid_days", VALID_DAYS, bounds::VALID_DAYS, problems) {
        files.valid_days = days;
    }
    if table.get("network").is_none() && table.get("regions").is_none() {
        problems.push(here, || {
            "[series] names no file; it must have network, regions or both".to_owned()
        });
    }
    files.network = file("network", Source::Network, &table, read, problems);
    files.regions = file("regions", Source::Regions, &table, read, problems);
    files
}

fn file(
    field: &str,
    source: Source,
    table: &Table<'_>,
    read: &mut dyn FnMut(&str) -> Result<Vec<u8>, String>,
    problems: &mut Problems,
) -> Option<Vec<u8>> {
    table.get(field)?;
    let name = table.text(field, problems)?;
    let place: Place<'_> = table.place(field);
    let is_long = name.chars().nth(NAME_MAX).is_some();
    if is_long || name.trim().is_empty() || name.chars().any(is_invisible) {
        problems.push(place, || {
            // A path such as "data\network.csv" has the end of a line in it.
            let is_escape = name.contains(['\n', '\r', '\t', '\u{8}', '\u{c}', '\u{1b}']);
            let hint = if is_escape { format!("; {}", syntax::BACKSLASH) } else { String::new() };
            format!(
                "series.{field} must have 1 to {NAME_MAX} characters, all of them visible{hint}"
            )
        });
        return None;
    }
    problems.name(source, name);
    let bytes = read(name);
    if let Err(reason) = &bytes {
        problems.push(place, || {
            format!("series.{field} {:?} cannot be read: {reason}", visible(name, 64))
        });
    }
    bytes.ok()
}

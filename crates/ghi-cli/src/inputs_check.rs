//! `ghi inputs`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use ghi_engine::{DEFAULT_INPUTS, Explanation, Model, RegionContribution, Scope};

use crate::explain_table::mining;
use crate::inputs;
use crate::output::{print, print_error};
use crate::source::today;
use crate::text_table::{aligned, row};

/// How many regions are shown, the largest by hashrate.
const REGIONS_SHOWN: usize = 20;

/// What `ghi inputs` takes.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Check this TOML file, and show what its figures come to
    #[arg(long, value_name = "FILE")]
    check: Option<PathBuf>,
}

/// Prints the built-in inputs, or what a file comes to.
pub(crate) fn run(args: &Args) -> Result<ExitCode, String> {
    match &args.check {
        None => print(DEFAULT_INPUTS),
        Some(file) => {
            let (text, warnings) = report(file)?;
            let printed = print(&text)?;
            warnings.iter().for_each(|warning| print_error(&format!("warning: {warning}")));
            Ok(printed)
        }
    }
}

/// What a file comes to, and what is probably a slip in it.
fn report(file: &Path) -> Result<(String, Vec<String>), String> {
    let inputs = inputs::read(file)?;
    let mut warnings = inputs.warnings();
    let model = Model::new(inputs);
    let coverage = model.coverage();
    let today = today();
    let day = match coverage.check(today) {
        Ok(()) => today,
        Err(no_figures) => {
            warnings.push(no_figures.to_string());
            coverage.last()
        }
    };
    let explanation = model.explain(Scope::Global, day).map_err(|error| error.to_string())?;
    let regions = match model.registry().regions().len() {
        1 => "1 region".into(),
        count => format!("{count} regions"),
    };
    let mut text = format!(
        "{file:?} is valid: {regions}, figures from {} to {}\nfingerprint {}\n\n",
        coverage.first(),
        coverage.last(),
        explanation.fingerprint
    );
    let which = if day == today { "today" } else { "the last day that the series cover" };
    text += &format!("Cost of mining one coin on {day}, {which}, USD\n\n");
    text += &costs(&explanation, &model);
    let mut network = vec![row(["difficulty", &explanation.difficulty.to_string()])];
    network.extend(mining(&explanation));
    text.push('\n');
    text += &aligned(&network);
    Ok((text, warnings))
}

/// The costs of the largest regions, and over all of them.
fn costs(explanation: &Explanation, model: &Model) -> String {
    let mut parts: Vec<&RegionContribution> = explanation.contributions.iter().collect();
    parts.sort_by_key(|part| std::cmp::Reverse(part.hashrate_share_pct));
    let hidden = parts.len().saturating_sub(REGIONS_SHOWN);
    parts.truncate(REGIONS_SHOWN);
    let mut rows = vec![row(["region", "share %", "min", "avg", "max"])];
    rows.extend(parts.iter().map(|part| {
        let costs = &part.costs;
        let figures = [part.hashrate_share_pct, costs.min_usd, costs.avg_usd, costs.max_usd];
        let id = model.registry()[part.region].id.clone();
        std::iter::once(id).chain(figures.map(|figure| figure.to_string())).collect()
    }));
    if hidden > 0 {
        rows.push(row([&*format!("and {hidden} more")]));
    }
    let costs = &explanation.costs;
    let [min, avg, max] =
        [costs.min_usd, costs.avg_usd, costs.max_usd].map(|cost| cost.to_string());
    rows.push(row(["global", "100.00", &min, &avg, &max]));
    aligned(&rows)
}

//! Section 2: what most documents begin with.

use ghi_contract::API_CURRENT;

use crate::check::case::Case;
use crate::check::exchange::shown_value;
use crate::check::fields::Shape;
use crate::check::parts::{all_documents, parts};
use crate::check::rule::{Rule, contract};

pub(super) const RULES: &[Rule] = &[
    contract(
        "version-is-1-1",
        "2",
        "`version` is `1.1` in every document of v1.1.",
        version_is_1_1,
    ),
    contract(
        "region-detail-has-no-engine-version",
        "2",
        "The region detail has no `engine_sandbox_version`.",
        region_detail_has_no_engine_version,
    ),
];

fn version_is_1_1(case: &mut Case<'_>) {
    for part in all_documents(case) {
        if part.text("version").is_some() {
            case.verify_value(&part.exchange, "version", API_CURRENT, part.get("version"));
        }
    }
}

fn region_detail_has_no_engine_version(case: &mut Case<'_>) {
    for part in parts(case, Shape::RegionDetail) {
        let version = part.get("engine_sandbox_version");
        let expected = "no engine_sandbox_version";
        case.verify(&part.exchange, version.is_none(), expected, shown_value(version));
    }
}

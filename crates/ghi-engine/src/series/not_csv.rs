//! Files that are no CSV in UTF-8, told by how they begin.

/// How a file begins, and what it is then.
const KINDS: [(&[u8], &str); 5] = [
    (b"\xff\xfe", UTF_16),
    (b"\xfe\xff", UTF_16),
    (b"\x1f\x8b", "compressed with gzip; it must be a CSV file in UTF-8, not compressed"),
    (b"PK\x03\x04", WORKBOOK),
    (b"\xd0\xcf\x11\xe0", WORKBOOK),
];

const UTF_16: &str = "in UTF-16; it must be a CSV file in UTF-8: save it again as \"CSV UTF-8\"";

const WORKBOOK: &str = "a zip archive or an Excel workbook; it must be a CSV file in UTF-8: save the sheet as \"CSV UTF-8\"";

/// What a file is that is known and no CSV.
pub(super) fn kind(bytes: &[u8]) -> Option<String> {
    let kind = KINDS.iter().find(|(start, _)| bytes.starts_with(start));
    kind.map(|(_, kind)| format!("the file is {kind}"))
}

//! Compresses the script of the interactive reference once, at build time.

use std::env;
use std::error::Error;
use std::fs::File;
use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

fn main() -> Result<(), Box<dyn Error>> {
    let script = scalar_api_reference::get_asset("scalar.js").ok_or("there is no scalar.js")?;
    let target = Path::new(&env::var("OUT_DIR")?).join("reference.js.gz");
    let mut gzip = GzEncoder::new(File::create(target)?, Compression::best());
    gzip.write_all(&script)?;
    gzip.finish()?;
    println!("cargo::rerun-if-changed=build.rs");
    Ok(())
}

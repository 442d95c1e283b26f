//! Starts programs in an environment of their own, so that variables of the tests' environment change nothing.

use std::env;
use std::ffi::OsStr;
use std::process::Command;

/// The binary under test.
pub(crate) const GHI: &str = env!("CARGO_BIN_EXE_ghi");

/// Returns a command without any variables except the search path.
pub(crate) fn program(name: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(name);
    command.env_clear().envs(env::var_os("PATH").map(|path| ("PATH", path)));
    command
}

//! The `ghi` command.

fn main() -> std::process::ExitCode {
    ghi_cli::main()
}

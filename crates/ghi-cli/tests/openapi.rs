//! `ghi openapi`.

use std::process::{Command, Stdio};

#[test]
fn the_document_goes_to_stdout_and_a_reader_may_leave() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ghi"));
    let output = command.arg("openapi").output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), ghi_server::OPENAPI);
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0));

    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0));
}

//! `ghi openapi`.

use std::process::Stdio;

use program::{GHI, program};

mod program;

#[test]
fn the_document_has_the_requested_version() {
    for (version, document) in [("3.1", &*ghi_server::OPENAPI), ("3.0", &*ghi_server::OPENAPI_3_0)]
    {
        let mut command = program(GHI);
        let output = command.args(["openapi", "--oas", version]).output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), *document, "{version}");
    }
    let mut command = program(GHI);
    let output = command.args(["openapi", "--oas", "2.0"]).output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("[possible values: 3.1, 3.0]"), "{message}");
    assert_eq!((output.status.code(), message.lines().count()), (Some(2), 1));
}

#[test]
fn the_document_goes_to_stdout_and_a_closed_pipe_is_not_an_error() {
    let mut command = program(GHI);
    let output = command.arg("openapi").output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), *ghi_server::OPENAPI);
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0));

    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0));
}

// Finds the server, which is in a package of its own for each platform.
"use strict";

const { dirname, join } = require("node:path");

exports.binaryPath = function binaryPath() {
  const name = `ghi-sandbox-${process.platform}-${process.arch}`;
  try {
    return join(dirname(require.resolve(`${name}/package.json`)), "bin", "ghi");
  } catch {
    throw new Error(
      `ghi-sandbox needs the package ${name}, which is not installed; ` +
        "if there is none for this platform, build ghi from source and pass its path as `binary`",
    );
  }
};

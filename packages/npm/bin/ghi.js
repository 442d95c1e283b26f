#!/usr/bin/env node
// The `ghi` command.
"use strict";

const { spawn } = require("node:child_process");
const { binaryPath } = require("../binary.js");

const ghi = spawn(binaryPath(), process.argv.slice(2), { stdio: "inherit" });
for (const signal of ["SIGTERM", "SIGHUP", "SIGQUIT"]) process.on(signal, () => ghi.kill(signal));
// A terminal sends this one to both processes.
process.on("SIGINT", () => {});
ghi.on("error", (error) => {
  console.error(`ghi: ${error.message}`);
  process.exit(2);
});
ghi.on("exit", (code, signal) => {
  if (!signal) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});

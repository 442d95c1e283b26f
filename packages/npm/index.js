// Runs a server of the Global HashCost Index API for tests, on a free port of this machine.
"use strict";

const { spawn } = require("node:child_process");
const { randomUUID } = require("node:crypto");
const { once } = require("node:events");
const { createInterface } = require("node:readline");
const { binaryPath } = require("./binary.js");

// How the server is started. It stops when its standard input closes, so also when this process is killed.
const SERVE = ["serve", "--listen=127.0.0.1:0", "--print-url", "--exit-with-stdin", "--drain=0"];

// Flags of `ghi serve`.
const OPTIONS = [
  "at",
  "speed",
  "fail",
  "chaos",
  "chaosPath",
  "inputs",
  "watch",
  "snapshotForm",
  "noScenarios",
  "strictParameters",
  "rateLimit",
  "rateLimitLoopback",
  "accessLog",
  "logFormat",
  "publicUrl",
  "trustedProxy",
  "probeListen",
  "maxConnections",
  "idleTimeout",
  "workers",
];

// How long to wait for open requests when the server stops, milliseconds.
const STOP_TIMEOUT = 2000;

// How much of the log is kept, characters.
const LOG_MAX = 1_000_000;

class Sandbox {
  #process;
  #ended;

  constructor(process) {
    this.#process = process;
    this.#ended = new Promise((resolve) => process.once("close", resolve));
    this.url = "";
    this.log = "";
    process.stderr.setEncoding("utf8").on("data", (text) => {
      this.log = (this.log + text).slice(-LOG_MAX);
    });
    // A server that has ended breaks the pipe.
    process.stdin.on("error", () => {});
  }

  /** Waits for the URL. Fails with the server's own message. */
  async started() {
    const failed = once(this.#process, "error").then(([error]) => Promise.reject(error));
    const lines = createInterface({ input: this.#process.stdout });
    const line = once(lines, "line").then(([url]) => url);
    const ended = this.#ended.then((code) => {
      throw new Error(this.log.trim() || `ghi ended with code ${code}`);
    });
    this.url = await Promise.race([line, ended, failed]);
    // A test that forgets to stop the server must not keep its process running.
    this.#process.unref();
    for (const stream of this.#process.stdio) stream.unref();
  }

  /** Stops the server and waits for its end. */
  async stop() {
    this.#process.ref();
    this.#process.kill("SIGTERM");
    const timer = setTimeout(() => this.#process.kill("SIGKILL"), STOP_TIMEOUT);
    await this.#ended;
    clearTimeout(timer);
  }
}

// Older versions of Node lack these symbols in the contexts that Jest creates.
if (Symbol.asyncDispose) {
  Sandbox.prototype[Symbol.asyncDispose] = Sandbox.prototype.stop;
  Sandbox.prototype[Symbol.dispose] = function () {
    this.stop();
  };
}

/** Returns a flag of the command line: strictParameters: true is --strict-parameters. */
function flag([name, value]) {
  if (!OPTIONS.includes(name)) {
    throw new TypeError(`unknown option ${name}; the options are ${["binary", ...OPTIONS].join(", ")}`);
  }
  const option = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  if (value === undefined || value === null || value === false) return [];
  if (value === true) return [option];
  return [value].flat().map((each) => `${option}=${each instanceof Date ? each.toISOString() : each}`);
}

exports.failing = function failing(preferences, options = {}) {
  const { times, ...others } = typeof options === "object" ? options : { [options]: undefined };
  for (const name of Object.keys(others)) throw new TypeError(`unknown option ${name}; the only option is times, as in { times: 2 }`);
  const recovery = times === undefined ? [] : [`times=${times}`, `key=${randomUUID()}`];
  return { Prefer: [preferences, ...recovery, "handling=strict"].join(", ") };
};

exports.startSandbox = async function startSandbox({ binary = binaryPath(), ...flags } = {}) {
  const variables = Object.entries(process.env).filter(([name]) => !/^(GHI|LISTEN)_/.test(name));
  const server = spawn(binary, [...SERVE, ...Object.entries(flags).flatMap(flag)], {
    env: Object.fromEntries(variables),
    stdio: "pipe",
    // Ctrl-C in a terminal must not stop it before the tests.
    detached: true,
  });
  const sandbox = new Sandbox(server);
  await sandbox.started();
  return sandbox;
};

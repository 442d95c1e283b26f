/// <reference lib="esnext.disposable" />

/** Flags of `ghi serve`; `ghi serve --help` describes them. */
export interface SandboxOptions {
  /** Stops the clock at this UTC time, such as `2026-11-15T12:00:00Z`. */
  at?: string | Date;
  /** Runs the clock from `at`, this many times as fast, up to 86400. */
  speed?: number;
  /** Answers API requests as if they had these preferences, such as `code=503, times=2` or `/v1/ghi/history: break=gap`. */
  fail?: string | readonly string[];
  /** Makes this percentage of API requests fail. */
  chaos?: number;
  /** Limits `chaos` to this path. */
  chaosPath?: string;
  /** The inputs file of another network. */
  inputs?: string;
  /** Reloads the inputs when they change. */
  watch?: boolean;
  snapshotForm?: "full" | "reduced";
  /** Ignores the `Prefer` header, except `return=`. */
  noScenarios?: boolean;
  /** Returns 400 for unknown query parameters. */
  strictParameters?: boolean;
  /** Requests per second per client. */
  rateLimit?: number;
  /** Also limits clients on this machine, to test 429. */
  rateLimitLoopback?: boolean;
  /** Logs one line per request. */
  accessLog?: boolean;
  logFormat?: "text" | "json";
  /** The base URL of links. */
  publicUrl?: string;
  trustedProxy?: string | readonly string[];
  probeListen?: string;
  maxConnections?: number;
  idleTimeout?: string | number;
  workers?: number;
  /** The path of another `ghi` than the installed one. */
  binary?: string;
}

/** A running server. It stops with `stop()`, at the end of the scope of `await using`, or when this process ends. */
export interface Sandbox extends AsyncDisposable, Disposable {
  /** The base URL, without a trailing slash. */
  readonly url: string;
  /** The server's log so far. */
  readonly log: string;
  /** Stops the server and waits for its end. */
  stop(): Promise<void>;
}

/** Starts a server on a free port of this machine. Fails with the server's own message. */
export function startSandbox(options?: SandboxOptions): Promise<Sandbox>;

/**
 * Returns the headers of a request that fails, such as `failing("code=503")`. With `times`, only the first so many
 * requests with these headers fail, for each path: each call makes a new key. A misspelled preference makes the request
 * fail with 400.
 */
export function failing(preferences: string, options?: { times?: number }): { Prefer: string };

/// <reference lib="esnext.disposable" />

/** Flags of `ghi serve`; `ghi serve --help` describes them. Others are accepted too, in camel case. */
export interface SandboxOptions {
  /** Stops the clock at this UTC time, such as `2026-11-15T12:00:00Z`. */
  at?: string;
  /** Runs the clock from `at`, this many times as fast, up to 86400. */
  speed?: number;
  /** Makes this percentage of API requests fail. */
  chaos?: number;
  /** The inputs file of another network. */
  inputs?: string;
  snapshotForm?: "full" | "reduced";
  /** Returns 400 for unknown query parameters. */
  strictParameters?: boolean;
  /** Requests per second per client. */
  rateLimit?: number;
  /** Also limits clients on this machine, to test 429. */
  rateLimitLoopback?: boolean;
  /** Logs one line per request. */
  accessLog?: boolean;
  /** The path of another `ghi` than the installed one. */
  binary?: string;
  [flag: string]: string | number | boolean | readonly string[] | undefined;
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

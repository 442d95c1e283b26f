// Scenarios requested by a page from another origin.

import assert from "node:assert/strict";
import { test } from "node:test";
import { onFreePort } from "./browser.js";

const { base, evaluateElsewhere } = await onFreePort();

// Returns the result of fetch for a preference.
const ask = (preference) =>
  evaluateElsewhere(
    async ([url, prefer]) => {
      const started = performance.now();
      const response = await fetch(url, { headers: { Prefer: prefer } });
      const text = await response.text().catch((error) => error);
      return {
        status: response.status,
        applied: response.headers.get("Preference-Applied"),
        retryAfter: response.headers.get("Retry-After"),
        text: text instanceof Error ? null : text,
        failure: text instanceof Error ? text.name : null,
        took: performance.now() - started,
      };
    },
    [`${base}/v1/ghi/snapshot`, preference],
  );

for (const [status, code] of Object.entries({
  400: "invalid_parameter",
  404: "unknown_region",
  429: "rate_limited",
  500: "internal",
  503: "no_figures",
})) {
  test(`a page from another origin can request ${status}`, async () => {
    const answer = await ask(`code=${status}`);
    assert.equal(answer.status, Number(status));
    assert.equal(answer.applied, `code=${status}`);
    assert.equal(answer.retryAfter, ["429", "503"].includes(status) ? "1" : null);
    assert.equal(JSON.parse(answer.text).code, code);
  });
}

for (const how of ["truncate", "cut"]) {
  test(`a response with break=${how} fails while it is read`, async () => {
    const answer = await ask(`break=${how}`);
    assert.deepEqual([answer.status, answer.failure], [200, "TypeError"]);
  });
}

test("a response with break=json is not JSON", async () => {
  const answer = await ask("break=json");
  assert.equal(answer.status, 200);
  assert.throws(() => JSON.parse(answer.text), SyntaxError);
});

test("a response can be delayed and come from another instant", async () => {
  const answer = await ask("delay=400, at=2028-02-29T12:00:00Z, return=minimal");
  assert.ok(answer.took >= 400, `${answer.took} ms`);
  assert.equal(answer.applied, 'return=minimal, at="2028-02-29T12:00:00Z", delay=400');
  assert.equal(JSON.parse(answer.text).timestamp_utc, "2028-02-29T12:00:00.000000Z");
});

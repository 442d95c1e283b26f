#!/usr/bin/env python3
"""Behind nginx, every link stays under the public URL and works, and the rate limit
applies to the client that nginx sees, whatever headers the client sends.

    python3 checks/behind_nginx.py [--ghi BINARY]

Needs nginx; takes about ten seconds.
"""

import json
import re
import subprocess
import sys
import tempfile
import time
from collections import deque
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urldefrag, urljoin, urlsplit

import server
from server import Server, get, until_open

BACKEND = 18350
# One port for each way of forwarding.
SANDBOX, APPENDS_FORWARDED, APPENDS_X_FORWARDED_FOR = FRONTS = 18351, 18352, 18353
PUBLIC = f"http://127.0.0.1:{SANDBOX}/sandbox"
RATE, BURST, REQUESTS = 5, 10, 60

STARTS = [
    "/",
    "/v1/ghi/indicator",
    "/v1/ghi/metadata",
    "/?region_id=nowhere",
    "/nowhere",
    "/v1/ghi/regions/nowhere",
    "/v1/ghi/forecast?forecast_days=0",
    "/robots.txt",
    "/favicon.ico",
    "/llms.txt",
    "/healthz",
    "/readyz",
    "/metrics",
]


def configuration(folder):
    return f"""
        daemon off;
        worker_processes 1;
        pid {folder}/nginx.pid;
        error_log {folder}/error.log;
        events {{ worker_connections 256; }}
        http {{
            access_log off;
            # The workers have no write access to this folder.
            proxy_max_temp_file_size 0;
            client_body_temp_path {folder}/tmp;
            proxy_temp_path {folder}/tmp;
            fastcgi_temp_path {folder}/tmp;
            uwsgi_temp_path {folder}/tmp;
            scgi_temp_path {folder}/tmp;
            server {{
                listen 127.0.0.1:{SANDBOX};
                location /sandbox/ {{ proxy_pass http://127.0.0.1:{BACKEND}/; }}
            }}
            server {{
                listen 127.0.0.1:{APPENDS_FORWARDED};
                location / {{
                    proxy_pass http://127.0.0.1:{BACKEND};
                    proxy_set_header Forwarded "$http_forwarded, for=$remote_addr";
                }}
            }}
            server {{
                listen 127.0.0.1:{APPENDS_X_FORWARDED_FOR};
                location / {{
                    proxy_pass http://127.0.0.1:{BACKEND};
                    proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
                }}
            }}
        }}
    """


class Nginx:
    def __init__(self, folder):
        file = Path(folder) / "nginx.conf"
        file.write_text(configuration(folder))
        command = ["nginx", "-p", folder, "-c", file]
        self.process = subprocess.Popen(list(map(str, command)), stderr=subprocess.DEVNULL)
        for port in FRONTS:
            until_open(port)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


class Addresses(HTMLParser):
    """Collects the links of a page."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src", "action", "data-url", "xlink:href"):
                self.found.append(value)
            if name == "srcset":
                self.found += [each.split()[0] for each in value.split(",")]


def addresses(path, headers, body):
    """Yields every address in a response, and where it was found."""
    kind = (headers["Content-Type"] or "").split(";")[0]
    for line in headers.get_all("Link", []):
        yield from (("Link", found) for found in re.findall(r"<([^>]*)>", line))
    for name in ("Location", "Content-Location"):
        if headers[name]:
            yield name, headers[name]
    readable = kind.startswith("text/") or "json" in kind or "svg" in kind
    # The script of the API reference is always compressed, and is third-party code.
    text = body.decode() if readable and not headers["Content-Encoding"] else ""
    if kind in ("text/html", "image/svg+xml"):
        yield from ((kind, found) for found in Addresses(text).found)
    elif kind == "application/problem+json":
        yield "type", json.loads(text)["type"]
    elif path.endswith(("/openapi.json", "/openapi-3.0.json")):
        yield from (("servers", each["url"]) for each in json.loads(text)["servers"])
    elif path.endswith("/llms.txt"):
        yield from (("llms.txt", found) for found in re.findall(r"\]\(([^)]*)\)", text))
    elif kind == "text/css":
        yield from (("css", found) for found in re.findall(r"url\(['\"]?([^'\")]*)", text))
    elif path.endswith(("/dashboard.js", "/docs.js")):
        # A path from the root in a script lacks the prefix.
        yield from (("script", found) for found in re.findall(r"[\"'`](/[a-z][^\"'`]*)[\"'`]", text))


def crawl():
    """Follows every link, except on pages with two or more parameters. Returns the numbers of pages and links, and the
    problems found."""
    wrong, waiting, seen = [], deque(), set()
    for start in STARTS:
        waiting.append((f"{PUBLIC}{start}", "the beginning", "nowhere" in start or "=0" in start))
        seen.add(f"{PUBLIC}{start}")
    links = 0
    while waiting:
        url, origin, may_fail = waiting.popleft()
        parts = urlsplit(url)
        target = parts.path + (f"?{parts.query}" if parts.query else "")
        # A browser's Accept header, to get HTML pages.
        for accept in ("text/html", "*/*"):
            status, headers, body = get(SANDBOX, target, {"Accept": accept})
            if status != 200 and not (may_fail and 400 <= status < 500):
                wrong.append(f"{url} ({origin}) returns {status}")
                continue
            # The dashboard links to every combination of its parameters; those of up to two are enough.
            if "&" in parts.query:
                continue
            for where, found in addresses(parts.path, headers, body):
                if found.startswith(("#", "data:")) or "{" in found:
                    continue
                links += 1
                led_to = urldefrag(urljoin(url, found))[0]
                if led_to != PUBLIC and not led_to.startswith(f"{PUBLIC}/"):
                    wrong.append(f"{where} of {url} leads to {found}, outside {PUBLIC}")
                    continue
                # Descriptions name the service's address without a trailing slash.
                led_to = f"{PUBLIC}/" if led_to == PUBLIC else led_to
                if led_to not in seen:
                    seen.add(led_to)
                    waiting.append((led_to, f"{where} of {url}", False))
    return len(seen), links, wrong


def links(ghi):
    with Server(ghi, BACKEND, "--public-url", PUBLIC):
        pages, count, wrong = crawl()
        refuse(wrong)
        headers = get(SANDBOX, "/sandbox/v1/ghi/indicator")[1]
        assert any("successor-version" in each for each in headers.get_all("Link", [])), "no successor-version link"
        for each in headers.get_all("Link", []):
            assert each.startswith(f"<{PUBLIC}/"), f"a Link header is not absolute: {each}"
    assert pages > 30, f"{pages} addresses are too few"
    print(f"{count} links to {pages} addresses, all under {PUBLIC}")


def refuse(wrong):
    """Exits with the problems found, if any."""
    found = sorted(set(wrong))
    if found:
        sys.exit("\n".join(found[:20] + [f"and {len(found) - 20} more"] * (len(found) > 20)))


def spoofed(number):
    return f"198.51.{number}.7"


# Headers a client may send to be counted as a different client each time.
TRICKS = {
    "an unreadable Forwarded, a different X-Forwarded-For each time": lambda n: {
        "Forwarded": b"for=x\xff",
        "X-Forwarded-For": spoofed(n),
    },
    "an unclosed quote, a different X-Forwarded-For each time": lambda n: {
        "Forwarded": 'for="',
        "X-Forwarded-For": spoofed(n),
    },
    "a different Forwarded each time, an unreadable X-Forwarded-For": lambda n: {
        "Forwarded": f"for={spoofed(n)}",
        "X-Forwarded-For": b"\xff",
    },
    "a different Forwarded each time": lambda n: {"Forwarded": f"for={spoofed(n)}"},
    "a different X-Forwarded-For each time": lambda n: {"X-Forwarded-For": spoofed(n)},
    "both, different each time": lambda n: {
        "Forwarded": f"for={spoofed(n)}",
        "X-Forwarded-For": spoofed(n),
    },
}


def rate_limit(ghi):
    flags = ["--rate-limit", RATE, "--trusted-proxy", "127.0.0.1"]
    wrong = []
    print(f"of {REQUESTS} requests, how many pass a limit of {RATE} per second with bursts of {BURST}")
    for front, name in [(APPENDS_FORWARDED, "Forwarded"), (APPENDS_X_FORWARDED_FOR, "X-Forwarded-For")]:
        for trick, headers in TRICKS.items():
            # A new server has new buckets. nginx connects from 127.0.0.1, its client from another address.
            with Server(ghi, BACKEND, *flags):
                started = time.monotonic()
                statuses = [
                    get(front, "/v1/ghi/indicator", headers(number), "127.0.0.9")[0]
                    for number in range(REQUESTS)
                ]
                seconds = time.monotonic() - started
                assert set(statuses) <= {200, 429}, f"got {set(statuses)}"
                passed = statuses.count(200)
                # One more, because the bucket refills during the test.
                allowed = BURST + RATE * seconds + 1
                print(f"  nginx appends {name}, the client sends {trick}: {passed}")
                if passed > allowed:
                    wrong.append(f"{passed} requests passed: nginx appends {name}, the client sends {trick}")
    refuse(wrong)


def main():
    ghi = server.arguments(__doc__).ghi
    with tempfile.TemporaryDirectory() as folder, Nginx(folder):
        rate_limit(ghi)
        links(ghi)


if __name__ == "__main__":
    try:
        main()
    except AssertionError as error:
        sys.exit(str(error))

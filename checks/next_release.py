"""Simulates a server of the next compatible release.

It returns the documents of the server behind it, with additions that the contract allows: a higher version,
another environment and engine, one more field in each object, one more point in each history, and a problem with
an unknown code. It implements only as much HTTP as the check of generated clients needs.
"""

import json
import threading
import urllib.error
import urllib.request
from datetime import date, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

VERSION = "1.2"
ENGINE = "9.0.0-sandbox"
ENVIRONMENT = "staging"
CODE = "region_retired"
NEW_FIELD = "added_in_1_2"


def get(url, prefer=None):
    """Returns status, content type and document of a response, which may be a problem."""
    request = urllib.request.Request(url, headers={"Prefer": prefer} if prefer else {})
    try:
        answer = urllib.request.urlopen(request, timeout=10)
    except urllib.error.HTTPError as problem:
        answer = problem
    with answer:
        return answer.status, answer.headers["Content-Type"], json.load(answer)


def grown(value):
    """Returns the value with a new field in each of its objects."""
    if isinstance(value, list):
        return [grown(item) for item in value]
    if not isinstance(value, dict):
        return value
    # First, to break readers that rely on the position of fields.
    return {NEW_FIELD: {"note": "unknown to older clients"}} | {
        name: grown(item) for name, item in value.items()
    }


def without_new_fields(value):
    if isinstance(value, list):
        return [without_new_fields(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {name: without_new_fields(item) for name, item in value.items() if name != NEW_FIELD}


def of_next_release(document):
    document = grown(document)
    if "code" in document:
        return document | {"code": CODE, "type": f"/problems/{CODE}"}
    document["version"] = VERSION
    if "engine_sandbox_version" in document:
        document["engine_sandbox_version"] = ENGINE
    if "api_current" in document:
        supported = [VERSION, *document["api_supported"]]
        document |= {"environment": ENVIRONMENT, "api_current": VERSION, "api_supported": supported}
    if "points" in document:
        oldest = document["points"][0]
        day_before = date.fromisoformat(oldest["date"]) - timedelta(days=1)
        document["points"] = [oldest | {"date": day_before.isoformat()}, *document["points"]]
    return document


class NextRelease:
    """Runs the server until the end of the `with` block."""

    def __init__(self, base_of_this_release):
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                url = base_of_this_release + self.path
                status, content_type, document = get(url, self.headers.get("Prefer"))
                body = json.dumps(of_next_release(document)).encode()
                self.send_response(status)
                self.send_header("Content-Type", content_type)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.base = f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

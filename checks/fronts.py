"""Load balancers and caches with the configuration shipped in `deploy/`, unchanged except for
addresses, ports and folders."""

import re
import ssl
import subprocess
import sys

from server import ROOT, until_open

REPLICAS = 3


class Front:
    """A load balancer or cache on a port, in front of replicas on ports of this machine."""

    def __init__(self, folder, port, replicas):
        self.port = port
        # The workers of nginx and Varnish are other users, who need access.
        folder.chmod(0o755)
        text = (ROOT / "deploy" / self.file).read_text()
        changes = [*self.changes(folder), *self.addresses(replicas)]
        for shipped, ours in changes:
            text, count = re.subn(shipped, ours, text)
            assert count, f"{self.file} has no {shipped}"
        file = folder / "configuration"
        file.write_text(text)
        self.folder, self.log = folder, folder / "log"
        command = list(map(str, self.command(folder, file)))
        with self.log.open("w") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log)

    def addresses(self, replicas):
        assert len(replicas) == REPLICAS
        return [(rf"\bghi-{n}:8000\b", f"127.0.0.1:{port}") for n, port in enumerate(replicas, 1)]

    def __enter__(self):
        try:
            until_open(self.port)
        except SystemExit as error:
            self.__exit__()
            sys.exit(f"{self.name} does not start: {error}\n{self.log.read_text()}")
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def secured(self, client):
        """Returns the connection, with TLS if the front requires it."""
        return client

    def taken_out(self):
        """Returns how many times a replica was taken out of service as failed."""
        return len(re.findall(self.TAKEN_OUT, self.log.read_text()))


class Haproxy(Front):
    name, file = "HAProxy", "haproxy/haproxy.cfg"
    TAKEN_OUT = r"Server replicas/ghi-\d is DOWN"

    def changes(self, _):
        return [(r"bind :8080\b", f"bind 127.0.0.1:{self.port}")]

    def command(self, _, file):
        return ["haproxy", "-db", "-f", file]


class Nginx(Front):
    name, file = "nginx", "nginx/balancer.conf"
    TAKEN_OUT = "upstream server temporarily disabled"

    def changes(self, folder):
        return [
            (r"listen 8080\b", f"listen 127.0.0.1:{self.port}"),
            ("/run/", f"{folder}/"),
        ]

    def command(self, folder, file):
        return ["nginx", "-p", folder, "-c", file, "-g", "daemon off;"]


class NginxCache(Nginx):
    name, file = "nginx as a cache", "nginx/cache.conf"

    def changes(self, folder):
        return [*super().changes(folder), ("/var/cache", str(folder))]


class NginxTls(Nginx):
    """Terminates TLS for one server, with a certificate made for the test."""

    name, file = "nginx with TLS", "nginx/tls.conf"
    HOST = "ghi.example.org"

    def changes(self, folder):
        self.certificate, key = folder / "fullchain.pem", folder / "privkey.pem"
        command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        command += ["-subj", f"/CN={self.HOST}", "-addext", f"subjectAltName=DNS:{self.HOST}"]
        subprocess.run([*command, "-keyout", key, "-out", self.certificate], check=True, capture_output=True)
        self.access_log = folder / "access.log"
        return [
            (r"listen 443\b", f"listen 127.0.0.1:{self.port}"),
            (r"listen 80\b", f"listen 127.0.0.1:{self.port + 1}"),
            (r"/etc/letsencrypt/live/[\w.]*", str(folder)),
            ("/var/log/nginx", str(folder)),
            ("/run/", f"{folder}/"),
        ]

    def addresses(self, replicas):
        return [(r"127\.0\.0\.1:8000\b", f"127.0.0.1:{replicas[0]}")]

    def secured(self, client):
        trusted = ssl.create_default_context(cafile=self.certificate)
        return trusted.wrap_socket(client, server_hostname=self.HOST)


class VarnishCache(Front):
    name, file = "Varnish", "varnish/default.vcl"

    def changes(self, _):
        return []

    def addresses(self, replicas):
        assert len(replicas) == REPLICAS
        return [
            (rf'"ghi-{n}";\n    .port = "8000"', f'"127.0.0.1";\n    .port = "{port}"')
            for n, port in enumerate(replicas, 1)
        ]

    def command(self, folder, file):
        address = f"127.0.0.1:{self.port}"
        return ["varnishd", "-F", "-n", folder / "varnish", "-f", file, "-a", address, "-s", "malloc,64m"]

    def taken_out(self):
        """Uses the last 64 probes of each replica, because Varnish does not log failures."""
        command = ["varnishadm", "-n", str(self.folder / "varnish"), "backend.list", "-p"]
        probes = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        assert probes.count(" Happy") == REPLICAS, f"probes are missing in {probes}"
        return len(re.findall(r"H-H?-(?=[H-]* Happy)", probes))


FRONTS = [Haproxy, Nginx, NginxCache, NginxTls, VarnishCache]

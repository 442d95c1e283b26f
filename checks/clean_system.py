#!/usr/bin/env python3
"""Follows the steps in the files of `deploy/systemd` as an operator would, with a systemd of its own on a copy of this
machine's files, and runs the other services' configurations under Debian's units.

    python3 checks/clean_system.py [--ghi BINARY]

Nothing outside the copy changes: it has its own mounts, processes and network. Needs root, Linux namespaces, overlayfs,
haproxy, nginx and varnish; takes about 20 seconds.
"""

import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import server
from server import ROOT

TIMEOUT_S = 120
# Mounts a copy of this machine's files, in memory, and starts systemd in it.
BOOT = """
set -e
mount -t tmpfs tmpfs $1
mkdir $1/upper $1/work $1/root
mount -t overlay overlay -o lowerdir=/,upperdir=$1/upper,workdir=$1/work $1/root
cd $1/root
rm -rf etc/ghi var/lib/ghi usr/local/bin/ghi
cp -r --dereference $2 root/steps
mkdir -p old proc sys dev run tmp
mount -t proc proc proc
mount --rbind /sys sys
mount -t tmpfs tmpfs dev
mkdir dev/pts dev/shm dev/mqueue
for node in null zero full random urandom tty; do touch dev/$node; mount --bind /dev/$node dev/$node; done
mount -t devpts devpts dev/pts
ln -s pts/ptmx dev/ptmx
mount -t tmpfs tmpfs run
mount -t tmpfs tmpfs tmp
pivot_root . old
umount --lazy old
exec env --ignore-environment container=other PATH=/usr/sbin:/usr/bin:/sbin:/bin \\
    /lib/systemd/systemd --system --unit=basic.target
"""
# Runs in the copy, in a folder with the files of `deploy/`, the binary and an inputs file. `units`, `collector` and
# `guide` are the documented commands.
STEPS = """
set -ex
cd /root/steps
systemctl mask systemd-networkd-wait-online.service
echo 127.0.0.1 ghi-1 ghi-2 ghi-3 >> /etc/hosts
export HOME=/root/newcomer PATH=$PWD:$PATH
mkdir $HOME
ask() { curl --silent --show-error --fail --retry 20 --retry-delay 1 --retry-all-errors --max-time 5 "$@"; }

{guide}

cp inputs.toml ghi systemd
cd systemd
{units}
ask http://127.0.0.1:8000/v1/ghi/regions | grep elsewhere

{collector}
# It fails only because there is no node.
until journalctl --unit ghi-collect.service | grep 'cannot connect to http://127.0.0.1:8332'; do sleep 0.2; done
test "$(stat --format %U /var/lib/ghi)" = ghi-collect
systemctl is-active ghi-collect.timer
install -m 644 ../own-series/* /var/lib/ghi
{settings}
systemctl restart ghi.service
ask http://127.0.0.1:8000/v1/ghi/regions | grep islands

# The other files, in the place of Debian's. The series above do not cover today, so the server would not be ready.
rm /etc/ghi/ghi.env
systemctl restart ghi.service
cd ..
for conf in balancer cache; do
    cp nginx/$conf.conf /etc/nginx/nginx.conf
    systemctl restart nginx
    ask http://127.0.0.1:8080/v1/ghi/regions
done
folder=/etc/letsencrypt/live/ghi.example.org
mkdir -p $folder
openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=x -keyout $folder/privkey.pem -out $folder/fullchain.pem
cp nginx/tls.conf /etc/nginx/nginx.conf
systemctl restart nginx
ask --insecure https://127.0.0.1/v1/ghi/regions
grep /v1/ghi/regions /var/log/nginx/access.log
systemctl stop nginx
cp haproxy/haproxy.cfg /etc/haproxy/haproxy.cfg
systemctl restart haproxy
ask http://127.0.0.1:8080/v1/ghi/regions
cp varnish/default.vcl /etc/varnish/default.vcl
systemctl restart varnish
ask http://127.0.0.1:6081/v1/ghi/regions
"""


def documented(name):
    """Returns the commands, and the lines of an environment file, in the comment at the top of a file."""
    lines = re.findall(r"(?m)^#     (.*)", (ROOT / "deploy/systemd" / name).read_text().split("[Unit]")[0])
    return [[line for line in lines if bool(re.match("GHI_", line)) == is_setting] for is_setting in (False, True)]


def steps():
    units, _ = documented("ghi.service")
    collector, settings = documented("ghi-collect.service")
    section = (ROOT / "docs/operations.md").read_text().split("### Shell completion and manual pages")[1]
    guide = re.findall(r"(?m)^\$ (.*)", section.split("\n#")[0])
    assert units and collector and settings and guide, "the steps are missing"
    collector = [f"{line} || true" if line == "systemctl start ghi-collect.service" else line for line in collector]
    script = STEPS.replace("{settings}", "\n".join(f"echo {line} >> /etc/ghi/ghi.env" for line in settings))
    for name, lines in (("guide", guide), ("units", units), ("collector", collector)):
        script = script.replace(f"{{{name}}}", "\n".join(lines))
    return script


def started(process, log):
    """Waits until systemd has started. Returns the command that runs others beside it."""
    deadline = time.monotonic() + TIMEOUT_S
    while process.poll() is None and time.monotonic() < deadline:
        child = subprocess.run(["pgrep", "--parent", str(process.pid)], capture_output=True, text=True).stdout.strip()
        inside = ["nsenter", "--target", child, "--mount", "--pid", "--uts", "--net", "--root", "--wd"]
        ready = [*inside, "systemctl", "is-active", "basic.target"]
        if child and subprocess.run(ready, capture_output=True).returncode == 0:
            return inside
        time.sleep(0.1)
    sys.exit(f"systemd does not start: {log.read_text()}")


def main():
    ghi = server.arguments(__doc__).ghi
    with tempfile.TemporaryDirectory() as folder:
        files, place = Path(folder) / "files", Path(folder) / "place"
        place.mkdir()
        files.mkdir()
        for each in ("systemd", "nginx", "haproxy", "varnish"):
            (files / each).symlink_to(ROOT / "deploy" / each)
        (files / "ghi").symlink_to(ghi.resolve())
        (files / "own-series").symlink_to(ROOT / "examples/own-series")
        (files / "inputs.toml").symlink_to(ROOT / "examples/litecoin.toml")
        (files / "steps.sh").write_text(steps())
        command = ["unshare", "--mount", "--pid", "--uts", "--net", "--fork", "--kill-child", "--propagation", "private"]
        command += ["bash", "-c", BOOT, "boot", str(place), str(files)]
        log = Path(folder) / "log"
        with log.open("w") as output:
            booted = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        try:
            follow(started(booted, log))
        finally:
            booted.kill()
            booted.wait()


def follow(inside):
    done = subprocess.run(
        [*inside, "bash", "/root/steps/steps.sh"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=TIMEOUT_S,
    )
    if done.returncode:
        print(done.stdout)
        print(subprocess.run([*inside, "journalctl", "--no-pager", "--lines", "30"], capture_output=True, text=True).stdout)
        sys.exit(f"a step failed with {done.returncode}; it is the last one above the journal")
    print("all steps of deploy/systemd work on a clean system, and nginx, HAProxy and Varnish start under Debian's units")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Compares the CPU time per request of several versions of this server, or of several flags.

    python3 bench/versions.py before='old/ghi' now='target/release/ghi' off='target/release/ghi --no-scenarios'

Needs wrk. Each round loads every version for a second, starting with a different one each time, so that
other load on the machine affects them all equally. Give the same command twice to see the noise.
"""

import argparse
import shlex
import statistics
import subprocess

from compare import PATHS, cpu_seconds, load, wait_for

FIRST_PORT = 18110


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=24)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--only", choices=PATHS, help="measure only this document")
    parser.add_argument("commands", nargs="+", metavar="NAME=COMMAND")
    arguments = parser.parse_args()
    commands = dict(command.split("=", 1) for command in arguments.commands)
    names, ports, running = list(commands), {}, {}
    try:
        for port, (name, command) in enumerate(commands.items(), FIRST_PORT):
            started = [*shlex.split(command), "--listen", f"127.0.0.1:{port}", "--workers", "1"]
            running[name] = subprocess.Popen(started, stderr=subprocess.DEVNULL)
            ports[name] = port
            wait_for(port)
        print("| document |", " | ".join(names), "|")
        print("|---|" + "---:|" * len(names))
        for document, path in PATHS.items():
            if arguments.only and document != arguments.only:
                continue
            micros = {name: [] for name in names}
            for turn in range(arguments.rounds):
                first = turn % len(names)
                for name in names[first:] + names[:first]:
                    before = cpu_seconds(running[name].pid)
                    requests = load(ports[name], path, arguments.connections, 1)[0]
                    spent = cpu_seconds(running[name].pid) - before
                    micros[name].append(spent * 1e6 / requests)
            medians = [f"{statistics.median(micros[name]):.2f}" for name in names]
            print(f"| {document} |", " | ".join(medians), "|", flush=True)
    finally:
        for process in running.values():
            process.kill()


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Checks every file under deploy/ with the program that reads it.

    python3 -m venv target/venv
    target/venv/bin/pip install -r checks/requirements.txt
    target/venv/bin/python checks/deploy.py [--ghi BINARY]

The dashboard and the alerts are tested with three running servers and Prometheus. A file without a check,
a pattern without a file and a missing program are failures. Needs the tools that `.ci/setup` installs;
takes about ten seconds.
"""

import http.client
import json
import os
import re
import runpy
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from contextlib import ExitStack
from pathlib import Path

import kubernetes_validate
import yaml
from grafana_foundation_sdk.cog import plugins
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models.dashboard import Dashboard

import server
from fronts import FRONTS
from server import ROOT, Server

DEPLOY = ROOT / "deploy"
TOOLS = os.pathsep.join(
    [str(ROOT / "target/tools/bin"), str(Path(sys.executable).parent), os.environ["PATH"], "/usr/sbin"]
)
PROMETHEUS = 18360
# The port of the first of three servers.
PUBLIC, PROBES = 18361, 18371

# Time to finish open requests after the drain: docs/operations.md#graceful-shutdown.
FINISH_SECONDS = 5
# In tenths, as systemd-analyze expects it.
HIGHEST_EXPOSURE = 20


class Wrong(Exception):
    """A problem with a file."""


def require(holds, otherwise):
    if not holds:
        raise Wrong(otherwise)


def program(name):
    found = shutil.which(name, path=TOOLS)
    require(found, f"{name} is missing; .ci/setup installs it")
    return found


def run(name, *arguments):
    """Runs a program. Returns its output, or fails if it exits with an error."""
    found = subprocess.run([program(name), *map(str, arguments)], capture_output=True, text=True)
    require(
        found.returncode == 0, f"{name} {arguments[0]} exits with {found.returncode}\n{found.stdout}{found.stderr}"
    )
    return found.stdout


def read(path):
    return yaml.safe_load((DEPLOY / path).read_text())


class Deployment:
    """Three servers, and a Prometheus that scrapes them as configured in prometheus.yml, but more often."""

    def __init__(self, ghi, stack):
        self.ghi = ghi
        self.folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        # Deliberate failures on one of them, so that every metric has data.
        for number, flags in enumerate([[], [], ["--chaos", 50]]):
            probes = f"127.0.0.1:{PROBES + number}"
            stack.enter_context(Server(ghi, PUBLIC + number, "--probe-listen", probes, *flags))
            visit(PUBLIC + number)
        config = self.folder / "prometheus.yml"
        config.write_text(yaml.safe_dump(self.scrapes_often()))
        command = [
            program("prometheus"),
            f"--config.file={config}",
            f"--storage.tsdb.path={self.folder}/data",
        ]
        command.append(f"--web.listen-address=127.0.0.1:{PROMETHEUS}")
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        stack.callback(process.wait)
        stack.callback(process.kill)
        self.wait_until_ready()

    @staticmethod
    def scrapes_often():
        config = read("prometheus/prometheus.yml")
        config["global"] = {"scrape_interval": "1s", "evaluation_interval": "1s"}
        config["rule_files"] = [str(DEPLOY / "prometheus" / each) for each in config["rule_files"]]
        ((targets,),) = [job["static_configs"] for job in config["scrape_configs"]]
        replicas = {f"ghi-{number + 1}:8001": f"127.0.0.1:{PROBES + number}" for number in range(3)}
        require(set(targets["targets"]) == set(replicas), f"the targets are not {', '.join(replicas)}")
        targets["targets"] = list(replicas.values())
        return config

    def wait_until_ready(self):
        for _ in range(1200):
            try:
                return urllib.request.urlopen(f"http://127.0.0.1:{PROMETHEUS}/-/ready", timeout=1).close()
            except OSError:
                time.sleep(0.05)
        raise Wrong("Prometheus does not start")

    def query(self, expression):
        query = urllib.parse.urlencode({"query": expression})
        try:
            with urllib.request.urlopen(
                f"http://127.0.0.1:{PROMETHEUS}/api/v1/query?{query}", timeout=5
            ) as answer:
                return json.load(answer)["data"]["result"]
        except urllib.error.HTTPError as error:
            raise Wrong(f"{expression}\n{json.load(error)['error']}") from error

    def require_data(self, expressions):
        """Requires that each expression returns data after a few scrapes."""
        deadline = time.monotonic() + 60
        while empty := [each for each in expressions if not self.query(each)]:
            require(time.monotonic() < deadline, "\n".join(["no data for", *empty]))
            time.sleep(0.5)


def visit(port):
    """Sends requests that produce the series used by the panels and the tests of the alerts."""
    for path in ["/", "/metrics", "/explain", *["/v1/ghi/snapshot"] * 20]:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5).read()
        except (OSError, http.client.HTTPException):
            pass  # Half of them fail deliberately on one server.


# Values that must be the same in all files.


def seconds(text):
    found = re.fullmatch(r"(\d+)s?", str(text))
    require(found, f"{text} is not a number of seconds")
    return int(found[1])


def require_time_to_stop(drain, grace):
    needed = seconds(drain) + FINISH_SECONDS
    require(
        seconds(grace) > needed, f"it may need {needed} s to stop, but is killed after {seconds(grace)} s"
    )


def require_memory_of_alert(limit):
    alerts = (DEPLOY / "prometheus/alerts.yml").read_text()
    of_alert = int(re.search(r"process_resident_memory_bytes\S* > 0\.8 \* (\d+)", alerts)[1]) >> 20
    found = re.fullmatch(r"(\d+)(?:m|M|Mi)", limit)
    require(
        found and int(found[1]) == of_alert, f"the limit is {limit}, but {of_alert}Mi in GhiMemoryNearLimit"
    )


# One function per kind of file. It checks the files and returns the name of the check.


def require_links(file):
    text = file.read_text()
    for link in re.findall(r"\]\(([^)#]+)", text):
        require("://" in link or (file.parent / link).exists(), f"broken link: {link}")
    return text


def guide(files, _):
    (file,) = files
    text = require_links(file)
    for each in sorted(DEPLOY.iterdir()):
        require(each == file or f"]({each.name}" in text, f"it does not link to {each.name}")
    return "links exist, and cover each folder"


def release(files, _):
    require_links(*files)
    return "links exist"


def dockerfile(files, _):
    run("hadolint", "--failure-threshold", "warning", *files)
    return "hadolint"


def archive(files, deployment):
    """Packages a binary, unpacks it, and uses the contents."""
    with tempfile.TemporaryDirectory() as folder:
        for script, *flags in [(*files, "--ghi", deployment.ghi), (ROOT / "checks/archive.py",)]:
            command = [sys.executable, script, *flags]
            found = subprocess.run(
                list(map(str, command)), env={**os.environ, "CARGO_TARGET_DIR": folder}, capture_output=True, text=True
            )
            require(found.returncode == 0, f"{script.name} exits with {found.returncode}\n{found.stdout}{found.stderr}")
    return "packaged, unpacked and used"


def optimize(files, deployment):
    """Sends the load to a finished binary. `.ci/thorough` runs the whole script, which builds the server twice."""
    runpy.run_path(str(files[0]))["train"](deployment.ghi)
    return "its load gets a response to every request"


def compose(files, deployment):
    run("check-jsonschema", "--builtin-schema", "vendor.compose-spec", *files)
    content = read("compose.yaml")
    for name, service in content["services"].items():
        own = "build" in service
        require(own or re.search(r":v?\d+\.\d+", service["image"]), f"{name} has no version in its image")
        for volume in service.get("volumes", []):
            source = interpolated(volume, {}).split(":")[0]
            exists = (DEPLOY / source).exists() if source.startswith(".") else source in content["volumes"]
            require(exists, f"{name} mounts {source}, which does not exist")
        if own:
            require_time_to_stop(service["environment"]["GHI_DRAIN"], service["stop_grace_period"])
            require_memory_of_alert(service["mem_limit"])
            require_that_inputs_are_used(deployment, service)
    return "check-jsonschema with the Compose schema; servers start with and without inputs"


def interpolated(text, variables):
    """Replaces ${NAME:-default} and ${NAME:+value} as Compose does."""

    def value(found):
        name, operator, word = found.groups()
        return variables.get(name, "") or word if operator == "-" else word if variables.get(name) else ""

    return re.sub(r"\$\{(\w+):([-+])([^}]*)\}", value, str(text))


def require_that_inputs_are_used(deployment, service):
    """Starts a replica's server with the built-in network and with the one that INPUTS names."""
    for variables, region in [({}, "us"), ({"INPUTS": str(ROOT / "examples/own-series")}, "islands")]:
        (mount,) = [interpolated(each, variables) for each in service["volumes"]]
        source, target, mode = mount.split(":")
        require(mode == "ro", "a replica may write to the inputs")
        environment = {name: interpolated(each, variables) for name, each in service["environment"].items()}
        environment["GHI_INPUTS"] = environment["GHI_INPUTS"].replace(f"{target}/", f"{source}/", 1)
        environment["GHI_PROBE_LISTEN"] = "127.0.0.1:0"
        with Server(deployment.ghi, 0, env=environment) as running:
            body = urllib.request.urlopen(f"http://127.0.0.1:{running.port}/v1/ghi/regions", timeout=5).read()
            require(f'"{region}"'.encode() in body, f"with {variables}, a replica has no region {region}")


def proxies(files, _):
    """Checks only that other checks run these files: withheld.py and clean_system.py."""
    names = read("compose.yaml")["services"]
    for file in files:
        require(str(file.relative_to(DEPLOY)) in {front.file for front in FRONTS}, "checks/fronts.py does not run it")
        unknown = set(re.findall(r"\bghi-\d+(?=:)", file.read_text())) - set(names)
        require(not unknown, f"{unknown} are not in compose.yaml")
    return "run by checks/withheld.py"


def prometheus(files, _):
    run("promtool", "check", "config", *files)
    return "promtool check config"


def rules():
    return [rule for group in read("prometheus/alerts.yml")["groups"] for rule in group["rules"]]


def alerts(files, _):
    run("promtool", "check", "rules", *files)
    headings = re.findall(r"^## (.*)", (ROOT / "docs/operations.md").read_text(), re.M)
    anchors = {heading.lower().replace(" ", "-") for heading in headings}
    for rule in rules():
        name, notes = rule["alert"], rule["annotations"]
        require(rule["labels"]["severity"] in ("critical", "warning"), f"{name} has an unknown severity")
        require(set(notes) == {"summary", "description", "runbook"}, f"{name} has wrong annotations")
        page = re.search(r"; see docs/operations\.md#(\S+)$", notes["runbook"])
        require(page and page[1] in anchors, f"the runbook of {name} has a broken link")
    return f"promtool check rules, {len(rules())} alerts"


def alert_tests(files, deployment):
    (file,) = files
    run("promtool", "test", "rules", file)
    fires, silent, series = set(), set(), set()
    for test in read(file)["tests"]:
        series |= {each["series"] for each in test["input_series"]}
        for case in test["promql_expr_test"]:
            for name in re.findall(r'alertname="(\w+)"', case["expr"]):
                (fires if case["exp_samples"] else silent).add(name)
    names = {rule["alert"] for rule in rules()}
    require(names <= fires, f"no case fires {names - fires}")
    require(names <= silent, f"no case keeps {names - silent} silent")
    deployment.require_data(sorted({as_scraped(each) for each in series} - {None}))
    return f"promtool test rules, {len(series)} existing series"


def as_scraped(series):
    """Returns an expression that finds the series of a test on a healthy server: labels set by the server are as in
    the test, labels set by the deployment may have any value. Returns None for series of other jobs."""
    name, labels = re.fullmatch(r"(\w+)\{(.*)\}", series).groups()
    labels = dict(re.findall(r'(\w+)="([^"]*)"', labels))
    if labels["job"] != "ghi":
        return None
    exact = {"job", "le"} if "le" in labels else {"job"}
    if labels.get("status", "200") == "200":
        exact.add("route")
    conditions = [f'{key}="{value}"' if key in exact else f'{key}!=""' for key, value in labels.items()]
    return f"{name}{{{','.join(conditions)}}}"


def dashboard(files, deployment):
    (file,) = files
    content = json.loads(file.read_text())
    require("__inputs" not in content and content.get("id") is None, "it cannot be imported unchanged")
    plugins.register_default_plugins()
    known = json.loads(json.dumps(Dashboard.from_json(content), cls=JSONEncoder))
    unknown = list(lost(content, known))
    require(not unknown, f"not supported by Grafana: {', '.join(unknown)}")
    panels = content["panels"]
    require(len({panel["id"] for panel in panels}) == len(panels), "two panels have the same id")
    places = [(panel["title"], place) for panel in panels for place in cells(panel["gridPos"])]
    require(len({place for _, place in places}) == len(places), "two panels overlap")
    require(all(column < 24 for _, (column, _) in places), "a panel is wider than the page")
    variables = {each["name"]: each for each in content["templating"]["list"]}
    uses = [each for each in walk(content) if isinstance(each, dict) and "datasource" in each]
    for each in uses:
        require(
            each["datasource"] == {"type": "prometheus", "uid": "${datasource}"},
            f"unexpected data source: {each}",
        )
    require(variables["datasource"]["query"] == "prometheus", "there is no variable for the data source")

    shown = [target["expr"] for panel in panels for target in panel.get("targets", [])]
    for panel in panels:
        require(panel["type"] == "row" or panel["targets"], f"{panel['title']} shows nothing")
    queries = [each["query"]["query"] for each in variables.values() if each["type"] == "query"]
    listed = [re.fullmatch(r"label_values\((.*), \w+\)", each)[1] for each in queries]
    deployment.require_data([filled_in(each, variables) for each in [*listed, *shown]])
    return f"Grafana's types, {len(shown)} expressions with data in Prometheus"


def lost(content, found, path="dashboard"):
    """Returns the places in a document that are missing in another."""
    if isinstance(content, dict) and isinstance(found, dict):
        for name, value in content.items():
            yield from lost(value, found.get(name), f"{path}.{name}")
    elif isinstance(content, list) and isinstance(found, list) and len(content) == len(found):
        for number, value in enumerate(content):
            yield from lost(value, found[number], f"{path}[{number}]")
    elif content != found:
        yield path


def cells(place):
    return [(place["x"] + x, place["y"] + y) for x in range(place["w"]) for y in range(place["h"])]


def walk(value):
    yield value
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    for each in inner:
        yield from walk(each)


def filled_in(expression, variables):
    """Returns an expression as Grafana sends it to Prometheus, with all variables set to everything."""

    def value(found):
        if found[1] == "__rate_interval":
            return "1m"
        require(found[1] in variables, f"there is no variable {found[1]}")
        return variables[found[1]]["allValue"]

    return re.sub(r"\$\{?(\w+)\}?", value, expression)


def provisioning(files, _):
    services = read("compose.yaml")["services"]
    for file in files:
        content = read(file)
        require(content.pop("apiVersion") == 1, "the version is not 1")
        kind, entries = content.popitem()
        require(not content, f"more than {kind}")
        require(
            kind == {"datasources": "datasources", "dashboards": "providers"}[file.parent.name],
            f"what is {kind}?",
        )
        for entry in entries:
            if kind == "datasources":
                host = urllib.parse.urlsplit(entry["url"]).hostname
                require(
                    entry["type"] == host == "prometheus" and host in services,
                    f"no service at {entry['url']}",
                )
            else:
                path = f"{entry['options']['path']}/dashboard.json"
                mounted = [volume.split(":")[1] for volume in services["grafana"]["volumes"]]
                require(path in mounted, f"Compose mounts nothing as {path}")
    return "matches compose.yaml"


def inputs(files, deployment):
    for file in files:
        found = subprocess.run([deployment.ghi, "inputs", "--check", file], capture_output=True, text=True)
        require(found.returncode == 0 and not found.stderr, found.stderr)
    return "ghi inputs --check"


def valid_resources(folder, files):
    """Returns the resources of a folder with a kustomization, after validating them."""
    content = read(f"{folder}/kustomization.yaml")
    own = [name for name in content["resources"] if not name.startswith("..")]
    used = {"kustomization.yaml", *own, *(patch["path"] for patch in content.get("patches", []))}
    require(used == {file.name for file in files}, f"kustomization.yaml and the folder differ: {used}")
    resources = list(yaml.safe_load_all(run("kubectl", "kustomize", DEPLOY / folder)))
    for resource in resources:
        try:
            kubernetes_validate.validate(resource, kubernetes_validate.latest_version(), strict=True)
        except kubernetes_validate.ValidationError as error:
            raise Wrong(f"{resource['kind']}: {error.message} at {'.'.join(map(str, error.path))}") from error
        except kubernetes_validate.SchemaNotFoundError as error:
            raise Wrong(f"there is no {resource['kind']} in {resource['apiVersion']}") from error
    return resources


def kubernetes_collect(files, deployment):
    """Checks that the job writes to the volume that the replicas read, and runs its command without a node."""
    resources = {(each["kind"], each["metadata"]["name"]): each for each in valid_resources("kubernetes-collect", files)}
    require_that_the_namespace_comes_first()
    template = resources["CronJob", "ghi-collect"]["spec"]["jobTemplate"]["spec"]["template"]
    replica = resources["Deployment", "ghi"]["spec"]["template"]["spec"]
    (container,), (server_container,) = template["spec"]["containers"], replica["containers"]
    require(container["image"] == server_container["image"], "the job has another image than the replicas")
    claims = [
        volume["persistentVolumeClaim"]["claimName"]
        for volume in [*template["spec"]["volumes"], *replica["volumes"]]
        if "persistentVolumeClaim" in volume
    ]
    require(len(claims) == 2 and len(set(claims)) == 1, "the job and the replicas use different volumes")
    require(("PersistentVolumeClaim", claims[0]) in resources, f"there is no volume {claims[0]}")
    places = [mount["mountPath"] for mount in [*container["volumeMounts"], *server_container["volumeMounts"]]]
    require(places.count("/var/lib/ghi") == 2, "the volume is not at /var/lib/ghi")
    selector = resources["NetworkPolicy", "ghi-collect"]["spec"]["podSelector"]["matchLabels"]
    require(selector == template["metadata"]["labels"], "the NetworkPolicy does not select the job's pods")
    require_that_it_needs_a_node(deployment, container["args"])
    return f"kubectl kustomize, kubernetes-validate, {len(resources)} resources; the command only lacks a node"


def require_that_the_namespace_comes_first():
    """Requires that the documented commands create the namespace before anything in it."""
    commands = re.findall(r"(?m)^#     (kubectl .*)", (DEPLOY / "kubernetes-collect/kustomization.yaml").read_text())
    applied = re.search(r"apply --(?:filename|kustomize) (\S+)", commands[0])
    require(applied, f"{commands[0]} needs the namespace, which does not exist yet")
    file = ROOT / applied[1]
    output = file.read_text() if file.is_file() else run("kubectl", "kustomize", file)
    kinds = [each["kind"] for each in yaml.safe_load_all(output)]
    require("Namespace" in kinds, f"{commands[0]} does not create the namespace")


def require_that_it_needs_a_node(deployment, arguments):
    """Runs `ghi collect` with these arguments, but where no node listens: it must fail because of that only."""
    arguments = [re.sub(r"^http://.*", "http://127.0.0.1:9", each) for each in arguments]
    arguments = [re.sub(r"^/var/lib/ghi", str(deployment.folder), each) for each in arguments]
    environment = {**os.environ, "GHI_RPC_PASSWORD": "secret"}
    found = subprocess.run([deployment.ghi, *arguments], env=environment, capture_output=True, text=True)
    require(found.returncode == 2 and "cannot connect" in found.stderr, f"{' '.join(arguments)}\n{found.stderr}")


def kubernetes(files, deployment):
    resources = valid_resources("kubernetes", files)
    services = [resource for resource in resources if resource["kind"] == "Service"]
    withheld = [each["metadata"]["name"] for each in services if "selector" not in each["spec"]]
    # A second resource of the same kind would be ignored.
    looked_at = [resource for resource in resources if resource["metadata"]["name"] not in withheld]
    of_kind = {resource["kind"]: resource for resource in looked_at}
    require(len(of_kind) == len(looked_at), "two resources have the same kind")
    require_that_metrics_are_withheld(of_kind, withheld)
    deployed = of_kind["Deployment"]
    require_that_names_meet(of_kind, deployed)
    pod = deployed["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    environment = {each["name"]: each["value"] for each in container["env"]}
    require_time_to_stop(environment["GHI_DRAIN"], pod["terminationGracePeriodSeconds"])
    require_memory_of_alert(container["resources"]["limits"]["memory"])
    version = subprocess.run([deployment.ghi, "--version"], capture_output=True, text=True).stdout.split()[1]
    require(container["image"].endswith(f":{version}"), f"{container['image']} does not have version {version}")
    (rule,) = of_kind["Ingress"]["spec"]["rules"]
    require(
        environment["GHI_PUBLIC_URL"] == f"https://{rule['host']}", "GHI_PUBLIC_URL is not the Ingress's host"
    )
    return f"kubectl kustomize, kubernetes-validate, {len(resources)} resources"


def require_that_metrics_are_withheld(of_kind, withheld):
    """Requires that no pod serves /metrics to the public, and that only listed peers reach a pod directly."""
    (rule,) = of_kind["Ingress"]["spec"]["rules"]
    leads_to = {path["path"]: path["backend"]["service"]["name"] for path in rule["http"]["paths"]}
    require(leads_to.pop("/metrics", None) in withheld, "the Ingress exposes /metrics")
    require(not set(leads_to.values()) & set(withheld), "the Ingress blocks more than /metrics")
    for rule in of_kind["NetworkPolicy"]["spec"]["ingress"]:
        require(rule.get("from"), f"anyone may connect to {rule['ports']} and be trusted as a proxy")


def require_that_names_meet(of_kind, deployed):
    """Requires that all names resolve: Kubernetes does not report an unknown name, but waits for it to appear."""
    template = deployed["spec"]["template"]
    labels = template["metadata"]["labels"]
    selectors = {
        "Deployment": deployed["spec"]["selector"]["matchLabels"],
        "Service": of_kind["Service"]["spec"]["selector"],
        "PodDisruptionBudget": of_kind["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"],
        "NetworkPolicy": of_kind["NetworkPolicy"]["spec"]["podSelector"]["matchLabels"],
    }
    for kind, selector in selectors.items():
        require(selector and selector.items() <= labels.items(), f"{kind} does not select the Deployment's pods")
    target = of_kind["HorizontalPodAutoscaler"]["spec"]["scaleTargetRef"]["name"]
    require(target == deployed["metadata"]["name"], f"there is no Deployment {target} to scale")
    (container,) = template["spec"]["containers"]
    ports = {port["name"] for port in container["ports"]}
    probes = [
        container[kind]["httpGet"]["port"] for kind in ("startupProbe", "readinessProbe", "livenessProbe")
    ]
    opened = [port["port"] for rule in of_kind["NetworkPolicy"]["spec"]["ingress"] for port in rule["ports"]]
    served = [port["targetPort"] for port in of_kind["Service"]["spec"]["ports"]]
    for port in [*probes, *opened, *served]:
        require(port in ports, f"the container has no port {port}")
    (rule,) = of_kind["Ingress"]["spec"]["rules"]
    for path in [path for path in rule["http"]["paths"] if path["path"] != "/metrics"]:
        service = path["backend"]["service"]
        meets = [service["name"] == of_kind["Service"]["metadata"]["name"]]
        meets.append(
            service["port"]["name"] in {port["name"] for port in of_kind["Service"]["spec"]["ports"]}
        )
        require(all(meets), f"the Ingress leads to {service}")
    mounted = [volume["configMap"]["name"] for volume in template["spec"]["volumes"]]
    require(mounted == [of_kind["ConfigMap"]["metadata"]["name"]], f"there is no ConfigMap {mounted}")
    require(re.search(r"-\w{10}$", mounted[0]), f"{mounted[0]} has no hash: changed inputs would not roll out")


def systemd(files, deployment):
    units = {}
    for file in files:
        copy = units[file.name] = deployment.folder / file.name
        copy.write_text(file.read_text().replace("/usr/local/bin/ghi", str(deployment.ghi.resolve())))
    # Ignore problems with units of the machine itself.
    run("systemd-analyze", "verify", "--man=no", "--recursive-errors=no", *units.values())
    service = units["ghi.service"]
    for each in (service, units["ghi-collect.service"]):
        run("systemd-analyze", "security", "--offline=true", f"--threshold={HIGHEST_EXPOSURE}", each)
    command = re.search(r"^ExecStart=\S+ (.*)$", units["ghi-collect.service"].read_text(), re.M)[1]
    require_that_it_needs_a_node(deployment, command.split())
    settings = dict(re.findall(r"^(?:Environment=)?(\w+)=(.+)$", service.read_text(), re.M))
    require_time_to_stop(settings["GHI_DRAIN"], settings["TimeoutStopSec"])
    require_memory_of_alert(settings["MemoryMax"])
    return "systemd-analyze verify and security"


# Files by pattern, and the functions that check them.
JUDGES = {
    "README.md": guide,
    "Dockerfile": dockerfile,
    "archive.py": archive,
    "optimize.py": optimize,
    "release.md": release,
    "compose.yaml": compose,
    "haproxy/*.cfg": proxies,
    "nginx/*.conf": proxies,
    "varnish/*.vcl": proxies,
    "prometheus/prometheus.yml": prometheus,
    "prometheus/alerts.yml": alerts,
    "prometheus/alerts_test.yml": alert_tests,
    "grafana/dashboard.json": dashboard,
    "grafana/provisioning/*/*.yaml": provisioning,
    "kubernetes/inputs.toml": inputs,
    "kubernetes-collect/*.yaml": kubernetes_collect,
    "kubernetes/*.yaml": kubernetes,
    "systemd/*": systemd,
}


def main():
    ghi = server.arguments(__doc__).ghi
    failed, unjudged = [], {file for file in DEPLOY.rglob("*") if file.is_file()}
    with ExitStack() as stack:
        deployment = Deployment(ghi, stack)
        for pattern, judge in JUDGES.items():
            files = sorted(DEPLOY.glob(pattern))
            unjudged -= set(files)
            try:
                require(files, "no such file")
                verdict = f"ok: {judge(files, deployment)}"
            except Wrong as wrong:
                verdict = f"WRONG: {wrong}"
                failed.append(pattern)
            for file in files or [DEPLOY / pattern]:
                print(f"{file.relative_to(ROOT)}: {verdict}", flush=True)
    for file in sorted(unjudged):
        print(f"{file.relative_to(ROOT)}: WRONG: no check for this file")
    if failed or unjudged:
        sys.exit(f"{len(failed) + len(unjudged)} failed")


if __name__ == "__main__":
    try:
        main()
    except Wrong as wrong:
        sys.exit(str(wrong))

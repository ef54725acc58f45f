#!/usr/bin/env python3
"""Opens a report of Regatta in headless Chromium and looks at it as a user does: walks the path by keys and buttons, and
complains about errors in the console, things that are fetched, and pages that are wider than the window.

    walk.py REPORT.html EXPECTATIONS

EXPECTATIONS is a JSON object:
    verdict  the word at the top
    lines    the numbers of the source lines that the steps of the path are at, in order (no path if empty)
    texts    texts that the page has
Talks to chromedriver by the WebDriver protocol, with nothing but Python's library. Exit code 77: there is no Chromium.
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

SKIPPED = 77
WIDTHS = (400, 1300)
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


class Driver:
    """A session of a browser."""

    def __init__(self, folder):
        output = open(folder + "/log", "w+", encoding="utf-8")
        self.process = subprocess.Popen(
            ["chromedriver", "--port=0"], stdout=output, stderr=subprocess.STDOUT)
        self.url = f"http://127.0.0.1:{self.port(folder + '/log')}"
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                 f"--user-data-dir={folder}/profile"]
        options = {"args": flags, "binary": shutil.which("chromium")}
        capabilities = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        session = self.call("POST", "/session", {"capabilities": {"alwaysMatch": capabilities}})
        self.url += "/session/" + session["sessionId"]

    @staticmethod
    def port(log):
        """The port that the driver has chosen."""
        until = time.monotonic() + 60
        while time.monotonic() < until:
            for line in pathlib.Path(log).read_text(encoding="utf-8").splitlines():
                if "started successfully on port" in line:
                    return int(line.rstrip(".").split()[-1])
            time.sleep(0.05)
        raise SystemExit("chromedriver does not start")

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.url + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise SystemExit(f"{method} {path}: {error.read().decode()}") from error

    def run(self, script):
        return self.call("POST", "/execute/sync", {"script": script, "args": []})

    def press(self, key):
        actions = [{"type": kind, "value": key} for kind in ("keyDown", "keyUp")]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "k", "actions": actions}]})

    def click(self, selector):
        found = self.call("POST", "/element", {"using": "css selector", "value": selector})
        self.call("POST", f"/element/{found[ELEMENT]}/click", {})

    def close(self):
        try:
            self.call("DELETE", "")
        finally:
            self.process.terminate()
            self.process.wait()


def check(condition, message):
    if not condition:
        raise SystemExit(message)


def walk(driver, lines):
    """By keys, by buttons, by the numbers at the lines."""
    at = """const step = document.querySelector('#steps > .current');
            const line = document.querySelector('.line.here .number');
            return [step.value, line && Number(line.textContent),
                    Array.from(document.querySelectorAll('#walk-previous, #walk-next'), (one) => one.disabled)];"""
    last = len(lines)

    def expect(step, how):
        line = lines[step - 1]
        want = [step, line, [step == 1, step == last]]
        check(driver.run(at) == want, f"{how}: {driver.run(at)} where {want} is expected")
        if line:
            seen = """const [line, box] = [document.querySelector('.line.here'), document.querySelector('.listing')]
                      .map((one) => one.getBoundingClientRect());
                      return line.top >= box.top && line.bottom <= box.bottom;"""
            check(driver.run(seen), f"{how}: the line of step {step} cannot be seen")

    expect(1, "at first")
    for step in range(2, last + 1):
        driver.press("n")
        expect(step, "key n")
    driver.press("n")
    expect(last, "key n at the end")
    for step in range(last - 1, 0, -1):
        driver.press("p")
        expect(step, "key p")
    for step in range(2, last + 1):
        driver.click("#walk-next")
        expect(step, "button")
    driver.click("#walk-first")
    expect(1, "first")
    driver.click("#walk-last")
    expect(last, "last")
    if lines[0]:
        driver.click("a[data-step='1']")
        expect(1, "number at the line")


def look(driver, page, expectations):
    for width in WIDTHS:
        driver.call("POST", "/window/rect", {"width": width, "height": 900})
        driver.call("POST", "/url", {"url": page})
        wide = driver.run("const page = document.documentElement; return [page.scrollWidth, page.clientWidth];")
        check(wide[0] <= wide[1], f"the page is {wide[0]} wide in a window of {wide[1]}")
        word = driver.run("return document.querySelector('.verdict').textContent;")
        check(word == expectations["verdict"], f"verdict {word}")
        text = driver.run("return document.body.textContent;")
        for wanted in expectations["texts"]:
            check(wanted in text, f"the page does not have {wanted!r}")
        if expectations["lines"]:
            walk(driver, expectations["lines"])
    broken = driver.run("""return Array.from(document.querySelectorAll('a[href^="#"]'), (link) => link.getAttribute('href'))
        .filter((target) => !document.getElementById(target.slice(1)));""")
    check(not broken, f"links lead nowhere: {broken[:9]}")
    twice = driver.run("""const ids = Array.from(document.querySelectorAll('[id]'), (one) => one.id);
        return ids.filter((id, index) => ids.indexOf(id) !== index);""")
    check(not twice, f"ids are there twice: {twice[:9]}")
    # What can be scrolled can be focused, so that it can be scrolled by keys.
    deaf = driver.run("""return Array.from(document.querySelectorAll('body *'))
        .filter((one) => ['auto', 'scroll'].includes(getComputedStyle(one).overflowX) && one.tabIndex < 0)
        .map((one) => one.className);""")
    check(not deaf, f"not reachable by keyboard: {deaf}")
    fetched = driver.run("return performance.getEntriesByType('resource').map((entry) => entry.name);")
    check(not fetched, f"fetched: {fetched}")
    console = driver.call("POST", "/se/log", {"type": "browser"})
    check(not console, f"in the console: {console}")


def main():
    if not (shutil.which("chromium") and shutil.which("chromedriver")):
        raise SystemExit(SKIPPED)
    page = pathlib.Path(sys.argv[1]).resolve().as_uri()
    expectations = json.loads(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        driver = Driver(folder)
        try:
            look(driver, page, expectations)
        finally:
            driver.close()


main()

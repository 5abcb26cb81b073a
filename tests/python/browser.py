"""A real browser without a screen, for tests of the viewer."""

import base64
import json
import shutil
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path

import pytest

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--remote-debugging-port=0",
    "--window-size=1100,700",
]


def chromium():
    return shutil.which("chromium") or shutil.which("chromium-browser")


needs_browser = pytest.mark.skipif(chromium() is None, reason="no chromium; apt-get install chromium")


class Browser:
    """Chromium on one page. Use it in a `with` block."""

    def __init__(self, url):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.process = subprocess.Popen(
            [chromium(), *FLAGS, f"--user-data-dir={self.folder.name}", url],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def page(self, patience=60):
        """The address at which the page takes commands."""
        note = Path(self.folder.name) / "DevToolsActivePort"
        end = time.monotonic() + patience
        while time.monotonic() < end:
            if note.exists() and note.read_text().strip():
                port = note.read_text().split()[0]
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/json", timeout=10) as answer:
                    pages = [p for p in json.load(answer) if p["type"] == "page"]
                if pages:
                    return pages[0]["webSocketDebuggerUrl"]
            time.sleep(0.2)
        raise TimeoutError("the browser did not open a page")

    def command(self, method, **parameters):
        from websockets.sync.client import connect

        with connect(self.page(), max_size=None, proxy=None) as socket:
            socket.send(json.dumps({"id": 1, "method": method, "params": parameters}))
            while True:
                answer = json.loads(socket.recv(timeout=120))
                if answer.get("id") == 1:
                    return answer["result"]

    def evaluate(self, script):
        return self.command("Runtime.evaluate", expression=script, awaitPromise=True)["result"].get("value")

    def screenshot(self, path):
        Path(path).write_bytes(base64.b64decode(self.command("Page.captureScreenshot", format="png")["data"]))

    def close(self):
        self.process.terminate()
        self.process.wait()
        self.folder.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

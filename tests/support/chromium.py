"""chromium: drives a headless Chromium (Debian's package) over its debugging pipe, for tests of the page.

    with Chromium() as browser:
        tab = browser.tab("http://127.0.0.1:8080/")
        tab.until("document.querySelector('h1')")
        tab.click("a[href='#/submit']")
        tab.key("Tab")
        assert not tab.errors

Nothing in here sleeps: every wait is for a message of the browser, with a time limit that fails the test.
"""

import base64
import fcntl
import json
import os
import select
import shutil
import signal
import tempfile
import time

TIMEOUT = 200  # seconds for one answer of the browser
NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = """--headless=new --no-sandbox --remote-debugging-pipe --disable-gpu --no-first-run --disable-extensions
--disable-background-networking --disable-component-update --disable-sync --mute-audio --hide-scrollbars
--force-color-profile=srgb --font-render-hinting=none --disable-dev-shm-usage""".split()
# Key: its code on the keyboard, the number that Windows gives it, and the text that it types.
KEYS = {"Tab": ("Tab", 9, ""), "Enter": ("Enter", 13, "\r"), "Escape": ("Escape", 27, ""), " ": ("Space", 32, " "),
        "ArrowLeft": ("ArrowLeft", 37, ""), "ArrowUp": ("ArrowUp", 38, ""), "ArrowRight": ("ArrowRight", 39, ""),
        "ArrowDown": ("ArrowDown", 40, ""), "Home": ("Home", 36, ""), "End": ("End", 35, "")}


# Evaluates every five milliseconds; an exception counts as false.
WAIT = """new Promise((done) => {
  const value = () => { try { return (%s); } catch { return null; } };
  const end = performance.now() + %d;
  const look = () => {
    const now = value();
    if (now || performance.now() > end) done(now instanceof Node ? true : now);
    else setTimeout(look, 5);
  };
  look();
})"""

# The middle of the first matching visible element, once it has stopped moving.
MIDDLE = """new Promise((done) => {
  let before = "";
  const look = () => {
    const element = [...document.querySelectorAll(%s)].find((e) => e.getClientRects().length);
    element?.scrollIntoView({ block: "center", behavior: "instant" });
    const r = element?.getBoundingClientRect();
    const now = r ? `${r.x} ${r.y} ${r.width} ${r.height}` : "";
    if (now && now === before) return done([r.x + r.width / 2, r.y + r.height / 2]);
    before = now;
    setTimeout(look, 20);
  };
  look();
})"""


class BrowserError(Exception):
    """The browser refused a command, or a script in the page threw an exception."""


class Chromium:
    def __init__(self):
        program = next(filter(None, map(shutil.which, NAMES)), None)
        if not program:
            raise AssertionError("there is no chromium: apt-get install chromium")
        self.dir = tempfile.mkdtemp(prefix="proofd-chromium-")
        commands, self.commands = os.pipe()
        self.answers, answers = os.pipe()
        # Descriptor numbers above those of the browser. None stays open here, otherwise its end would go unnoticed.
        moved = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in (commands, answers)]
        log = os.path.join(self.dir, "log")
        actions = [(os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
                   (os.POSIX_SPAWN_OPEN, 1, log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600),
                   (os.POSIX_SPAWN_DUP2, 1, 2), (os.POSIX_SPAWN_DUP2, moved[0], 3), (os.POSIX_SPAWN_DUP2, moved[1], 4)]
        home = dict(os.environ, HOME=self.dir, XDG_CONFIG_HOME=self.dir, XDG_CACHE_HOME=self.dir)
        self.pid = os.posix_spawn(program, [program, *FLAGS, "--user-data-dir=" + self.dir, "about:blank"], home,
                                  file_actions=actions, setpgroup=0)
        for end in (commands, answers, *moved):
            os.close(end)
        self.buffer = b""
        self.next_id = 0
        self.replies = {}
        self.tabs = {}
        self.events = []  # of the browser itself

    # --- messages, ended by a zero byte

    def send(self, method, session=None, **params):
        self.next_id += 1
        message = {"id": self.next_id, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.commands, data):]
        return self.next_id

    def read(self, until):
        """Receives messages until `until()` is true."""
        end = time.monotonic() + TIMEOUT
        while not until():
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.answers], [], [], left)[0]:
                raise BrowserError("the browser has not answered for %d seconds\n%s" % (TIMEOUT, self.log()))
            more = os.read(self.answers, 1 << 20)
            if not more:
                raise BrowserError("the browser has ended\n" + self.log())
            *messages, self.buffer = (self.buffer + more).split(b"\0")
            for message in messages:
                self.take(json.loads(message))

    def take(self, message):
        if "id" in message:
            self.replies[message["id"]] = message
        elif message.get("sessionId") in self.tabs:
            self.tabs[message["sessionId"]].event(message["method"], message["params"])
        else:
            self.events.append((message["method"], message["params"]))

    def call(self, method, session=None, **params):
        number = self.send(method, session, **params)
        self.read(lambda: number in self.replies)
        reply = self.replies.pop(number)
        if "error" in reply:
            raise BrowserError("%s: %s" % (method, reply["error"]["message"]))
        return reply["result"]

    def log(self):
        with open(os.path.join(self.dir, "log"), errors="replace") as file:
            return file.read()[-4000:]

    # --- tabs

    def tab(self, url="about:blank", width=1280, height=860):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        tab = self.tabs[session] = Tab(self, session, target)
        for domain in ("Page", "Runtime", "Log", "Accessibility", "DOM"):
            tab.call(domain + ".enable")
        tab.call("Page.setLifecycleEventsEnabled", enabled=True)
        tab.size(width, height)
        tab.call("Emulation.setFocusEmulationEnabled", enabled=True)
        tab.goto(url)
        return tab

    def downloads(self, folder):
        self.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=folder, eventsEnabled=True)

    def downloaded(self):
        """Waits until the next file is complete; returns the name that the page gave it."""
        def complete():
            done = {params["guid"] for method, params in self.events
                    if method == "Browser.downloadProgress" and params["state"] == "completed"}
            return [params for method, params in self.events
                    if method == "Browser.downloadWillBegin" and params["guid"] in done]

        self.read(complete)
        begun = complete()[0]
        self.events = [(method, params) for method, params in self.events if params.get("guid") != begun["guid"]]
        return begun["suggestedFilename"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("Browser.close")
        except (BrowserError, OSError):
            pass
        os.close(self.commands)
        os.close(self.answers)
        if not self.ended(5):
            os.killpg(self.pid, signal.SIGKILL)  # its process group
            os.waitpid(self.pid, 0)
        shutil.rmtree(self.dir, ignore_errors=True)

    def ended(self, seconds):
        """Waits for its end."""
        descriptor = os.pidfd_open(self.pid)
        try:
            if not select.select([descriptor], [], [], seconds)[0]:
                return False
        finally:
            os.close(descriptor)
        os.waitpid(self.pid, 0)
        return True


class Tab:
    def __init__(self, browser, session, target):
        self.browser, self.session, self.target = browser, session, target
        self.errors = []  # errors of the console, and exceptions
        self.paused = []  # requests that wait for an answer of the test (Fetch.enable)
        self.loaded = 0
        self.documents = set()  # that are loaded

    def call(self, method, **params):
        return self.browser.call(method, self.session, **params)

    def event(self, method, params):
        if method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description") or details["text"])
        elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.errors.append("%(text)s" % params["entry"] + " " + params["entry"].get("url", ""))
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "assert"):
            self.errors.append(" ".join(str(arg.get("value", arg.get("description"))) for arg in params["args"]))
        elif method == "Fetch.requestPaused":
            self.paused.append(params)
        elif method == "Page.lifecycleEvent" and params["name"] == "load":
            self.loaded += 1
            self.documents.add(params["loaderId"])

    def goto(self, url):
        """Opens an address and waits until it is loaded."""
        document = self.call("Page.navigate", url=url)["loaderId"]
        self.browser.read(lambda: document in self.documents)

    def js(self, expression):
        """The value of an expression in the page, or of the promise that it is."""
        reply = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True,
                          userGesture=True)
        if "exceptionDetails" in reply:
            details = reply["exceptionDetails"]
            raise BrowserError(details.get("exception", {}).get("description") or details["text"])
        return reply["result"].get("value")

    def until(self, condition, seconds=TIMEOUT - 10):
        """Waits until an expression in the page is true; returns its value."""
        value = self.js(WAIT % (condition, seconds * 1000))
        if not value:
            raise AssertionError("never true in the page: %s\n%s\nerrors: %s" %
                                 (condition, self.js("document.body.innerText.slice(0, 3000)"), self.errors))
        return value

    # --- what a person does

    def key(self, name, count=1, shift=False):
        code, number, text = KEYS.get(name, ("", ord(name.upper()) if len(name) == 1 else 0, name))
        key = {"key": name, "code": code, "windowsVirtualKeyCode": number, "modifiers": 8 if shift else 0}
        for _ in range(count):
            self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **key)
            self.call("Input.dispatchKeyEvent", type="keyUp", **key)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def click(self, selector):
        """Clicks into the middle of the first matching visible element."""
        self.until("[...document.querySelectorAll(%s)].some((e) => e.getClientRects().length)" % json.dumps(selector))
        x, y = self.js(MIDDLE % json.dumps(selector))
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    # --- how it is shown

    def size(self, width, height, mobile=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=mobile)

    def media(self, **features):
        """prefers_color_scheme="dark", for instance."""
        self.call("Emulation.setEmulatedMedia", features=[{"name": name.replace("_", "-"), "value": value}
                                                          for name, value in features.items()])

    def picture(self, path, whole=False):
        """Takes a picture of what is in view, or of the whole page."""
        shot = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        with open(path, "wb") as file:
            file.write(base64.b64decode(shot["data"]))

    def accessible(self):
        """(role, name) of each node that a screen reader presents."""
        nodes = self.call("Accessibility.getFullAXTree")["nodes"]
        return [(node.get("role", {}).get("value"), node.get("name", {}).get("value", "").strip())
                for node in nodes if not node.get("ignored")]

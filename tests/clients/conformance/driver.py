"""The driver of the Python library; README.md of this folder describes the operations. `driver.py PACKAGE [--async]`"""

import asyncio
import hashlib
import json
import sys

sys.path.insert(0, sys.argv[1])
from proofd import AsyncClient, Client, ProofdError  # noqa: E402


def stub(client, method):
    space, word = method.split(".")
    return getattr(getattr(client, space), word)


def outcome(value):
    """What `many` yields for a call."""
    return {"error": told(value)} if isinstance(value, ProofdError) else {"result": value}


def told(error):
    return {"slug": error.slug, "code": error.code, "field": error.field, "message": error.message}


def options(step):
    return {
        "token": step.get("token"),
        "tls": step.get("tls"),
        "timeout": step.get("timeout"),
        "reconnect": step.get("reconnect", 60),
    }


def counted(outcomes):
    slugs = {}
    for one in outcomes:
        if isinstance(one, ProofdError):
            slugs[one.slug] = slugs.get(one.slug, 0) + 1
    return {"results": len(outcomes) - sum(slugs.values()), "errors": slugs}


def hold(step):
    with open(step["fifo"], encoding="utf-8") as fifo:
        fifo.read()


class Sync:
    """The operations through Client."""

    def __init__(self):
        self.client = None
        self.named = {}

    def open(self, step):
        self.client = Client(step["address"], **options(step))

    def close(self, _):
        self.client.close()

    def call(self, step):
        return stub(self.client, step["method"])(**step.get("params", {}), timeout=step.get("timeout"))

    def raw(self, step):
        return self.client.call(step["method"], step.get("params", {}))

    def start(self, step):
        params = step.get("params", {})
        self.named[step["as"]] = [self.client.start(step["method"], **params) for _ in range(step.get("count", 1))]

    def finish(self, step):
        outcomes = []
        for pending in self.named.pop(step["as"]):
            try:
                outcomes.append(pending.result())
            except ProofdError as error:
                outcomes.append(error)
        if step.get("all"):
            return counted(outcomes)
        if isinstance(outcomes[0], ProofdError):
            raise outcomes[0]
        return outcomes[0]

    def cancel(self, step):
        for pending in self.named[step["as"]]:
            pending.cancel()

    def many(self, step):
        return [outcome(one) for one in self.client.many(step["calls"])]

    def query(self, step):
        return list(self.client.query(step["game"], step["positions"], each_move=step.get("each_move")))

    def watch(self, step):
        self.named[step["as"]] = self.client.watch(step["job"], step.get("interval", 0.1))

    def next(self, step):
        watching = self.named[step["as"]]
        for state in watching:
            if state["state"] in step["until"]:
                return state
        return None

    def end(self, step):
        self.named.pop(step["as"]).close()

    def wait(self, step):
        seen = []
        job = self.client.wait(step["job"], progress=seen.append, interval=0.1, timeout=step.get("timeout"))
        return {"job": job, "progress": len(seen)}

    def solve(self, step):
        return self.client.solve(**step["params"])

    def jobs(self, step):
        return list(self.client.jobs(step.get("state")))

    def certificate(self, step):
        return digest(b"".join(self.client.certificate(**step["params"])))

    def hello(self, _):
        return self.client.hello

    def hold(self, step):
        hold(step)


def digest(content):
    return {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


class Async:
    """The operations through AsyncClient."""

    def __init__(self):
        self.client = None
        self.named = {}

    async def open(self, step):
        self.client = await AsyncClient(step["address"], **options(step)).connect()

    async def close(self, _):
        await self.client.close()

    async def call(self, step):
        return await stub(self.client, step["method"])(**step.get("params", {}), timeout=step.get("timeout"))

    async def raw(self, step):
        return await self.client.call(step["method"], step.get("params", {}))

    async def start(self, step):
        calls = [self.client.call(step["method"], step.get("params", {})) for _ in range(step.get("count", 1))]
        self.named[step["as"]] = [asyncio.ensure_future(call) for call in calls]
        await asyncio.sleep(0)

    async def finish(self, step):
        outcomes = await asyncio.gather(*self.named.pop(step["as"]), return_exceptions=True)
        for one in outcomes:
            if isinstance(one, BaseException) and not isinstance(one, ProofdError):
                one = outcomes[0] = ProofdError("closed", 0, None, "cancelled")
        if step.get("all"):
            return counted(outcomes)
        if isinstance(outcomes[0], ProofdError):
            raise outcomes[0]
        return outcomes[0]

    async def cancel(self, step):
        for task in self.named[step["as"]]:
            task.cancel()

    async def many(self, step):
        return [outcome(one) async for one in self.client.many(step["calls"])]

    async def query(self, step):
        asked = self.client.query(step["game"], step["positions"], each_move=step.get("each_move"))
        return [fact async for fact in asked]

    async def watch(self, step):
        self.named[step["as"]] = self.client.watch(step["job"], step.get("interval", 0.1))

    async def next(self, step):
        async for state in self.named[step["as"]]:
            if state["state"] in step["until"]:
                return state
        return None

    async def end(self, step):
        await self.named.pop(step["as"]).aclose()

    async def wait(self, step):
        seen = []
        job = await self.client.wait(step["job"], progress=seen.append, interval=0.1, timeout=step.get("timeout"))
        return {"job": job, "progress": len(seen)}

    async def solve(self, step):
        return await self.client.solve(**step["params"])

    async def jobs(self, step):
        return [job async for job in self.client.jobs(step.get("state"))]

    async def certificate(self, step):
        return digest(b"".join([piece async for piece in self.client.certificate(**step["params"])]))

    async def hello(self, _):
        return self.client.hello

    async def hold(self, step):
        hold(step)


async def served(step, driver):
    """Carries out a step; the answer."""
    try:
        result = getattr(driver, step["op"])(step)
        return {"result": await result if asyncio.iscoroutine(result) else result}
    except ProofdError as error:
        return {"error": told(error)}


def answer(value):
    print(json.dumps(value), flush=True)


async def run_async():
    driver, loop = Async(), asyncio.get_running_loop()
    while True:
        line = await loop.run_in_executor(None, sys.stdin.readline)
        if not line:
            return
        answer(await served(json.loads(line), driver))


def run_sync():
    driver = Sync()
    for line in sys.stdin:
        answer(asyncio.run(served(json.loads(line), driver)))


if __name__ == "__main__":
    if "--async" in sys.argv:
        asyncio.run(run_async())
    else:
        run_sync()

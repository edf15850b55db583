"""What the asyncio client waits with does not forget that it was cancelled, whenever that happens."""

import asyncio
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import package  # noqa: E402

sys.path.insert(0, package("python"))
from proofd._async import within  # noqa: E402


class Within(unittest.TestCase):
    def test_a_cancellation_as_the_work_is_done_counts(self):
        async def waits(event):
            await within(event.wait(), 30)
            await asyncio.Event().wait()

        async def run(turns):
            event = asyncio.Event()
            task = asyncio.ensure_future(waits(event))
            for turn in range(6):
                if turn == turns:
                    event.set()
                await asyncio.sleep(0)
                if turn == turns + 1:
                    task.cancel()
            done, _ = await asyncio.wait({task}, timeout=5)
            self.assertTrue(done and task.cancelled())

        for turns in range(4):
            asyncio.run(run(turns))

    def test_the_time_is_up(self):
        async def run():
            with self.assertRaises(asyncio.TimeoutError):
                await within(asyncio.Event().wait(), 0.01)
            self.assertEqual(await within(asyncio.sleep(0, "slept"), 5), "slept")

        asyncio.run(run())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

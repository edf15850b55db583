"""The state file of `./dev lab cluster`: a run is kept once, also after a kill in the middle of a line."""

import os
import sys
import tempfile
import types
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import cluster  # noqa: E402


class State(unittest.TestCase):
    def test_a_torn_last_line_is_cut_off(self):
        with tempfile.TemporaryDirectory() as place:
            for i, torn in enumerate(("", '{"mode": [false, fal', '{"mode": [false, false, true], "name": "x"}')):
                path = os.path.join(place, str(i))
                options = types.SimpleNamespace(state=path, share=False, short=True, sharing=False, doubles=False)
                cluster.Lab(options).keep("undisturbed", 1, 1.5, {"banned": 0})
                with open(path, "a", encoding="utf-8") as file:
                    file.write(torn)
                again = cluster.Lab(options)
                self.assertEqual(list(again.done), [("undisturbed", 1)])
                again.keep("killed", 2, 2.5, {})
                self.assertEqual(sorted(cluster.Lab(options).done), [("killed", 2), ("undisturbed", 1)])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

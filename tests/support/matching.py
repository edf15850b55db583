"""matching: expected replies with placeholders. "*" is any value; "$name" is a value that must be the same at each use
of the name; the member "...": "..." is any further members, and a last item "..." any further items."""

import json


def match(expected, actual, names, place="reply"):
    """None if the reply matches; otherwise the difference."""
    if expected == "*":
        return None
    if isinstance(expected, str) and expected.startswith("$"):
        known = names.setdefault(expected, actual)
        return None if known == actual else "%s is %r and was %r" % (place, actual, known)
    if isinstance(expected, dict) and isinstance(actual, dict):
        return match_object(expected, actual, names, place)
    if isinstance(expected, list) and isinstance(actual, list):
        more = expected[-1:] == ["..."]
        wanted = expected[:-1] if more else expected
        if len(actual) < len(wanted) or (len(actual) > len(wanted) and not more):
            return "%s has %d items" % (place, len(actual))
        for i, item in enumerate(wanted):
            wrong = match(item, actual[i], names, "%s[%d]" % (place, i))
            if wrong:
                return wrong
        return None
    # 1 and True are equal in Python and not in JSON
    same = expected == actual and isinstance(expected, bool) == isinstance(actual, bool)
    return None if same else "%s is %s" % (place, json.dumps(actual))


def match_object(expected, actual, names, place):
    more = "..." in expected
    for key, value in expected.items():
        if key == "...":
            continue
        if key not in actual:
            return "%s has no %s" % (place, key)
        wrong = match(value, actual[key], names, "%s.%s" % (place, key))
        if wrong:
            return wrong
    surplus = [key for key in actual if key not in expected]
    return "%s has %s as well" % (place, ", ".join(surplus)) if surplus and not more else None

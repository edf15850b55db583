"""Stubs: completes the Python and Node libraries with what rpc.discover (OpenRPC) says: methods, types, errors.

`stubs.py DOCUMENT DIRECTORY` writes DIRECTORY/python and DIRECTORY/node, packages for pip and npm: copies of the files
in clients/python and clients/node, and the generated ones. The types of results are objects with names: those of the
document's schemas, and for others the method's name and the member's.
"""

import json
import keyword
import os
import re
import shutil
import sys
import textwrap

WIDTH = 116
MADE = "Generated from rpc.discover; do not edit."
ALIASES = {  # types of parameters and results that occur often
    "Moves": ("union", ("str",), ("list", ("str",))),
    "Size": ("union", ("int",), ("str",)),
    "ProofNumber": ("union", ("int",), ("const", "inf")),
}


def camel(text):
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"[^A-Za-z0-9]", text))


class Member:
    def __init__(self, name, kind, optional, doc):
        self.name, self.kind, self.optional, self.doc = name, kind, optional, doc


class Model:
    """What the document says, without JSON schema: objects and enumerations by name, and methods."""

    def __init__(self, document):
        self.schemas = document["components"]["schemas"]
        self.errors = {slug: error["code"] for slug, error in document["components"]["errors"].items()}
        self.objects = {}  # name: (doc, members), each after those that it refers to
        self.choices = {}  # name: texts
        self.methods = []
        for name, schema in self.schemas.items():
            self.type_of(schema, camel(name))
        for method in document["methods"]:
            self.methods.append(Method(self, method))

    def type_of(self, schema, hint):
        """A type as a tuple: its kind, and what belongs to it. `hint` names it when it needs a name."""
        if "$ref" in schema:
            return ("ref", camel(schema["$ref"].split("/")[-1]))
        for key in ("anyOf", "oneOf"):
            if key in schema:
                return self.alias(("union",) + tuple(self.type_of(one, hint) for one in schema[key]))
        if "allOf" in schema:
            return self.type_of(schema["allOf"][0], hint)
        if "const" in schema:
            return ("const", schema["const"])
        if "enum" in schema:
            return ("ref", self.choice(schema["enum"], hint))
        kind = schema["type"]
        if kind == "array":
            return ("list", self.type_of(schema["items"], re.sub("s$", "", hint)))
        if kind == "object" and "properties" in schema:
            return ("ref", self.object(schema, hint))
        return {"string": ("str",), "integer": ("int",), "number": ("float",), "boolean": ("bool",),
                "null": ("null",), "object": ("dict",)}[kind]

    @staticmethod
    def alias(kind):
        return next((("ref", name) for name, what in ALIASES.items() if what == kind), kind)

    def choice(self, texts, hint):
        """The name of an enumeration: the last word of the hint, or more of it when that is taken."""
        words = re.findall(r"[A-Z][a-z0-9]*", hint)
        for count in range(1, len(words) + 1):
            name = "".join(words[-count:])
            if name not in self.objects and camel(name) not in map(camel, self.schemas) and \
                    self.choices.setdefault(name, texts) == texts:
                return name
        raise ValueError("no name is left for the enumeration at %s" % hint)

    def object(self, schema, name):
        # Parameters state no `required`: a member may be left out.
        required = schema.get("required", [])
        members = []
        for member, what in schema["properties"].items():
            kind = self.type_of(what, name + camel(member))
            members.append(Member(member, kind, member not in required, what.get("description", "")))
        known = self.objects.get(name)
        if known and [vars(m) for m in known[1]] != [vars(m) for m in members]:
            raise ValueError("there are two objects %s" % name)
        self.objects[name] = (schema.get("description", ""), members)
        return name


class Method:
    def __init__(self, model, entry):
        self.name = entry["name"]
        self.space, self.word = self.name.split(".")
        self.doc = entry["summary"][:1].upper() + entry["summary"][1:] + "."
        self.note = entry.get("description", "")
        self.reads = entry["x-role"] in ("none", "public", "query")
        self.params = [Member(param["name"], model.type_of(param["schema"], camel(param["name"])),
                              not param["required"], param["description"]) for param in entry["params"]]
        self.params.sort(key=lambda param: param.optional)  # stable; required parameters first
        self.nested = any(param.kind[0] == "ref" and param.kind[1] in model.objects for param in self.params)
        self.result = model.type_of(entry["result"]["schema"], camel(self.name))
        for param in self.params:
            if keyword.iskeyword(param.name) or param.name in ("timeout", "signal", "self"):
                raise ValueError("%s cannot be a parameter of a method of the libraries" % param.name)


def wrapped(text, indent, first="", more=""):
    return textwrap.wrap(text, WIDTH, initial_indent=indent + first, subsequent_indent=indent + more,
                         break_on_hyphens=False)


def by_space(model):
    """{namespace: its methods}."""
    return {space: [method for method in model.methods if method.space == space]
            for space in dict.fromkeys(method.space for method in model.methods)}


# --- Python


def py_type(kind, argument=False):
    what, *of = kind
    if what == "union":
        kinds = [one for one in of if one != ("null",)]
        inner = ", ".join(py_type(one, argument) for one in kinds)
        inner = "Union[%s]" % inner if len(kinds) > 1 else inner
        return "Optional[%s]" % inner if ("null",) in of else inner
    if what == "list":
        return "%s[%s]" % ("Sequence" if argument else "List", py_type(of[0], argument))
    if what == "const":
        return "Literal[%s]" % json.dumps(of[0])
    return {"ref": of[0] if of else "", "dict": "Dict[str, Any]"}.get(what, what)


def py_members(name, base, total, members):
    """A TypedDict: a class, or a call if a member's name is not an identifier."""
    if all(member.name.isidentifier() for member in members):
        yield "class %s(%s, total=%s):" % (name, base, total)
        line, end = "    %s: %s", ""
    elif base == "TypedDict":
        yield '%s = TypedDict("%s", {' % (name, name)
        line, end = '    "%s": %s,', "}, total=%s)" % total
    else:
        raise ValueError("%s has members that Python has no names for" % name)
    for member in members:
        yield from wrapped(member.doc, "    # ")
        yield line % (member.name, py_type(member.kind))
    yield end


def py_object(name, doc, members):
    yield ""
    yield from wrapped(doc, "# ")
    always = [member for member in members if not member.optional]
    at_times = [member for member in members if member.optional]
    if always and at_times:
        yield from py_members("_" + name, "TypedDict", True, always)
        yield from py_members(name, "_" + name, False, at_times)
    else:
        yield from py_members(name, "TypedDict", bool(always), members)


def py_types(model):
    yield '"""The types of parameters and results. %s"""' % MADE
    yield "from typing import Any, Dict, FrozenSet, List, Literal, Optional, Sequence, TypedDict, Union"
    yield ""
    yield "#: The codes of the errors, by their slugs."
    yield "ERROR_CODES: Dict[str, int] = %s" % json.dumps(model.errors, indent=4)
    yield "#: The methods that change nothing: a request whose reply was lost is sent again."
    yield "READS: FrozenSet[str] = frozenset(%s)" % json.dumps([m.name for m in model.methods if m.reads], indent=4)
    for name, kind in ALIASES.items():
        yield "%s = %s" % (name, py_type(kind, True))
    for name, texts in model.choices.items():
        yield "%s = Literal%s" % (name, json.dumps(texts))
    for name, (doc, members) in model.objects.items():
        yield from py_object(name, doc, members)


def py_method(method):
    required = ["%s: %s" % (param.name, py_type(param.kind, True)) for param in method.params if not param.optional]
    optional = ["%s: Optional[%s] = None" % (param.name, py_type(param.kind, True))
                for param in method.params if param.optional]
    # The server says where a name that is not a parameter belongs; a checker of types refuses it as well.
    others = ["**others: NoReturn"] if method.nested else []
    taken = ", ".join(["self"] + required + ["*"] + optional + ["timeout: Optional[float] = None"] + others)
    result = py_type(method.result)
    yield "    async def %s(%s) -> %s:" % (method.word, taken, result)
    yield from wrapped(method.doc + " " + method.note, "        ", '"""')
    yield ""
    for param in method.params:
        yield from wrapped(param.name + ": " + param.doc, "        ", "", "    ")
    yield '        """'
    params = ['"%s": %s' % (param.name, param.name) for param in method.params] + ["**others"] * method.nested
    yield '        return cast(%s, await self._call("%s", {%s}, timeout))' % (result, method.name, ", ".join(params))


def py_methods(model):
    yield '"""The methods of the protocol. %s"""' % MADE
    yield "from __future__ import annotations"
    yield "from typing import Any, Awaitable, Callable, Dict, List, Literal, NoReturn, Optional, Sequence, Union, cast"
    yield "from ._types import *"
    yield ""
    yield "Caller = Callable[[str, Dict[str, Any], Optional[float]], Awaitable[Any]]"
    for space, methods in by_space(model).items():
        yield ""
        yield "class Async%sMethods:" % camel(space)
        yield "    def __init__(self, call: Caller) -> None:"
        yield "        self._call = call"
        for method in methods:
            yield ""
            yield from py_method(method)
    yield ""
    yield "class AsyncMethods:"
    yield "    def __init__(self, call: Caller) -> None:"
    for space in by_space(model):
        yield "        self.%s = Async%sMethods(call)" % (space, camel(space))


def blocking(text):
    """The blocking variant of a file for asyncio."""
    for old, new in (("async def ", "def "), ("async for ", "for "), ("await ", ""), ("Awaitable[Any]", "Any"),
                     ("AsyncIterator", "Iterator"), (".aclose()", ".close()"), ("_async_methods", "_methods"),
                     ("class Async", "class "), ("(Async", "("), ("= Async", "= "), ("import Async", "import ")):
        text = text.replace(old, new)
    return text


# --- JavaScript and TypeScript


def ts_type(kind, argument=False):
    what, *of = kind
    if what == "union":
        return " | ".join(ts_type(one, argument) for one in of)
    if what == "list":
        inner = ts_type(of[0], argument)
        inner = "(%s)" % inner if " " in inner else inner
        return ("readonly %s[]" if argument else "%s[]") % inner
    if what == "const":
        return json.dumps(of[0])
    return {"ref": of[0] if of else "", "dict": "{ [name: string]: unknown }", "str": "string", "int": "number",
            "float": "number", "bool": "boolean", "null": "null"}[what]


def ts_doc(text, indent=""):
    if text:
        yield "%s/** %s */" % (indent, text.replace("*/", "* /"))


def ts_interface(name, doc, members, argument=False):
    yield ""
    yield from ts_doc(doc)
    yield "export interface %s {" % name
    for member in members:
        yield from ts_doc(member.doc, "  ")
        yield "  %s%s: %s;" % (json.dumps(member.name), "?" if member.optional else "", ts_type(member.kind, argument))
    yield "}"


CALL_OPTIONS = """
/** The options of every call. */
export interface CallOptions {
  /** Ends the wait for the reply: the call fails with the slug `closed`. */
  signal?: AbortSignal;
  /** Milliseconds to wait for the reply; then the call fails with the slug `timeout`. */
  timeout?: number;
}
"""


def ts_types(model):
    yield "// The methods of the protocol, their parameters and results. %s" % MADE
    yield CALL_OPTIONS
    for name, kind in ALIASES.items():
        yield "export type %s = %s;" % (name, ts_type(kind, True))
    for name, texts in model.choices.items():
        yield "export type %s = %s;" % (name, " | ".join(map(json.dumps, texts)))
    for name, (doc, members) in model.objects.items():
        yield from ts_interface(name, doc, members)
    for method in model.methods:
        if method.params:
            yield from ts_interface(camel(method.name) + "Params", "", method.params, True)
    for space, methods in by_space(model).items():
        yield ""
        yield "export interface %sMethods {" % camel(space)
        for method in methods:
            yield from ts_doc(method.doc + (" " + method.note if method.note else ""), "  ")
            free = all(param.optional for param in method.params)
            kind = camel(method.name) + "Params" if method.params else "{ [name: string]: never }"
            yield "  %s(params%s: %s, options?: CallOptions): Promise<%s>;" % (
                method.word, "?" if free else "", kind, ts_type(method.result))
        yield "}"
    yield ""
    yield "export interface Methods {"
    for space in by_space(model):
        yield "  readonly %s: %sMethods;" % (space, camel(space))
    yield "}"


def js_methods(model):
    yield "// The methods of the protocol and its errors. %s" % MADE
    yield ""
    yield '"use strict";'
    yield "/** The methods by their namespaces. */"
    yield "const METHODS = %s;" % json.dumps(
        {space: [method.word for method in methods] for space, methods in by_space(model).items()}, indent=2)
    yield "/** The methods that change nothing: a request whose reply was lost is sent again. */"
    yield "const READS = new Set(%s);" % json.dumps([m.name for m in model.methods if m.reads], indent=2)
    yield "/** The codes of the errors, by their slugs. */"
    yield "const ERROR_CODES = %s;" % json.dumps(model.errors, indent=2)
    yield "module.exports = { ERROR_CODES, METHODS, READS };"


# --- packages


def generated(document):
    """{path below the packages: text}."""
    model = Model(document)
    calls = os.path.join(os.path.dirname(os.path.abspath(__file__)), "python", "proofd", "_async_calls.py")
    with open(calls, encoding="utf-8") as file:
        calls = file.read()
    methods = "\n".join(py_methods(model)) + "\n"
    return {
        "python/proofd/_types.py": "\n".join(py_types(model)) + "\n",
        "python/proofd/_async_methods.py": methods,
        "python/proofd/_methods.py": blocking(methods),
        "python/proofd/_calls.py": blocking(calls),
        "node/lib/types.d.ts": "\n".join(ts_types(model)) + "\n",
        "node/lib/methods.js": "\n".join(js_methods(model)) + "\n",
    }


def write_packages(document, directory):
    for name in ("python", "node"):
        package = os.path.join(directory, name)
        shutil.rmtree(package, ignore_errors=True)
        shutil.copytree(os.path.join(os.path.dirname(os.path.abspath(__file__)), name), package,
                        ignore=shutil.ignore_patterns("__pycache__"))
    for path, text in generated(document).items():
        with open(os.path.join(directory, path), "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as source:
        write_packages(json.load(source), sys.argv[2])

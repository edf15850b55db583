"""Stubs: the parts of the client libraries that are made from rpc.discover (OpenRPC).

`files(document)` gives the text of each file by its path under clients/. `./dev protocol` writes them
(tests/clients/test_stubs.py BUILD --write), and the test clients.stubs compares them with the program. The types of
results are objects with names: those of the document's schemas, and for others the method's name and the member's.
"""

import json
import keyword
import re
import textwrap

WIDTH = 116
MADE = "Made from rpc.discover by `./dev protocol`; do not edit."
ALIASES = {  # types of parameters and results that occur often
    "Moves": ("union", ("str",), ("list", ("str",))),
    "Size": ("union", ("int",), ("str",)),
    "ProofNumber": ("union", ("int",), ("const", "inf")),
}


def camel(text):
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"[^A-Za-z0-9]", text))


def singular(text):
    return text[:-1] if text.endswith("s") else text


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
            return ("list", self.type_of(schema["items"], singular(hint)))
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
        raise ValueError("there is no name for the enumeration at %s" % hint)

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
        self.reads = entry["x-role"] in ("none", "query")
        self.params = [Member(param["name"], model.type_of(param["schema"], camel(param["name"])),
                              not param["required"], param["description"]) for param in entry["params"]]
        self.params.sort(key=lambda param: param.optional)  # stable: those that are required come first
        self.nested = any(param.kind[0] == "ref" and param.kind[1] in model.objects for param in self.params)
        self.result = model.type_of(entry["result"]["schema"], camel(self.name))
        for param in self.params:
            if keyword.iskeyword(param.name) or param.name in ("timeout", "signal", "self"):
                raise ValueError("%s cannot be a parameter of a method of the libraries" % param.name)


def wrapped(text, indent, first="", then=None):
    """Lines of text between indent and WIDTH."""
    following = indent + (first if then is None else then)
    return textwrap.wrap(text, WIDTH, initial_indent=indent + first, subsequent_indent=following,
                         break_long_words=False, break_on_hyphens=False)


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


def commented(line, doc):
    """A line with a comment behind it, or above it where it is long."""
    if len(line) + len(doc) + 4 > WIDTH:
        yield from wrapped(doc, line[:len(line) - len(line.lstrip())], "# ")
        yield line
    else:
        yield line + "  # " + doc if doc else line


def py_members(name, base, total, members):
    """A TypedDict, as a class where the names of its members can be names of Python."""
    tail = "" if total else ", total=False"
    if all(member.name.isidentifier() for member in members):
        yield "class %s(%s%s):" % (name, base, tail)
        for member in members:
            yield from commented("    %s: %s" % (member.name, py_type(member.kind)), member.doc)
        return
    if base != "TypedDict":
        raise ValueError("%s has members that Python has no names for" % name)
    yield '%s = TypedDict(' % name
    yield '    "%s",' % name
    yield "    {"
    for member in members:
        yield from commented('        "%s": %s,' % (member.name, py_type(member.kind)), member.doc)
    yield "    },"
    if not total:
        yield "    total=False,"
    yield ")"


def py_object(name, doc, members):
    always = [member for member in members if not member.optional]
    at_times = [member for member in members if member.optional]
    yield ""
    yield ""
    if doc:
        yield from wrapped(doc, "", "# ")
    if always and at_times:
        yield from py_members("_" + name, "TypedDict", True, always)
        yield ""
        yield ""
        yield from py_members(name, "_" + name, False, at_times)
    else:
        yield from py_members(name, "TypedDict", bool(always), always or at_times)


def py_types(model):
    yield '"""The types of parameters and results. %s"""' % MADE
    yield ""
    yield "from typing import Any, Dict, FrozenSet, List, Literal, Optional, Sequence, TypedDict, Union"
    yield ""
    yield "#: The codes of the errors, by their slugs."
    yield "ERROR_CODES: Dict[str, int] = {"
    for slug, code in model.errors.items():
        yield '    "%s": %d,' % (slug, code)
    yield "}"
    yield ""
    yield "#: The methods that change nothing: a request whose reply was lost is sent again."
    yield "READS: FrozenSet[str] = frozenset("
    yield "    ["
    for method in model.methods:
        if method.reads:
            yield '        "%s",' % method.name
    yield "    ]"
    yield ")"
    yield ""
    for name, kind in ALIASES.items():
        yield "%s = %s" % (name, py_type(kind, True))
    for name, texts in model.choices.items():
        listed = ", ".join('"%s"' % text for text in texts)
        if len(name) + len(listed) + 12 <= WIDTH:
            yield "%s = Literal[%s]" % (name, listed)
        else:
            yield "%s = Literal[" % name
            yield from wrapped(listed + ",", "    ")
            yield "]"
    for name, (doc, members) in model.objects.items():
        yield from py_object(name, doc, members)


def py_method(method, prefix, docs):
    required = ["%s: %s" % (param.name, py_type(param.kind, True)) for param in method.params if not param.optional]
    optional = ["%s: Optional[%s] = None" % (param.name, py_type(param.kind, True))
                for param in method.params if param.optional]
    result = py_type(method.result)
    # The server tells to which parameter a name belongs that is none of these; a checker of types refuses it as well.
    others = ["**others: NoReturn"] if method.nested else []
    taken = ", ".join(["self"] + required + ["*"] + optional + ["timeout: Optional[float] = None"] + others)
    line = "    %sdef %s(%s) -> %s:" % (prefix, method.word, taken, result)
    if len(line) <= WIDTH:
        yield line
    else:
        yield "    %sdef %s(" % (prefix, method.word)
        yield from (line.replace("~", " ") for line in wrapped(re.sub(r"(?<!,) ", "~", taken), "        "))
        yield "    ) -> %s:" % result
    lines = wrapped(method.doc + (" " + method.note if method.note and docs else ""), "        ", '"""', "")
    if docs and method.params:
        yield from lines
        yield ""
        for param in method.params:
            yield from wrapped(param.doc, "        ", param.name + ": ", "    ")
        yield '        """'
    elif len(lines) == 1:
        yield lines[0] + '"""'
    else:
        yield from lines
        yield '        """'
    params = ", ".join(['"%s": %s' % (param.name, param.name) for param in method.params] +
                       ["**others"] * method.nested)
    call = '%sself._call("%s", {%s}, timeout)' % ("await " if prefix else "", method.name, params)
    if len(call) + len(result) + 22 <= WIDTH:
        yield "        return cast(%s, %s)" % (result, call)
        return
    yield "        params: Dict[str, Any] = {"
    yield from wrapped(params + ",", "            ")
    yield "        }"
    yield '        return cast(%s, %sself._call("%s", params, timeout))' % (
        result, "await " if prefix else "", method.name)


def py_methods(model, asynchronous):
    names = {name for method in model.methods for name in names_in(method.result)}
    names |= {name for method in model.methods for param in method.params for name in names_in(param.kind)}
    yield '"""The methods of the protocol%s. %s"""' % (", for asyncio" if asynchronous else "", MADE)
    yield ""
    yield "from __future__ import annotations"
    yield ""
    other = "Awaitable, " if asynchronous else ""
    yield "from typing import Any, %sCallable, Dict, NoReturn, Optional, Sequence, Union, cast" % other
    yield ""
    yield "from ._types import ("
    yield from wrapped(", ".join(sorted(names)) + ",", "    ")
    yield ")"
    yield ""
    yield "Caller = Callable[[str, Dict[str, Any], Optional[float]], %s]" % (
        "Awaitable[Any]" if asynchronous else "Any")
    spaces = list(dict.fromkeys(method.space for method in model.methods))
    for space in spaces:
        yield ""
        yield ""
        yield "class %s%sMethods:" % ("Async" if asynchronous else "", camel(space))
        yield "    def __init__(self, call: Caller) -> None:"
        yield "        self._call = call"
        for method in model.methods:
            if method.space == space:
                yield ""
                yield from py_method(method, "async " if asynchronous else "", not asynchronous)
    yield ""
    yield ""
    kind = "AsyncMethods" if asynchronous else "Methods"
    yield "class %s:" % kind
    yield "    def __init__(self, call: Caller) -> None:"
    for space in spaces:
        yield "        self.%s = %s%sMethods(call)" % (space, "Async" if asynchronous else "", camel(space))


def names_in(kind):
    """The names that a type refers to."""
    if kind[0] == "ref":
        return {kind[1]}
    return {name for one in kind[1:] if isinstance(one, tuple) for name in names_in(one)}


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


def ts_doc(text, indent):
    text = text.replace("*/", "* /")
    if len(indent) + len(text) + 7 <= WIDTH:
        return ["%s/** %s */" % (indent, text)]
    return [indent + "/**"] + wrapped(text, indent, " * ") + [indent + " */"]


def ts_interface(name, doc, members, argument=False):
    yield ""
    if doc:
        yield from ts_doc(doc, "")
    yield "export interface %s {" % name
    for member in members:
        key = member.name if member.name.isidentifier() else '"%s"' % member.name
        line = "%s%s: %s;" % (key, "?" if member.optional else "", ts_type(member.kind, argument))
        doc = ts_doc(member.doc, "  ") if member.doc else ["  "]
        if len(doc) == 1 and len(doc[0]) + len(line) + 1 <= WIDTH:
            yield doc[0].rstrip() + (" " if member.doc else "  ") + line
        else:
            yield from doc + ["  " + line]
    yield "}"


def ts_types(model):
    yield "// The methods of the protocol, their parameters and results. %s" % MADE
    yield ""
    yield "/** What every call takes besides its parameters. */"
    yield "export interface CallOptions {"
    yield "  /** Ends the wait for the reply: the call fails with the slug `closed`. */"
    yield "  signal?: AbortSignal;"
    yield "  /** Milliseconds to wait for the reply; then the call fails with the slug `timeout`. */"
    yield "  timeout?: number;"
    yield "}"
    yield ""
    for name, kind in ALIASES.items():
        yield "export type %s = %s;" % (name, ts_type(kind, True))
    for name, texts in model.choices.items():
        yield "export type %s =" % name
        yield from wrapped("| ".join('"%s" ' % text for text in texts).strip() + ";", "  ")
    for name, (doc, members) in model.objects.items():
        yield from ts_interface(name, doc, members)
    for method in model.methods:
        if method.params:
            yield from ts_interface(camel(method.name) + "Params", "", method.params, True)
    spaces = list(dict.fromkeys(method.space for method in model.methods))
    for space in spaces:
        yield ""
        yield "export interface %sMethods {" % camel(space)
        for method in model.methods:
            if method.space == space:
                yield from ts_doc(method.doc + (" " + method.note if method.note else ""), "  ")
                free = all(param.optional for param in method.params)
                kind = camel(method.name) + "Params" if method.params else "{ [name: string]: never }"
                yield "  %s(params%s: %s, options?: CallOptions): Promise<%s>;" % (
                    method.word, "?" if free else "", kind, ts_type(method.result))
        yield "}"
    yield ""
    yield "export interface Methods {"
    for space in spaces:
        yield "  readonly %s: %sMethods;" % (space, camel(space))
    yield "}"


def js_methods(model):
    yield "// The methods of the protocol and its errors. %s" % MADE
    yield ""
    yield "/** The methods by their namespaces. */"
    yield "export const METHODS = {"
    for space in dict.fromkeys(method.space for method in model.methods):
        words = ", ".join('"%s"' % method.word for method in model.methods if method.space == space)
        yield from wrapped("%s: [%s]," % (space, words), "  ", "", "  ")
    yield "};"
    yield ""
    yield "/** The methods that change nothing: a request whose reply was lost is sent again. */"
    yield "export const READS = new Set(["
    yield from wrapped(", ".join('"%s"' % method.name for method in model.methods if method.reads) + ",", "  ")
    yield "]);"
    yield ""
    yield "/** The codes of the errors, by their slugs. */"
    yield "export const ERROR_CODES = {"
    for slug, code in model.errors.items():
        yield '  "%s": %d,' % (slug, code)
    yield "};"


def files(document):
    """{path under clients/: text}."""
    model = Model(document)
    made = {
        "python/proofd/_types.py": py_types(model),
        "python/proofd/_methods.py": py_methods(model, False),
        "python/proofd/_async_methods.py": py_methods(model, True),
        "node/lib/types.d.ts": ts_types(model),
        "node/lib/methods.mjs": js_methods(model),
    }
    return {path: "\n".join(lines) + "\n" for path, lines in made.items()}

"""The peer tests' common part: what an official MCP client must get from `tilesight mcp`.

A test names a client and the sessions it shall have. The client is a small program that reads a plan on stdin, opens
the server, lists the tools, makes the calls of the plan, and prints a transcript of what it was given; everything is
judged here, the same for all clients.

  plan        {"command", "env", "mode", "offer", "modules", "calls": [{"tool", "arguments", "as", "progress",
              "seconds"}]}; an argument "$NAME" is the handle that the call with "as": NAME brought, and progress asks
              to be told of it
  transcript  {"protocol_version", "server_info", "capabilities", "instructions", "tools": [as listed], "answers":
              [{"arguments", "progress", and "texts", "is_error", "structured", or "error": {"code", "message"}}]}

The calls stand in calls.json. Every tool has some: a tool without one fails the test."""
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SKIPPED = 77
LEGACY, MODERN = "2025-11-25", "2026-07-28"
ANNOTATED, TITLED = "2025-03-26", "2025-06-18"
CALL_SECONDS, SESSION_SECONDS = 60, 240


class Session:
    """mode: legacy (a session opened by initialize), auto (the client finds out), or a modern revision.
    version: what must be agreed on. offer: what the client proposes, where it can be told.
    greeted: whether this client asks who it talks to; one that is told the modern revision need not.
    structured: whether the server runs with --structured."""

    def __init__(self, mode, version, offer=None, greeted=True, structured=True):
        self.mode, self.version, self.offer = mode, version, offer
        self.greeted, self.structured = greeted, structured

    def __str__(self):
        return (f"{self.mode}{', offering ' + self.offer if self.offer else ''}"
                f"{'' if self.structured else ', without --structured'}")


def skip(why):
    print("skipped:", why)
    sys.exit(SKIPPED)


def install(kind):
    """The folder where the clients of this kind are. Skips the test where they cannot be installed."""
    done = subprocess.run(["sh", os.path.join(HERE, "install.sh"), kind], stdout=subprocess.PIPE, text=True,
                          env={**os.environ, "PYTHON": os.environ.get("PYTHON", sys.executable)}, check=False)
    if done.returncode == SKIPPED:
        sys.exit(SKIPPED)
    if done.returncode:
        sys.exit(f"install.sh {kind} ended with {done.returncode}")
    return done.stdout.strip()


def with_schema_validator():
    """Goes on in the Python that has jsonschema, which comes with the Python SDK."""
    if os.environ.get("TS_PEERS_PYTHON"):
        return
    python = os.path.join(install("python"), "bin", "python")
    sys.stdout.flush()
    os.execve(python, [python, *sys.argv], {**os.environ, "TS_PEERS_PYTHON": sys.executable, "PYTHON": sys.executable})


def question_names():
    """The questions in the order of the table that the tools are made from."""
    with open(os.path.join(ROOT, "src", "questions", "table.c"), encoding="utf-8") as text:
        names = re.findall(r"&ts_question_(\w+)", text.read())
    assert names, "src/questions/table.c names no question"
    return names


def calls_for(names, places):
    """The calls of calls.json for these tools, with the places of captures filled in, and a few that suit any tool."""
    with open(os.path.join(HERE, "calls.json"), encoding="utf-8") as text:
        declared = json.load(text)
    missing = [name for name in names if not any("refused" not in call for call in declared.get(name, []))]
    if missing:
        sys.exit(f"no successful call of {', '.join(missing)} in tests/peers/calls.json: add one")

    def filled(value):
        if not isinstance(value, str) or not value.startswith("@"):
            return value
        place, _, rest = value[1:].partition("/")
        return os.path.join(places[place], rest)

    calls = []
    for name in names:
        for call in declared[name]:
            arguments = {key: filled(value) for key, value in call["arguments"].items()}
            calls.append({**call, "tool": name, "arguments": arguments})
        calls.append({"tool": name, "arguments": {"no_such_argument": 1}, "refused": True, "invalid": True})
    calls.append({"tool": "no_such_tool", "arguments": {}, "unknown": True})
    return [{"seconds": CALL_SECONDS, **call} for call in calls]


class Judge:
    """Collects what is wrong with one session's transcript."""

    def __init__(self, session):
        self.session, self.wrong, self.schemas = session, [], {}

    def check(self, good, what):
        if not good:
            self.wrong.append(what)
        return good

    def greeting(self, transcript):
        self.check(transcript["protocol_version"] == self.session.version,
                   f"agreed on {transcript['protocol_version']}, not on {self.session.version}")
        if not self.session.greeted:
            return
        info, instructions = transcript["server_info"] or {}, transcript["instructions"] or ""
        self.check(info.get("name") == "tilesight" and info.get("version"), f"serverInfo is {info}")
        self.check(transcript["capabilities"] == {"tools": {}}, f"capabilities are {transcript['capabilities']}")
        self.check("load_report" in instructions, "the instructions do not say that load_report comes first")
        self.check(len(instructions.encode()) <= 4096, f"the instructions take {len(instructions.encode())} bytes")

    def schema(self, tool, key):
        """The validator of a tool's schema, or None where there is none or it is no schema."""
        import jsonschema
        schema = tool.get(key)
        if schema is None:
            return None
        try:
            jsonschema.Draft202012Validator.check_schema(schema)
        except jsonschema.SchemaError as error:
            self.check(False, f"{tool['name']}: {key} is no JSON Schema 2020-12: {error.message}")
            return None
        self.check(schema.get("type") == "object", f"{tool['name']}: {key} is not of an object")
        return jsonschema.Draft202012Validator(schema)

    def tools(self, listed, names):
        self.check([tool["name"] for tool in listed] == names,
                   f"tools are {[tool['name'] for tool in listed]}, not {names} as in the table of questions")
        for tool in listed:
            name, annotations = tool["name"], tool["annotations"]
            self.check(tool["description"], f"{name} has no description")
            if self.session.version >= TITLED:
                self.check(tool["title"], f"{name} has no title")
            if self.session.version >= ANNOTATED and self.check(annotations, f"{name} has no annotations"):
                title = annotations.get("title")
                self.check(title and title == (tool["title"] or title), f"{name} is annotated with the title {title}")
                self.check(annotations == {"title": title, "readOnlyHint": True, "destructiveHint": False,
                                           "idempotentHint": True, "openWorldHint": False},
                           f"{name} has the annotations {annotations}")
            if self.session.version >= TITLED:
                self.check((tool["outputSchema"] is not None) == self.session.structured,
                           f"{name} {'lacks' if self.session.structured else 'has'} an output schema")
            self.schemas[name] = self.schema(tool, "inputSchema"), self.schema(tool, "outputSchema")
            self.check(self.schemas[name][0], f"{name} has no input schema")

    def arguments(self, call, answer, where):
        takes = self.schemas.get(call["tool"], (None, None))[0]
        if takes and call.get("invalid"):
            self.check(not takes.is_valid(answer["arguments"]), f"{where}: the input schema allows it")
        elif takes and not call.get("refused"):
            for error in takes.iter_errors(answer["arguments"]):
                self.check(False, f"{where}: the input schema forbids it: {error.message}")

    def success(self, call, answer, where):
        try:
            value = json.loads(answer["texts"][0])
        except ValueError as error:
            self.check(False, f"{where}: the text is no JSON: {error}")
            return
        for key, wanted in call.get("expect", {}).items():
            self.check(value.get(key) == wanted, f"{where}: {key} is {value.get(key)}, not {wanted}")
        gives = self.schemas.get(call["tool"], (None, None))[1]
        if self.session.structured and self.session.version >= TITLED:
            self.check(answer["structured"] == value, f"{where}: structuredContent differs from the text")
        if not self.session.structured:
            self.check(answer["structured"] is None, f"{where}: structuredContent without --structured")
        for error in gives.iter_errors(value) if gives else ():
            self.check(False, f"{where}: {error.json_path} breaks the output schema: {error.message}")

    def answer(self, call, answer):
        where = f"{call['tool']} {json.dumps(answer['arguments'])}"
        steps = [step[0] for step in answer["progress"]]
        self.check(all(a < b for a, b in zip(steps, steps[1:])), f"{where}: progress goes back: {steps}")
        if call.get("abandoned"):  # The client cancels what takes it too long; the calls after it show that both go on.
            self.check("error" in answer, f"{where}: answered within {call['seconds']} seconds")
            return
        if call.get("unknown"):
            error = answer.get("error", {})
            self.check(error.get("code") == -32602 and call["tool"] in error.get("message", ""),
                       f"{where}: an unknown tool is answered {answer}")
            return
        if not self.check("error" not in answer, f"{where}: {answer.get('error')}"):
            return
        self.arguments(call, answer, where)
        self.check(len(answer["texts"]) == 1 and answer["texts"][0], f"{where}: {len(answer['texts'])} texts")
        text = answer["texts"][0] if answer["texts"] else ""
        if call.get("refused"):
            self.check(answer["is_error"], f"{where}: not refused but answered {text[:200]}")
            self.check(answer["structured"] is None, f"{where}: a refusal with structuredContent")
        elif self.check(not answer["is_error"], f"{where}: refused: {text}"):
            self.success(call, answer, where)

    def ending(self, log, endings):
        self.check(endings and all(ending == "0" for ending in endings),
                   f"when its input ended the server ended with {', '.join(endings) or 'a signal of the client'}")
        for line in log:
            self.check(not re.match(r"error:", line) and "Sanitizer" not in line and "runtime error" not in line,
                       f"the server reports: {line}")


def lines_of(path):
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8", errors="replace") as text:
        return text.read().splitlines()


def converse(program, client, modules, session, calls, folder):
    """One session: what the client printed, or None, and what is wrong beside that."""
    log, endings = os.path.join(folder, "stderr"), os.path.join(folder, "endings")
    command = ["sh", os.path.join(HERE, "serve.sh"), log, endings, program, "mcp"]
    kept = ("ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "LLVM_PROFILE_FILE", "PATH")
    plan = {"command": command + (["--structured"] if session.structured else []), "mode": session.mode,
            "offer": session.offer, "modules": modules, "calls": calls,
            "env": {"HOME": folder, **{name: os.environ[name] for name in kept if name in os.environ}}}
    runner = "node" if client.endswith(".mjs") else os.path.join(modules, "bin", "python")
    judge = Judge(session)
    try:
        done = subprocess.run([runner, os.path.join(HERE, client)], input=json.dumps(plan), text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=SESSION_SECONDS)
        if judge.check(done.returncode == 0, f"the client ended with {done.returncode}: {done.stderr[-3000:]}"):
            return json.loads(done.stdout), judge, lines_of(log), lines_of(endings)
    except subprocess.TimeoutExpired:
        judge.check(False, f"the client was not done after {SESSION_SECONDS} seconds")
    for line in lines_of(log)[-20:]:
        judge.check(False, f"the server's stderr: {line}")
    return None, judge, [], []


def main(client, kind, sessions):
    """Runs the sessions of a client that is installed as kind, says what is wrong, and exits."""
    program = os.environ.get("TILESIGHT") or os.path.join(ROOT, "build", "tilesight")
    if not os.access(program, os.X_OK):
        skip(f"{program} is not built")
    modules = install(kind)
    with_schema_validator()
    import captures
    names = question_names()
    failed = False
    with tempfile.TemporaryDirectory(prefix="tilesight-peers-") as folder:
        places = {name: os.path.join(folder, name) for name in ("full", "large")}
        places["examples"] = os.path.join(ROOT, "examples")
        captures.write_full(os.path.join(places["examples"], "before"), places["full"])
        captures.write_large(os.path.join(places["examples"], "before"), places["large"])
        calls = calls_for(names, places)
        for number, session in enumerate(sessions):
            home = os.path.join(folder, f"session-{number}")
            os.mkdir(home)
            transcript, judge, log, endings = converse(program, client, modules, session, calls, home)
            if transcript:
                judge.greeting(transcript)
                judge.tools(transcript["tools"], names)
                judge.check(len(transcript["answers"]) == len(calls), "not every call was made")
                for call, answer in zip(calls, transcript["answers"]):
                    judge.answer(call, answer)
                judge.ending(log, endings)
            print(f"{'FAILED' if judge.wrong else 'ok'}: {client}, {session}: {len(names)} tools, {len(calls)} calls")
            for wrong in judge.wrong:
                print("   ", wrong)
            failed = failed or bool(judge.wrong)
    sys.exit(1 if failed else 0)

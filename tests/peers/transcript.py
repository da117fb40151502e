"""What the Python clients share: the plan they read on stdin and the transcript they print. peers.py explains both."""
import json
import sys


class Transcript:
    def __init__(self):
        self.plan = json.load(sys.stdin)
        self.tools, self.answers, self.handles, self.facts = [], [], {}, {}

    def arguments(self, call):
        """The call's arguments, with handles where it names reports that were loaded before."""
        return {name: self.handles.get(value[1:]) if isinstance(value, str) and value.startswith("$") else value
                for name, value in call["arguments"].items()}

    async def call(self, call, error_class, ask):
        """ask(arguments, on_progress) gives (texts, is_error, structured content); error_class has code and message."""
        progress = []

        async def on_progress(done, total, message):
            progress.append([done, total, message])

        answer = {"arguments": self.arguments(call), "progress": progress}
        try:
            texts, is_error, structured = await ask(answer["arguments"], on_progress if call.get("progress") else None)
        except error_class as error:
            answer["error"] = {"code": error.error.code, "message": error.error.message}
        except Exception as error:  # What the client itself finds wrong with an answer.
            answer["error"] = {"code": None, "message": f"{type(error).__name__}: {error}"}
        else:
            answer.update(texts=texts, is_error=is_error, structured=structured)
            if "as" in call and not is_error:
                self.handles[call["as"]] = json.loads(texts[0])["handle"]
        self.answers.append(answer)

    def print(self):
        json.dump({**self.facts, "tools": self.tools, "answers": self.answers}, sys.stdout)

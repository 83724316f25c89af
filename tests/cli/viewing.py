"""A run behind `bristle view`, and what it says to browsers, by raw sockets: for the tests beside this file."""
import base64
import json
import re
import signal
import socket
import struct
import subprocess
from pathlib import Path

from outside import BRISTLE, HANGS

BLOCK = """
bristle: 1
parameters: {m: 2 kg, size: 0.2 m, start: 0.5 m}
gravity: [0, 0, 0]
step: {dt: 1 ms, until: 1 s}
materials: {steel: {friction: {law: coulomb, mu: 0.3}}}
bodies:
  ground: {fixed: true}
  block: {mass: m, inertia: [0.1, 0.2, 0.3], pose: {position: [0, 0, start]}, shapes: [{box: {size: [size, size, size]}, material: steel}]}
  arm: {mass: 1, inertia: [0.1, 0.1, 0.1], pose: {position: [2, 0, 0]}}
joints:
  hinge: {revolute: [ground, arm], at: [2, 0, 0], axis: [0, 0, 1]}
motors:
  drive: {joint: hinge, speed: 1 rad/s, max_torque: 1000}
"""


class View:
    """A run with its page, ended by `with`."""
    def __init__(self, place, *words, text=BLOCK):
        self.scene = Path(place) / "scene.yaml"
        self.scene.write_text(text)
        self.process = subprocess.Popen([BRISTLE, "view", str(self.scene), *words], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
        address = self.process.stdout.readline().decode()
        self.port, self.token = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/([0-9a-f]{32})/\n", address).groups()
        self.port = int(self.port)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        self.process.communicate(timeout=HANGS)

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=HANGS)

    def head(self, method, path, **headers):
        told = {"Host": f"127.0.0.1:{self.port}", **{name.replace("_", "-"): value for name, value in headers.items()}}
        return f"{method} {path} HTTP/1.1\r\n" + "".join(f"{k}: {v}\r\n" for k, v in told.items() if v is not None) + "\r\n"

    def say(self, data):
        """The whole answer to some bytes; "" where the connection is ended without one."""
        with self.connect() as s:
            try:
                s.sendall(data if isinstance(data, bytes) else data.encode())
                answer = b""
                while part := s.recv(65536):
                    answer += part
            except (ConnectionResetError, BrokenPipeError):
                pass
            return answer.decode(errors="replace")

    def status(self, data):
        answer = self.say(data)
        return int(answer.split(" ")[1]) if answer else 0

    def get(self, path, **headers):
        return self.status(self.head("GET", path, **headers))

    def do(self, what, **words):
        form = "&".join(f"{k}={str(v).replace('%', '%25').replace('&', '%26').replace('+', '%2B')}" for k, v in {"do": what, **words}.items())
        answer = self.say(self.head("POST", f"/{self.token}/do", Content_Length=len(form)) + form)
        told = json.loads(answer.split("\r\n\r\n", 1)[1])
        assert answer.startswith("HTTP/1.1 200") == told["ok"], answer
        return told["ok"], told["text"]

    def must(self, what, **words):
        done, text = self.do(what, **words)
        assert done, text
        return text

    def rows(self):
        return Rows(self)

    def time(self):
        with self.rows() as rows:
            return rows.row()["time"]


class Rows:
    """A stream of events: rows as {channel: numbers}, the last of other events by name."""
    def __init__(self, view, fps=60):
        self.socket = view.connect()
        self.socket.sendall(view.head("GET", f"/{view.token}/rows?fps={fps}").encode())
        self.file = self.socket.makefile("rb")
        self.told, self.pairs = {}, []
        status = self.file.readline().decode()
        assert status.startswith("HTTP/1.1 200"), status
        while self.file.readline() != b"\r\n":
            pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()
        self.socket.close()

    def event(self):
        """(name, data) of the next; None at the end."""
        name, data = "message", None
        while line := self.file.readline():
            if line == b"\n":
                return name, data
            key, value = line.decode().rstrip("\n").split(": ", 1)
            if key == "event":
                name = value
            else:
                data = value
        return None

    def row(self):
        """The next row; others events are kept."""
        while True:
            name, data = self.event()
            if name == "message":
                return self.read(base64.b64decode(data, validate=True))
            self.told[name] = json.loads(data)
            if name == "start":
                self.pairs = []
            if name == "pairs":
                self.pairs += self.told[name]

    def state(self, seen):
        """The first state that fits."""
        while not ("state" in self.told and seen(self.told["state"])):
            name, data = self.event()
            if name != "message":
                self.told[name] = json.loads(data)
        return self.told["state"]

    def read(self, data):
        time_now, pairs, places = struct.unpack_from("<dII", data)
        at, row = 16, {"time": time_now, "lines": (pairs, places), "size": len(data)}
        for channel in self.told["start"]["channels"]:
            width = channel["width"]
            row[channel["name"]] = struct.unpack_from(f"<{width}f", data, at)
            at += 4 * width
        row["pairs"] = [self.pairs[p]["name"] for p in (struct.unpack_from("<I", data, at)[0] for _ in range(min(pairs, 1)))]
        return row

    def until(self, seen):
        while not seen(row := self.row()):
            pass
        return row

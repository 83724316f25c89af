"""`bristle view` from outside, by raw sockets: who is let in, what commands do, and that no client holds the run up. What
browsers make of it: test_view_page.py."""
import json
import math
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

from outside import HANGS, ROOT, refuse, succeed, wait_until
from viewing import BLOCK, Rows, View

sys.path.insert(0, str(ROOT / "scripts"))
import tap  # noqa: E402


def near(value, expected, tolerance):
    assert abs(value - expected) <= tolerance, f"{value} instead of {expected} within {tolerance}"


# ---------------------------------------------------------------- who is let in

def test_only_the_address_that_was_printed(place):
    with View(place, "--paused") as view:
        good = f"/{view.token}/"
        assert view.get(good) == 200
        wrong = view.token[:-1] + ("0" if view.token[-1] != "0" else "1")
        for path in ("/", "/rows", "/do", f"/{wrong}/", f"/{wrong}/rows", f"/{view.token[:-1]}/", f"/{view.token}",
                     f"/{view.token}x/", "/favicon.ico", f"/{view.token.upper()}G/", f"//{view.token}/", f"/../{view.token}/"):
            assert view.get(path) == 403, path
        for path in (f"{good}x", f"{good}..", f"{good}rows/", f"{good}do/x", f"{good}index.html"):
            assert view.get(path) == 404, path
        assert view.status(view.head("POST", good, Content_Length=0)) == 405
        assert view.get(f"{good}do") == 405
        assert view.status(view.head("POST", f"{good}rows", Content_Length=0)) == 405


def test_only_from_here(place):
    with View(place, "--paused") as view:
        page, own = f"/{view.token}/", f"127.0.0.1:{view.port}"
        assert view.get(page, Origin=f"http://{own}") == 200
        assert view.get(page, Host=f"localhost:{view.port}", Origin=f"http://localhost:{view.port}") == 200
        for origin in ("http://evil.example", "null", f"https://{own}", f"http://{own}.evil.example", "", f"http://localhost:{view.port}",
                       f"http://127.0.0.1:{view.port + 1}"):
            assert view.get(page, Origin=origin) == 403, origin
            form = "do=play"
            assert view.status(view.head("POST", f"{page}do", Origin=origin, Content_Length=len(form)) + form) == 403, origin
        for host in ("evil.example", f"evil.example:{view.port}", "127.0.0.1", f"127.0.0.2:{view.port}", f"[::1]:{view.port}", ""):
            assert view.get(page, Host=host) == 403, host
        assert view.get(page, Host=None) == 400
        assert view.time() == 0  # nobody has let it run


def test_it_listens_on_this_machine_alone(place):
    with View(place, "--paused") as view:
        listening = []
        for table, loopback in (("/proc/net/tcp", "0100007F"), ("/proc/net/tcp6", None)):
            for line in Path(table).read_text().splitlines()[1:]:
                local, state = line.split()[1], line.split()[3]
                address, port = local.split(":")
                if int(port, 16) == view.port and state == "0A":
                    listening.append((address, loopback))
        assert listening == [("0100007F", "0100007F")], listening


def test_answers_keep_others_out(place):
    with View(place, "--paused") as view:
        for path in (f"/{view.token}/", "/"):
            head = view.say(view.head("GET", path)).split("\r\n\r\n")[0].lower()
            for line in ("cache-control: no-store", "x-content-type-options: nosniff", "default-src 'none'", "frame-ancestors 'none'",
                         "cross-origin-resource-policy: same-origin", "referrer-policy: same-origin"):
                assert line in head, (path, line)
            assert "access-control" not in head
        with View(place, "--paused") as other:
            assert other.token != view.token and other.get(f"/{view.token}/") == 403


# ---------------------------------------------------------------- who says nonsense

def test_garbage_is_refused_and_the_run_goes_on(place):
    with View(place) as view:
        good = f"/{view.token}/"
        own = f"Host: 127.0.0.1:{view.port}\r\n"
        refused = [
            (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(range(256)), 400), (b"\r\n\r\n", 400), (b"GET\r\n\r\n", 400),
            (b"GET / HTTP/1.1 more\r\n\r\n", 505), (b"GET  / HTTP/1.1\r\n\r\n", 400), (b"G\x00T / HTTP/1.1\r\n\r\n", 400),
            (f"GET {good} HTTP/1.0\r\n{own}\r\n", 505), (f"GET {good} HTTP/2\r\n{own}\r\n", 505), (f"PUT {good} HTTP/1.1\r\n{own}\r\n", 405),
            (f"OPTIONS {good} HTTP/1.1\r\n{own}\r\n", 405), (f"get {good} HTTP/1.1\r\n{own}\r\n", 405),
            (f"GET http://127.0.0.1:{view.port}{good} HTTP/1.1\r\n{own}\r\n", 400),
            (f"GET {good} HTTP/1.1\r\n{own}{own}\r\n", 400), (f"GET {good} HTTP/1.1\r\n{own}no colon\r\n\r\n", 400),
            (f"GET {good} HTTP/1.1\r\n{own}: empty\r\n\r\n", 400), (f"GET {good} HTTP/1.1\r\n{own}a b: c\r\n\r\n", 400),
            (f"GET {good} HTTP/1.1\r\n{own}x: a\n b\r\n\r\n", 400), (f"GET {good} HTTP/1.1\r\n{own}Content-Length: 3\r\n\r\nabc", 400),
            (f"POST {good}do HTTP/1.1\r\n{own}\r\n", 411), (f"POST {good}do HTTP/1.1\r\n{own}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 411),
            (f"POST {good}do HTTP/1.1\r\n{own}Content-Length: -1\r\n\r\n", 400), (f"POST {good}do HTTP/1.1\r\n{own}Content-Length: 1e3\r\n\r\n", 400),
            (f"POST {good}do HTTP/1.1\r\n{own}Content-Length: 65537\r\n\r\n", 413),
            (f"POST {good}do HTTP/1.1\r\n{own}Content-Length: 99999999999999999999\r\n\r\n", 400),
            (f"POST {good}do HTTP/1.1\r\n{own}Content-Length: 2\r\nContent-Length: 2\r\n\r\nab", 400),
            (f"GET {good} HTTP/1.1\r\n{own}\r\nGET {good} HTTP/1.1\r\n{own}\r\n", 400),
            (f"GET {good} HTTP/1.1\r\n{own}x: {'a' * 9000}\r\n\r\n", 431), ("GET /" + "a" * 100000, 431)]
        for data, status in refused:
            got = view.status(data)
            assert got == status, f"{got} instead of {status}: {data[:80]!r}"
        for form in ("", "do", "do=", "do=fly", "do=speed", "do=speed&value=", "do=speed&value=nan", "do=speed&value=1x", "do=speed&value=-1",
                     "do=speed&value=%zz", "do=motor&name=no&value=1", "do=motor&name=drive&value=inf", "do=push&body=ground&x=0&y=0&z=0&fx=1&fy=0&fz=0&time=1",
                     "do=push&body=block&x=0&y=0&z=0&fx=1&fy=0&time=1", "do=push&body=block&x=0&y=0&z=0&fx=1&fy=0&fz=0&time=1e9", "do=set&path=&value=1",
                     "do=set&path=a=b&value=1", "do=set&path=parameters.nothing&value=1", "do=set&path=parameters.m&value=-1", "do=set&path=parameters.m&value=3 m",
                     "do=step", "do=step&count=0", "&" * 60000, "do=" + "a" * 60000):
            answer = view.say(view.head("POST", f"{good}do", Content_Length=len(form)) + form)
            assert answer.startswith("HTTP/1.1 400"), (form[:80], answer)
            assert json.loads(answer.split("\r\n\r\n")[1])["text"], form[:80]
        before = view.time()
        with view.rows() as rows:
            rows.until(lambda row: row["time"] > before + 0.1)


def test_half_a_request_is_waited_for_no_longer_than_others_allow(place):
    """Who says nothing gives way to who comes, and is ended after a while."""
    with View(place) as view:
        halves = []
        for data in [f"GET /{view.token}/ HT", view.head("POST", f"/{view.token}/do", Content_Length=10) + "do="] * 20:
            s = view.connect()
            s.sendall(data.encode())
            halves.append(s)
        assert view.get(f"/{view.token}/") == 200
        for s in halves:  # all are ended in the end, without an answer
            s.settimeout(HANGS)
            try:
                assert s.recv(1) == b""
            except ConnectionResetError:
                pass
            s.close()
        assert view.get(f"/{view.token}/") == 200


def test_a_hundred_quick_connections(place):
    with View(place) as view:
        for _ in range(100):
            view.connect().close()
        many = [view.connect() for _ in range(100)]
        assert view.get(f"/{view.token}/") == 200
        for s in many:
            s.close()
        for _ in range(30):
            assert view.do("speed", value=1)[0]


def test_streams_are_few(place):
    with View(place) as view:
        streams = [view.rows() for _ in range(12)]
        assert view.get(f"/{view.token}/rows") == 503
        assert view.get(f"/{view.token}/") == 200
        for rows in streams:
            rows.row()
        streams.pop().__exit__()
        wait_until(lambda: can_stream(view), view.process)


def can_stream(view):
    with view.connect() as s:
        s.sendall(view.head("GET", f"/{view.token}/rows").encode())
        return s.recv(12) == b"HTTP/1.1 200"


# ---------------------------------------------------------------- who reads badly

def test_closed_tabs_and_slow_ones_do_not_hold_the_run_up(place):
    """A quarter of the clock, so that a busy machine keeps up: what lags is a client's doing."""
    with View(place, "--speed", "0.25") as view:
        for _ in range(5):
            rows = view.rows()
            rows.row()
            rows.__exit__()
        slow = []
        for _ in range(8):
            s = view.connect()
            s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            s.sendall(view.head("GET", f"/{view.token}/rows?fps=240").encode())
            slow.append(s)
        with view.rows() as one, view.rows() as two:
            first, second = one.row()["time"], two.row()["time"]
            started = time.monotonic()
            last = one.until(lambda row: row["time"] > first + 0.5)["time"]
            took = time.monotonic() - started
            # it may be ahead by what it makes up for (0.25 s by the clock), and lag where the machine is busy
            assert last - first < 0.25 * (took + 0.5) + 0.1
            two.until(lambda row: row["time"] > second + 0.25)
        for s in slow:
            s.close()
        assert view.process.poll() is None


def test_a_reader_that_stops_gets_what_is_newest(place):
    """It does not read for a while; then at most the system's room is old, and the next is new. Rows are 1 kB, so that what is old is
    told apart: thousands of them do not fit."""
    with View(place, "--speed", "0", "--fps", "240") as view:
        with Rows(view, fps=240) as rows:
            size = rows.row()["size"]
            then = view.time()
            wait_until(lambda: view.time() > then + 20, view.process)  # thousands of steps
            rows.until(lambda row: row["time"] > then + 20)
            assert size > 100


# ---------------------------------------------------------------- what commands do

def test_a_push_gives_the_momentum_of_force_and_time(place):
    """F t = m v to single precision, for as long as was said, and F at a place gives r x F t = I omega to first order: 1 ms of turn."""
    with View(place, "--paused") as view:
        view.must("push", body="block", x=0, y=0, z=0, fx=4, fy=0, fz=-6, time=0.05)
        view.must("step", count=80)
        with view.rows() as rows:
            row = rows.until(lambda row: row["time"] > 0.0795)
        v = row["bodies.block.velocity"]
        near(v[0], 4 * 0.05 / 2, 1e-7)
        near(v[2], -6 * 0.05 / 2, 1e-7)
        view.must("reset")
        view.must("push", body="block", x=0, y=0.5, z=0, fx=1, fy=0, fz=0, time=0.002)
        view.must("step", count=2)
        with view.rows() as rows:
            row = rows.until(lambda row: row["time"] > 0.0015)
        near(row["bodies.block.angular_velocity"][2], -0.5 * 1 * 0.002 / 0.3, 1e-7)
        view.must("push", body="block", x=0, y=0, z=0, fx=1000, fy=0, fz=0, time=10)
        view.must("release")
        view.must("step", count=10)
        with view.rows() as rows:
            row = rows.until(lambda row: row["time"] > 0.0115)
        near(row["bodies.block.velocity"][0], 1 * 0.002 / 2, 1e-7)


def test_a_band_draws_a_body_to_a_place_without_swinging(place):
    """Critically damped: x = d (1 - (1 + w t) exp(-w t)), w = sqrt(k/m) = 2/s. The force is that of the step's beginning, so x is off by about
    w dt/2 of d, 1e-3; and a band at a corner draws the corner there, about which the block turns on: its centre is drawn inwards by m W^2 r/k, and a
    tumbling one by as much again."""
    with View(place, "--paused") as view, view.rows() as rows:
        view.must("push", body="block", x=0, y=0, z=0, tx=1, ty=0, tz=0.5, stiffness=8, time=10)
        view.must("step", count=1000)
        row = rows.until(lambda row: row["time"] > 0.9995)
        near(row["bodies.block.position"][0], 1 - 3 * math.exp(-2), 2e-3)
        view.must("reset")
        view.must("push", body="block", x=0.1, y=0.1, z=0.1, tx=1, ty=2, tz=3, stiffness=200, time=60)
        view.must("speed", value=0)
        view.must("play")
        row = rows.until(lambda row: row["time"] > 20 and rows.told["start"]["run"] == 2)
        x, y, z, w = row["bodies.block.rotation"]
        corner = [0.1 * sum(line) for line in ((1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)),
                                               (2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)),
                                               (2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)))]
        turns = sum(c * c for c in row["bodies.block.angular_velocity"])
        for axis in range(3):
            near(row["bodies.block.position"][axis] + corner[axis], 1 + axis, 2 * 2 * turns * math.sqrt(0.03) / 200 + 1e-5)


def test_motors_follow_what_they_are_told(place):
    with View(place, "--paused") as view, view.rows() as rows:
        speed = lambda row: row["joints.hinge.velocity"][0]
        view.must("step", count=5)
        near(speed(rows.until(lambda row: row["time"] > 0.0045)), 1, 1e-6)
        view.must("motor", name="drive", value=-2.5)
        view.must("step", count=5)
        near(speed(rows.until(lambda row: row["time"] > 0.0095)), -2.5, 1e-6)
        assert rows.state(lambda state: state["motors"][0]["target"] == -2.5)
        view.must("motor", name="drive", release=1)
        view.must("step", count=5)
        near(speed(rows.until(lambda row: row["time"] > 0.0145)), 1, 1e-6)


def test_numbers_of_the_scene_change_while_it_runs(place):
    """The mass of a block that flies on: the same push gives it half the speed. What cannot change on the way waits for a reset, and says so;
    what only moves the beginning says that too."""
    with View(place, "--paused") as view, view.rows() as rows:
        view.must("push", body="block", x=0, y=0, z=0, fx=4, fy=0, fz=0, time=0.01)
        view.must("step", count=10)
        near(rows.until(lambda row: row["time"] > 0.0095)["bodies.block.velocity"][0], 0.02, 1e-7)
        assert view.must("set", path="parameters.m", value=8) == ""
        view.must("push", body="block", x=0, y=0, z=0, fx=4, fy=0, fz=0, time=0.01)
        view.must("step", count=10)
        near(rows.until(lambda row: row["time"] > 0.0195)["bodies.block.velocity"][0], 0.02 + 0.005, 1e-7)
        assert {"name": "m", "value": 8} in rows.state(lambda state: state["changes"])["parameters"]
        assert "begins" in view.must("set", path="parameters.start", value=1.5)
        near(rows.until(lambda row: True)["bodies.block.position"][2], 0.5, 1e-6)
        assert rows.told["start"]["form"] == 0
        assert view.must("set", path="parameters.size", value=0.4) == ""
        rows.until(lambda row: rows.told["start"]["form"] == 1)  # pages draw another block
        assert "reset" in view.must("set", path="bodies.other", value="{mass: 1, inertia: [1, 1, 1]}")
        view.must("reset")
        row = rows.until(lambda row: row["time"] == 0)
        near(row["bodies.block.position"][2], 1.5, 1e-6)
        assert rows.told["start"]["run"] == 2 and rows.told["start"]["form"] == 2 and row["bodies.other.position"] == (0, 0, 0)
        done, text = view.do("set", path="parameters.m", value="-1")
        assert not done and "mass" in text, text
        assert {"name": "m", "value": 8} in rows.told["state"]["parameters"]


def test_a_reset_reads_the_scene_again(place):
    with View(place, "--paused") as view, view.rows() as rows:
        assert rows.row()["bodies.block.position"][0] == 0
        view.scene.write_text(BLOCK.replace("[0, 0, start]", "[3, 0, start]"))
        view.must("reset")
        near(rows.until(lambda row: row["bodies.block.position"][0] != 0)["bodies.block.position"][0], 3, 1e-6)
        view.scene.write_text("bristle: 1\nbodies: nonsense\n")
        done, text = view.do("reset")
        assert not done and "bodies" in text, text
        near(view.time(), 0, 0)


def test_pause_step_play_and_speed(place):
    with View(place, "--paused") as view, view.rows() as rows:
        assert rows.row()["time"] == 0 and rows.told["state"]["paused"]
        view.must("step")
        near(rows.until(lambda row: row["time"] > 0)["time"], 0.001, 1e-12)
        view.must("play")
        rows.until(lambda row: row["time"] > 0.3)
        assert not view.do("step")[0]
        view.must("pause")
        rows.state(lambda state: state["paused"])
        stands = view.time()
        assert view.time() == stands
        view.must("step", count=7)
        wait_until(lambda: view.time() > stands + 0.0065, view.process)
        near(view.time(), stands + 0.007, 1e-9)


def test_it_is_the_run_of_bristle_run(place):
    """The same bits after as many steps, with pages looking on."""
    scene = ROOT / "scenes/gripper.yaml"
    told = json.loads(succeed("run", scene, "--until", "0.9 s", "--json", "-q").stdout)
    with View(place, "--paused", text=scene.read_text()) as view, view.rows() as rows:
        view.must("step", count=900)
        rows.until(lambda row: row["time"] > 0.8995)
        page = view.say(view.head("GET", f"/{view.token}/"))
        assert f'"hash": "{told["hash"]}"' in page, told["hash"]


def test_two_tabs_see_the_same(place):
    with View(place, "--paused") as view, view.rows() as one, view.rows() as two:
        one.row(), two.row()
        view.must("speed", value=0.5)
        assert one.state(lambda state: state["speed"] == 0.5) == two.state(lambda state: state["speed"] == 0.5)
        view.must("step", count=3)
        a, b = (rows.until(lambda row: row["time"] > 0.0025) for rows in (one, two))
        assert a == b


def test_a_refused_step_pauses_the_run_and_says_why(place):
    with View(place, text=BLOCK + "forces: {wind: {body: block, force: {table: [[0.1, 0], [0.11, 1e300]]}}}\n".replace("force: {", "force: [{").replace("1e300]]}", "1e300]]}, 0, 0]")) as view:
        with view.rows() as rows:
            state = rows.state(lambda state: state["sentence"])
            assert state["paused"] and "refused" in state["sentence"], state
        assert view.process.poll() is None
        view.must("reset")


def test_what_touches_is_told(place):
    """A block of 2 kg on a plane: the pair bears its weight to single precision."""
    text = BLOCK.replace("gravity: [0, 0, 0]", "gravity: [0, 0, -10]").replace("ground: {fixed: true}", "ground: {fixed: true, shapes: [{plane: {}, material: steel}]}")
    with View(place, "--paused", "--set", "parameters.start=0.1", text=text) as view, view.rows() as rows:
        row = rows.row()
        assert row["lines"] == (1, 4) and row["pairs"] == ["block/ground"], row


# ---------------------------------------------------------------- how it ends

def test_ctrl_c_ends_it_at_once(place):
    for number in (signal.SIGINT, signal.SIGTERM):
        with View(place) as view, view.rows() as rows:
            rows.row()
            view.process.send_signal(number)
            started = time.monotonic()
            assert view.process.wait(timeout=HANGS) == 128 + number
            took = time.monotonic() - started
            names = []
            while event := rows.event():
                names.append(event[0])
            assert names[-1] == "end", names
            assert took < 60  # a second, on a machine that has it
            assert not subprocess.run(["pgrep", "-f", str(view.scene)], stdout=subprocess.PIPE).stdout
            try:
                view.connect().close()
                raise AssertionError("somebody still listens")
            except ConnectionRefusedError:
                pass


def test_wrong_use(place):
    scene = Path(place) / "scene.yaml"
    scene.write_text(BLOCK)
    (Path(place) / "out.h5").write_bytes(b"")
    assert "report" in refuse(2, "view", Path(place) / "out.h5")
    assert "which scene" in refuse(2, "view")
    assert "file" in refuse(2, "view", "-")
    for words in (("--port", "0"), ("--port", "70000"), ("--port", "8.5"), ("--speed", "-1"), ("--speed", "fast"), ("--fps", "0")):
        assert words[0] in refuse(2, "view", scene, *words)
    with View(place, "--paused") as view:
        assert "--port" in refuse(1, "view", scene, "--port", view.port)
    scene.write_text("bristle: 1\nbodies: nonsense\n")
    assert "bodies" in refuse(1, "view", scene)


tap.run_tests(globals())

"""What comes to the desk through nginx, by tools/desk/nginx.conf."""

import contextlib
import http.client
import http.server
import os
import pathlib
import socket
import ssl
import subprocess
import tempfile
import threading
import time
import unittest

NAME = "desk.example"


class Knows(http.server.BaseHTTPRequestHandler):
    """Stands for oauth2-proxy: who has the header may come in, and everybody to /open, which skip_auth_routes names."""
    def do_GET(self):
        is_start = self.path == "/oauth2/start"
        comes_in = self.headers.get("X-Known") or self.headers.get("X-Forwarded-Uri") == "/open"
        self.send_response(302 if is_start else 202 if comes_in else 401)
        if is_start:
            self.send_header("Location", "https://who.example" + self.headers["X-Auth-Request-Redirect"])
        self.end_headers()

    def log_message(self, *arguments):
        pass


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(condition):
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


class Proxy(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        path = folder.name
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", f"/CN={NAME}",
                        "-addext", f"subjectAltName=DNS:{NAME}", "-keyout", f"{path}/key", "-out", f"{path}/crt"], check=True, capture_output=True)
        cls.port, cls.certificate, knows = free_port(), f"{path}/crt", http.server.ThreadingHTTPServer(("127.0.0.1", 0), Knows)
        threading.Thread(target=knows.serve_forever, daemon=True).start()
        cls.addClassCleanup(knows.shutdown)
        text = pathlib.Path("tools/desk/nginx.conf").read_text()
        for old, new in (("listen 443", f"listen 127.0.0.1:{cls.port}"), ("/etc/ssl/desk.crt", f"{path}/crt"), ("/etc/ssl/private/desk.key", f"{path}/key"),
                         ("/run/iuid-desk/socket", f"{path}/socket"), ("127.0.0.1:4180", f"127.0.0.1:{knows.server_port}")):
            assert old in text, old
            text = text.replace(old, new)
        temporary = " ".join(f"{kind}_temp_path {path}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        pathlib.Path(path, "conf").write_text(f"daemon off; pid {path}/pid; error_log {path}/log; events {{}}\nhttp {{ access_log off; {temporary}\n{text} }}")
        # The desk has no node here, and answers what needs none.
        for command in (["waitress-serve", f"--unix-socket={path}/socket", "--unix-socket-perms=666", "--max-request-body-size=1", "desk:app"],
                        ["nginx", "-e", f"{path}/log", "-c", f"{path}/conf"]):
            program = subprocess.Popen(command, cwd="tools/desk", stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                       env=os.environ | {"IUID_DESK_NAMES": NAME, "IUID_DESK_NODE": f"host={path}", "IUID_DESK_HISTORY": "public.orders customer",
                                                         "PATH": os.environ["PATH"] + ":/usr/sbin"})
            cls.addClassCleanup(program.wait)
            cls.addClassCleanup(program.terminate)

        def is_there():
            with contextlib.suppress(OSError), cls.connected():
                return os.path.exists(f"{path}/socket")
        os.chmod(path, 0o755)
        wait_for(is_there)

    @classmethod
    def connected(cls, name=NAME):
        context = ssl.create_default_context(cafile=cls.certificate)
        return context.wrap_socket(socket.create_connection(("127.0.0.1", cls.port), timeout=60), server_hostname=name)

    def ask(self, path="/history", method="GET", body=None, **headers):
        """The status of an answer, and where it leads."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        with self.connected() as connection.sock:
            connection.request(method, path, body, {"Host": NAME, "X-Known": "yes"} | {name.replace("_", "-"): value for name, value in headers.items()})
            answer = connection.getresponse()
            return answer.status, answer.headers.get("Location"), answer.read()

    def said(self, request):
        with self.connected() as session:
            session.sendall(request)
            return session.makefile("rb").readline()

    def test_who_may_come_in(self):
        self.assertEqual(self.ask()[0], 200)
        for headers in {}, {"X_Forwarded_Uri": "/open"}:
            status, where, _ = self.ask(X_Known="", **headers)
            self.assertEqual((status, where), (302, "https://who.example/history"))

    def test_methods(self):
        for method in "POST", "PUT", "DELETE", "PATCH", "OPTIONS":
            self.assertIn(self.ask(method=method)[0], (403, 405, 413), method)

    def test_names(self):
        self.assertEqual(self.ask(Host="evil.example")[0], 421)
        with self.assertRaises(ssl.SSLError), self.connected("evil.example"):
            pass

    def test_large_body(self):
        """It is refused before it is read."""
        with self.connected() as session:
            session.sendall(f"POST / HTTP/1.1\r\nHost: {NAME}\r\nX-Known: yes\r\nContent-Length: 60000000\r\n\r\n".encode())
            self.assertRegex(session.makefile("rb").readline(), b"^HTTP/1.1 4")

    def test_two_lengths(self):
        for headers in ("Content-Length: 0\r\nTransfer-Encoding: chunked", "Content-Length: 0\r\nContent-Length: 5", "Transfer-Encoding: chunked, identity"):
            self.assertRegex(self.said(f"GET /history HTTP/1.1\r\nHost: {NAME}\r\nX-Known: yes\r\n{headers}\r\n\r\n0\r\n\r\n".encode()), b"^HTTP/1.1 (400|413|501)", headers)

    def test_half_open(self):
        with contextlib.ExitStack() as stack:
            for _ in range(150):
                session = stack.enter_context(self.connected())
                session.sendall(f"GET /history HTTP/1.1\r\nHost: {NAME}\r\nX-Half".encode())
            self.assertEqual(self.ask()[0], 200)
            session.settimeout(60)
            self.assertIn(session.recv(100)[:12], (b"", b"HTTP/1.1 408"))  # which it ends

    def test_long_text(self):
        status, _, page = self.ask("/?id=" + "x" * 50_000)
        self.assertEqual((status, b"This text has 50,000 characters" in page), (200, True))
        self.assertEqual(self.ask("/?id=" + "x" * 1_000_000)[0], 414)


if __name__ == "__main__":
    unittest.main()

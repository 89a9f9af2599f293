"""A proxy between a client and a dashboard, with faults on request."""
import http.server
import json
import threading


class Front(http.server.ThreadingHTTPServer):
    """A proxy of a dashboard with a plan of faults for each path. Each request takes the next step of its plan: a status is sent in
    place of the dashboard's response; "drop" closes the connection before the dashboard gets the request, and "cut" afterwards; "late"
    also closes it, and the dashboard gets the request when the same path is requested next; a function replaces the response. With
    `token`, requests that do not carry it get 401."""

    def __init__(self, dashboard, token=None, **plans):
        super().__init__(("127.0.0.1", 0), Handler)
        self.dashboard, self.url, self.asked = dashboard, f"http://127.0.0.1:{self.server_address[1]}", []
        self.token = token
        self.stored = []  # paths of the PUTs that the dashboard accepted
        self.files = 0  # that were sent
        self.late = []
        self.plans = {f"/api/upload/{name}": list(plan) for name, plan in plans.items()}
        self.before = lambda path: None
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def handle_one_request(self):
        try:
            super().handle_one_request()
        except OSError:
            self.close_connection = True

    def pass_on(self):
        front = self.server
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        front.asked.append(self.path.split("?")[0])
        front.files += body.count(b"; filename=") if self.path.startswith("/api/upload/batch") else self.path.startswith("/api/upload/raw")
        front.before(self.path)
        plan = next((plan for start, plan in front.plans.items() if self.path.startswith(start) and plan), [None])
        todo = plan.pop(0)
        if front.token is not None and self.headers.get("Authorization") != f"Bearer {front.token}":
            todo = 401
        if todo == "drop":
            self.close_connection = True
            return
        asked = (self.command, self.path, body, {name: value for name, value in self.headers.items() if name != "Host"})
        if todo == "late":
            front.late.append(asked)
            self.close_connection = True
            return
        for at in [at for at, one in enumerate(front.late) if one[1] == self.path][::-1]:
            self.pass_in(*front.late.pop(at))
        status, headers, data = (todo, [], b"{}") if isinstance(todo, int) else self.pass_in(*asked)
        if self.command == "PUT" and status < 300:
            front.stored.append(self.path)
        if callable(todo):
            data = json.dumps(todo(json.loads(data))).encode()
        if todo == "cut":
            self.close_connection = True
            return
        self.send_response(status)
        for name, value in headers:
            if name.lower() not in ("content-length", "connection", "date", "transfer-encoding"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def pass_in(self, *asked):
        inner = self.server.dashboard.connect()
        inner.request(*asked)
        reply = inner.getresponse()
        told = reply.status, reply.getheaders(), reply.read()
        inner.close()
        return told

    do_GET = do_POST = do_PUT = do_HEAD = pass_on

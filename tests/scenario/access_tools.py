"""Token files of a dashboard, and requests with their tokens."""
import http.client
import itertools
import json
import os
import re
import subprocess

from dashboard_tools import Dashboard
from run_tools import PATIENCE, environment

ROLES = ("none", "read", "write", "admin")
addresses = itertools.count(2)


def token_command(bin_dir, *words):
    return subprocess.run([bin_dir / "profllm-dashboard", "token", *words], capture_output=True, text=True, env=environment(),
                          timeout=60 * PATIENCE)


def add_token(bin_dir, path, name, *words):
    done = token_command(bin_dir, "add", name, "--token-file", path, *words)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    assert re.fullmatch(r"profllm_[A-Za-z0-9_-]{43}\n", done.stdout)
    return done.stdout.strip()


def revoke(bin_dir, path, name):
    done = token_command(bin_dir, "revoke", name, "--token-file", path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def expire(path, name):
    """Sets the expiry of a token to the past, as time does."""
    lines = [re.sub(r" \S+ (\S+)$", r" 2020-01-01T00:00:00Z \1", line) if line.startswith(f"{name} ") else line
             for line in path.read_text().splitlines()]
    other = path.with_suffix(".other")
    other.write_text("\n".join(lines) + "\n")
    other.chmod(0o600)
    os.replace(other, path)


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


class Guarded(Dashboard):
    """A dashboard with a token per role; its requests are an administrator's unless they name a token."""

    def __init__(self, bin_dir, db, path, *args):
        self.bin_dir, self.path = bin_dir, path
        self.tokens = {role: add_token(bin_dir, path, f"{role}er", "--role", role) for role in ROLES[1:]}
        super().__init__(bin_dir, db, "--token-file", path, *args)

    def connect_from_elsewhere(self):
        """Each connection has another address, because failures are limited per address."""
        number = next(addresses)
        host, port = self.host.rsplit(":", 1)
        return http.client.HTTPConnection(host, int(port), timeout=60 * PATIENCE,
                                          source_address=(f"127.0.{number // 250}.{number % 250 + 1}", 0))

    def ask_as(self, token, method, path, body=None, headers=None, **more):
        """token: a role, a token's text, or None."""
        connection = self.connect_from_elsewhere()
        value = self.tokens.get(token, token)
        try:
            return self.ask(method, path, body, {**(bearer(value) if value else {}), **(headers or {})}, connection, **more)
        finally:
            connection.close()

    def post_as(self, token, path, value, **headers):
        return self.ask_as(token, "POST", path, json.dumps(value).encode(), {"Content-Type": "application/json", **headers})

    def ask(self, method, path, body=None, headers=None, connection=None, check=True):
        headers = headers or {}
        if connection is None:
            headers = {**bearer(self.tokens["admin"]), **headers}
        return super().ask(method, path, body, headers, connection, check)

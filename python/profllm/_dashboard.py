"""Queries of a running dashboard."""
from __future__ import annotations

import json
import ssl
import urllib.error
import urllib.request
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, Optional, Sequence

if TYPE_CHECKING:
    import pandas
    import pyarrow

TIMEOUT_S = 60.0
Filter = Mapping[str, Any]


class DashboardError(Exception):
    """The dashboard refused a request. `status` is the HTTP status."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: urllib would send the token to the other host, and the query as a GET without its filter."""

    def redirect_request(self, *args: Any, **more: Any) -> None:
        return None


class Table:
    """The results that match a filter. The rows are read when they are asked for."""

    def __init__(self, dashboard: Dashboard, request: Dict[str, Any]) -> None:
        self._dashboard, self._request = dashboard, request
        self._rows: Optional[List[Dict[str, Any]]] = None

    @property
    def rows(self) -> List[Dict[str, Any]]:
        """Returns one dictionary per result: `id`, `run_id`, and the fields that it has recorded."""
        if self._rows is None:
            answer = json.loads(self._dashboard._post("/api/export/json", {**self._request, "provenance": False}))
            self._rows = [{"id": row["id"], "run_id": row["run_id"], **row["cells"]} for row in answer["rows"]]
        return self._rows

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def to_arrow(self) -> pyarrow.Table:
        """Returns a table of pyarrow, with the unit of each column in its metadata."""
        import pyarrow

        data = self._dashboard._post("/api/export/arrow", self._request)
        with pyarrow.ipc.open_file(pyarrow.BufferReader(data)) as file:
            return file.read_all()

    def to_pandas(self) -> pandas.DataFrame:
        """Returns a data frame of pandas."""
        import pandas

        return pandas.DataFrame(self.rows)


class Dashboard:
    """A dashboard at a URL. token: one that `profllm-dashboard token` has made. ca_file: certificates (PEM) to trust."""

    def __init__(self, url: str, *, token: Optional[str] = None, ca_file: Optional[str] = None) -> None:
        if not url.startswith(("http://", "https://")):
            raise ValueError(f"url: found {url!r}, expected http://… or https://…")
        self.url = url.rstrip("/")
        self._token = token
        self._context = ssl.create_default_context(cafile=ca_file) if url.startswith("https://") else None

    def query(self, filter: Optional[Filter] = None, *, columns: Optional[Sequence[str]] = None,
              sort: Optional[Sequence[Mapping[str, str]]] = None) -> Table:
        """Returns the results that match a filter (docs/reference/filters.md), all of them without one.

        columns: fields such as "results.output_throughput"; without it, all that a result has recorded.
        """
        request: Dict[str, Any] = {} if filter is None else {"filter": filter}
        if columns is not None:
            request["columns"] = list(columns)
        if sort is not None:
            request["sort"] = list(sort)
        return Table(self, request)

    def _post(self, path: str, body: Mapping[str, Any]) -> bytes:
        headers = {"Content-Type": "application/json"}
        if self._token is not None:
            headers["Authorization"] = f"Bearer {self._token}"
        request = urllib.request.Request(self.url + path, json.dumps(body).encode(), headers, method="POST")
        # to the proxy of $http_proxy, urllib would send the token unencrypted, even for a dashboard of this host; https is a tunnel
        proxies = urllib.request.ProxyHandler({} if self._context is None else None)
        opener = urllib.request.build_opener(_NoRedirects, proxies, urllib.request.HTTPSHandler(context=self._context))
        try:
            with opener.open(request, timeout=TIMEOUT_S) as reply:
                data: bytes = reply.read()
                return data
        except urllib.error.HTTPError as error:
            place = error.headers.get("Location")
            if place is not None:
                raise DashboardError(f"'{self.url}' redirects to '{place}'; use the URL of the dashboard", error.code) from None
            raise DashboardError(_detail(error.read()) or str(error), error.code) from None


def _detail(body: bytes) -> Optional[str]:
    try:
        problem = json.loads(body)
    except ValueError:
        return None
    detail = problem.get("detail") if isinstance(problem, dict) else None
    return detail if isinstance(detail, str) else None

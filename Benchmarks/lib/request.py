"""The request every client sends: a browser's head of about half a kilobyte."""

FIELDS = [
    ("User-Agent", "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 "
                   "Safari/537.36"),
    ("Accept", "application/json, text/plain, */*"),
    ("Accept-Language", "en-GB,en;q=0.9,de;q=0.8"),
    ("Accept-Encoding", "gzip, deflate, br, zstd"),
    ("Referer", "https://localhost/shop/articles?page=2"),
    ("Sec-Fetch-Site", "same-origin"),
    ("Sec-Fetch-Mode", "cors"),
    ("Sec-Fetch-Dest", "empty"),
    ("Cookie", "session=8c1f4b2e9d7a4f60b3; theme=dark; consent=2"),
]

PATH = "/v1/articles?page=2&limit=14"


def head(port, path=PATH, close=False):
    lines = [f"GET {path} HTTP/1.1", f"Host: localhost:{port}"]
    lines += [f"{name}: {value}" for name, value in FIELDS]
    if close:
        lines.append("Connection: close")
    return ("\r\n".join(lines) + "\r\n\r\n").encode()

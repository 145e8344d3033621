#!/usr/bin/env python3
"""An OAuth 2 server by oauthlib, and an API that takes its tokens.

usage: oauth_server.py CERTIFICATE KEY

Prints one line of JSON with its port, of HTTP/1.1 over TLS: {"https": …}.

    POST /oauth/token   client credentials of shop:s3cret, or a refresh token, which counts once; access tokens last an hour
    /api                200 with the body's length for a token that counts, in Authorization or as the cookie sid, else 401
    POST /login         a token, as an app's login has it
    POST /revoke        no token counts any more
    /echo               as /api, and the response repeats the token in a field and, in several forms, in a body by gzip
    /issued             all tokens that there were, and how many grants"""

import base64
import gzip
import http.server
import json
import ssl
import sys
import urllib.parse

from oauthlib.oauth2 import (
    BearerToken, ClientCredentialsGrant, RefreshTokenGrant, RequestValidator, TokenEndpoint)

issued, valid, grants = [], set(), [0]
refreshing = {"first-refresh-token-planted"}


class Validator(RequestValidator):
    def authenticate_client(self, request, *arguments, **more):
        scheme, _, pair = request.headers.get("Authorization", "").partition(" ")
        if scheme != "Basic" or base64.b64decode(pair) != b"shop:s3cret":
            return False
        request.client = type("Client", (), {"client_id": "shop"})()
        return True

    def client_authentication_required(self, request, *arguments, **more):
        return True

    def validate_grant_type(self, client_id, grant_type, client, request, *arguments, **more):
        return grant_type in ("client_credentials", "refresh_token")

    def validate_refresh_token(self, refresh_token, client, request, *arguments, **more):
        request.user = "joe"
        return refresh_token in refreshing

    def get_original_scopes(self, refresh_token, request, *arguments, **more):
        return ["cart"]

    def rotate_refresh_token(self, request):
        refreshing.discard(request.refresh_token)
        return True

    def get_default_scopes(self, client_id, request, *arguments, **more):
        return ["cart"]

    def validate_scopes(self, client_id, scopes, client, request, *arguments, **more):
        return set(scopes) <= {"cart", "orders"}

    def save_bearer_token(self, token, request, *arguments, **more):
        take(token["access_token"])
        if "refresh_token" in token:
            issued.append(token["refresh_token"])
            refreshing.add(token["refresh_token"])


def take(token):
    issued.append(token)
    valid.add(token)


validator = Validator()
bearer = BearerToken(validator, expires_in=3600)
server = TokenEndpoint(
    "client_credentials", bearer,
    {"client_credentials": ClientCredentialsGrant(validator), "refresh_token": RefreshTokenGrant(validator)})


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, body, fields=()):
        body = body if isinstance(body, bytes) else body.encode()
        self.send_response(status)
        for name, value in fields:
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path == "/oauth/token":
            grants[0] += 1
            url = f"https://{self.headers['Host']}{self.path}"
            fields, text, status = server.create_token_response(
                url, self.command, body.decode(), dict(self.headers.items()))
            return self.answer(status, text)
        if self.path == "/login":
            take(f"learned{len(issued)}taught-by-a-login")
            return self.answer(200, json.dumps({"session": {"ticketText": issued[-1]}}))
        if self.path == "/revoke":
            valid.clear()
            return self.answer(200, "{}")
        if self.path == "/issued":
            return self.answer(200, json.dumps({"tokens": issued, "grants": grants[0]}))
        scheme, _, token = self.headers.get("Authorization", "").partition(" ")
        cookies = dict(pair.strip().partition("=")[::2] for pair in self.headers.get("Cookie", "").split(";"))
        if token not in valid and cookies.get("sid") not in valid:
            return self.answer(401, '{"error": "no"}', [("WWW-Authenticate", 'Bearer error="invalid_token"')])
        if self.path == "/echo":
            basic = base64.b64encode(f"user:{token}".encode()).decode()
            text = json.dumps({"note": f"got {token}, {urllib.parse.quote(token + '=')} and {basic}"})
            return self.answer(
                200, gzip.compress(text.encode()), [("Content-Encoding", "gzip"), ("X-Debug", f"saw {token}")])
        self.answer(200, json.dumps({"length": len(body), "method": self.command}))

    do_POST = do_PUT = do_GET

    def log_message(self, *arguments):
        pass


listener = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[1], sys.argv[2])
listener.socket = context.wrap_socket(listener.socket, server_side=True)
print(json.dumps({"https": listener.server_port}), flush=True)
listener.serve_forever()

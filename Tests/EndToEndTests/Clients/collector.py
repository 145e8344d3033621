"""A collector of traces that decodes what it is sent, as OpenTelemetry's own do.

usage: collector.py [--port PORT] [--cert FILE --key FILE] [BEHAVIOUR…]

Prints its port as JSON, then a line of JSON for each request: its path, its header fields, and its spans. Each request
takes the next behaviour, and those behind the last one are taken: a status such as 429 or 429:2 (with Retry-After),
partial:N (N spans rejected), slow:SECONDS, cut (no response), garbage (no HTTP).
"""
import argparse
import gzip
import http.server
import json
import ssl
import threading
import time

from opentelemetry.proto.collector.trace.v1 import trace_service_pb2

arguments = argparse.ArgumentParser()
arguments.add_argument("--port", type=int, default=0)
arguments.add_argument("--cert")
arguments.add_argument("--key")
arguments.add_argument("behaviours", nargs="*")
settings = arguments.parse_args()
behaviours, lock = iter(settings.behaviours), threading.Lock()


def value(any_value):
    kind = any_value.WhichOneof("value")
    return getattr(any_value, kind) if kind else None


def attributes(pairs):
    found = {pair.key: value(pair.value) for pair in pairs}
    assert len(found) == len(pairs), "an attribute is there twice"
    return found


def described(span):
    return {
        "trace": span.trace_id.hex(), "span": span.span_id.hex(), "parent": span.parent_span_id.hex(),
        "name": span.name, "kind": span.kind, "start": span.start_time_unix_nano, "end": span.end_time_unix_nano,
        "attributes": attributes(span.attributes), "status": span.status.code, "message": span.status.message,
        "flags": span.flags,
    }


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        message = trace_service_pb2.ExportTraceServiceRequest.FromString(body)
        # Fields of another type would be kept as unknown ones, and empty ones left out.
        assert len(message.SerializeToString()) == len(body)
        resources = message.resource_spans
        spans = [described(span) for one in resources for scope in one.scope_spans for span in scope.spans]
        with lock:
            behaviour = next(behaviours, "200")
            print(json.dumps({
                "path": self.path, "fields": {name.lower(): text for name, text in self.headers.items()},
                "resource": attributes(resources[0].resource.attributes), "spans": spans, "behaviour": behaviour,
                "connection": self.client_address[1],
            }), flush=True)
        name, _, parameter = behaviour.partition(":")
        if name == "slow":
            time.sleep(float(parameter))
        if name == "cut":
            self.close_connection = True
            return
        if name == "garbage":
            self.wfile.write(b"\x16\x03\x01 no HTTP\r\n\r\n")
            self.close_connection = True
            return
        response = trace_service_pb2.ExportTraceServiceResponse()
        if name == "partial":
            response.partial_success.rejected_spans = int(parameter)
            response.partial_success.error_message = "too\x1b[31m old"
        content = response.SerializeToString()
        self.send_response(int(name) if name.isdigit() else 200)
        if name.isdigit() and parameter:
            self.send_header("Retry-After", parameter)
        self.send_header("Content-Type", "application/x-protobuf")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


server = http.server.ThreadingHTTPServer(("127.0.0.1", settings.port), Handler)
if settings.cert:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(settings.cert, settings.key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
print(json.dumps({"port": server.server_address[1]}), flush=True)
server.serve_forever()

#!/bin/sh
# Fuzzes the HTTP parsers: Tests/Fuzz/run.sh [seconds]. Findings are kept in fuzz-corpus/.
set -eu
cd "$(dirname "$0")/../.."
seconds=${1:-120}
work=fuzz-corpus
mkdir -p "$work/build" "$work/seeds" "$work/found"

# One module of everything: the fuzzer calls what is not public, and the imports of our own modules fall away. Its name is
# HTTP, which the sources name themselves by.
for file in Sources/Bytes/*.swift Sources/HTTP/*.swift Tests/Fuzz/HTTPFuzz.swift; do
    sed -E '/^(public |internal |private )?import (Bytes|HTTP)$/d' "$file" >"$work/build/$(basename "$file")"
done
rm -f "$work/fuzz"
swiftc -O -swift-version 6 -sanitize=fuzzer,address -parse-as-library -module-name HTTP -package-name shunt \
    -enable-experimental-feature Lifetimes -enable-upcoming-feature ExistentialAny \
    "$work"/build/*.swift -o "$work/fuzz" 2>&1 | grep -v "Cannot export local symbol" || test -x "$work/fuzz"

# The first byte says what to read, the last two where to cut.
seed() { printf "$2" >"$work/seeds/$1"; }
seed get '\000GET /a%%20b?c HTTP/1.1\r\nHost: a.test:80\r\nConnection: close, x\r\nX: y\r\nCookie: z\r\n\r\nab'
seed post '\000POST http://[::1]:8/ HTTP/1.0\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\nab'
seed chunked '\000PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTE: trailers\r\n\r\nab'
seed connect '\000CONNECT [1::2:1.2.3.4]:443 HTTP/1.1\r\nHost: a\r\nUpgrade: b\r\n\r\nab'
seed options '\200OPTIONS * HTTP/1.1\r\nHost:\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n\r\nab'
seed preface '\000PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nab'
seed ok '\001HTTP/1.1 200 OK\r\nContent-Length: 5\r\nDate: x\r\n\r\nab'
seed bare '\001HTTP/1.0 302\r\nLocation: /\r\nConnection: keep-alive\r\n\r\nab'
seed switch '\015HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\nab'
seed stream '\201HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\nab'
seed body '\0025;a=b;c="d\\"e"\r\nhello\r\n0A\r\n0123456789\r\n0\r\nX: y\r\nHost: z\r\n\r\nab'
seed plain '\0021\r\nx\r\n0\r\n\r\nab'
seed length '\126abcdefgab'
seed close '\016abcdefgab'
cat >"$work/words" <<'WORDS'
"HTTP/1.1"
"HTTP/1.0"
"\x0d\x0a"
"\x0d\x0a\x0d\x0a"
"Content-Length: "
"Transfer-Encoding: chunked"
"Connection: "
"Host: "
"Upgrade: "
"http://"
"CONNECT "
"OPTIONS * "
"[::"
"0\x0d\x0a\x0d\x0a"
";a=\""
WORDS
# The runtime's own crash handler upsets the sanitizer.
export SWIFT_BACKTRACE=enable=no
exec "$work/fuzz" "$work/found" "$work/seeds" -dict="$work/words" -max_len=700 -max_total_time="$seconds" \
    -artifact_prefix="$work/" -print_final_stats=1

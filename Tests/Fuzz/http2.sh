#!/bin/sh
# Fuzzes HTTP/2 sessions, both ends: Tests/Fuzz/http2.sh [seconds]. Findings are kept in fuzz-corpus/http2/.
set -eu
cd "$(dirname "$0")/../.."
seconds=${1:-120}
work=fuzz-corpus/http2
mkdir -p "$work/build" "$work/seeds" "$work/found"
rm -f "$work"/build/*.swift

# One module of everything, as for the parsers; floor 0's C module is found by its map.
for file in Sources/Platform/*.swift Sources/Bytes/*.swift Sources/HTTP2/*.swift Tests/TestSupport/HTTP2/HTTP2Frames.swift \
    Tests/Fuzz/HTTP2Fuzz.swift; do
    sed -E '/^(public |internal |private )?import (Platform|Bytes|HTTP2)$/d' "$file" >"$work/build/$(basename "$file")"
done
rm -f "$work/fuzz"
# shellcheck disable=SC2046
swiftc -O -swift-version 6 -sanitize=fuzzer,address -parse-as-library -module-name HTTP2Fuzz -package-name shunt \
    -enable-experimental-feature Lifetimes -enable-upcoming-feature ExistentialAny \
    -I Sources/CNghttp2 $(pkg-config --cflags --libs libnghttp2) \
    "$work"/build/*.swift -o "$work/fuzz" 2>&1 | grep -v "Cannot export local symbol" || test -x "$work/fuzz"

# The runtime's own crash handler upsets the sanitizer.
export SWIFT_BACKTRACE=enable=no
# The corpus is made by code, for frames are no text.
SHUNT_FUZZ_SEEDS="$work/seeds" "$work/fuzz" -runs=0 2>/dev/null
exec "$work/fuzz" "$work/found" "$work/seeds" -max_len=4096 -max_total_time="$seconds" -rss_limit_mb=1024 \
    -artifact_prefix="$work/" -print_final_stats=1

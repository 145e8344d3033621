#!/bin/sh
# Fuzzes the reader of age files: Tests/Fuzz/age.sh [seconds]. Findings are kept in fuzz-corpus/age/.
set -eu
cd "$(dirname "$0")/../.."
seconds=${1:-120}
work=fuzz-corpus/age
mkdir -p "$work/build" "$work/seeds" "$work/found"
rm -f "$work"/build/*.swift

# One module of everything: the fuzzer calls what is not public, and the imports of our own modules fall away.
for file in Sources/Platform/*.swift Sources/Bytes/*.swift Sources/Age/*.swift Tests/Fuzz/AgeFuzz.swift; do
    sed -E '/^(public |internal |private )?import (Platform|Bytes|Age)$/d' "$file" >"$work/build/$(basename "$file")"
done
rm -f "$work/fuzz"
# shellcheck disable=SC2046
swiftc -O -swift-version 6 -sanitize=fuzzer,address -parse-as-library -module-name AgeFuzz -package-name shunt \
    -enable-experimental-feature Lifetimes -enable-upcoming-feature ExistentialAny \
    -I Sources/COpenSSL $(pkg-config --cflags --libs openssl) \
    "$work"/build/*.swift -o "$work/fuzz" 2>&1 | grep -v "Cannot export local symbol" || test -x "$work/fuzz"

# The first byte says what to read.
for vector in Tests/CryptoTests/Age/Vectors/*; do
    name=$(basename "$vector")
    [ "$(wc -c <"$vector")" -lt 4000 ] || continue
    body=$(mktemp)
    sed '1,/^$/d' "$vector" >"$body"
    { printf '\000'; cat "$body"; } >"$work/seeds/header-$name"
    { printf '\003'; cat "$body"; } >"$work/seeds/file-$name"
    case $name in armor*) { printf '\002'; cat "$body"; } >"$work/seeds/$name" ;; esac
    rm -f "$body"
done
printf '\001age1lggyhqrw2nlhcxprm67z43rta597azn8gknawjehu9d9dl0jq3yqqvfafg\n' >"$work/seeds/recipient"
printf '\001AGE-SECRET-KEY-1EGTZVFFV20835NWYV6270LXYVK2VKNX2MMDKWYKLMGR48UAWX40Q2P2LM0\n' >"$work/seeds/identity"
# The runtime's own crash handler upsets the sanitizer.
export SWIFT_BACKTRACE=enable=no
exec "$work/fuzz" "$work/found" "$work/seeds" -max_len=2000 -max_total_time="$seconds" \
    -artifact_prefix="$work/" -print_final_stats=1

extension ClientKit {
    /// App Transport Security: a build phase, since a property list knows no configurations.
    static let ats = ClientKit(name: "ats", summary: "App Transport Security, as a build phase of Xcode") { facts in
        // NSAllowsLocalNetworking covers names without a dot, .local and addresses.
        let covered = { (host: String) in
            !host.utf8.contains(UInt8(ascii: ".")) || host.hasSuffix(".local") || host.utf8.contains(UInt8(ascii: ":"))
                || host.utf8.allSatisfy { $0 == UInt8(ascii: ".") || (0x30...0x39).contains($0) }
        }
        let lines = facts.hosts.filter { !covered($0) }.flatMap { host in
            let isWildcard = host.hasPrefix("*.")
            let name = isWildcard ? String(host.dropFirst(2)) : host
            return ["add 'NSExceptionDomains:\(name):NSExceptionAllowsInsecureHTTPLoads bool true'"]
                + (isWildcard ? ["add 'NSExceptionDomains:\(name):NSIncludesSubdomains bool true'"] : [])
        }
        return [
            ClientFile(
                path: "shunt-ats.sh",
                text: """
                    #!/bin/sh
                    # Made by `shunt client-kit`. A Run Script phase of the app's target, behind "Copy Bundle Resources":
                    # the exceptions get into Debug builds alone, since the app's own Info.plist has none of them.
                    set -eu
                    [ "${CONFIGURATION:-}" = Debug ] || exit 0
                    plist="$TARGET_BUILD_DIR/$INFOPLIST_PATH"
                    add() { /usr/libexec/PlistBuddy -c "Add :NSAppTransportSecurity:$1" "$plist" 2>/dev/null || true; }
                    add 'NSAllowsLocalNetworking bool true'
                    \(lines.joined(separator: "\n"))

                    """)
        ]
    }
}

/// The keys a profile may have, object by object; the JSON Schema has the same (a test compares them).
package enum ProfileKeys {
    package static let profile = [
        "$schema", "description", "extends", "kind", "routes", "trust", "certificateAuthorities",
    ]
    package static let route = ["host", "path", "method", "headers", "origin", "preserveHost", "mock"]
    package static let mock = ["status", "headers", "json", "text"]
    package static let trustRule = ["policy", "certificateAuthorities"]
}

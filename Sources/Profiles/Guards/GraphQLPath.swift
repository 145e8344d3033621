/// Whether a path that arrives at an origin can only be that of GraphQL: `/graphql`, at most below `api` and versions.
///
/// `/v1/customers/graphql` may be a customer, and what has escapes, parameters or dots is read differently by servers.
/// Other paths are GraphQL if their route says so.
package func isGraphQLPath(_ path: [UInt8]) -> Bool {
    let text = String(decoding: path, as: UTF8.self)
    var segments = text.split(separator: "/", omittingEmptySubsequences: false)[...]
    guard segments.popFirst() == "" else { return false }
    if segments.last == "" { segments.removeLast() }
    return segments.popLast() == "graphql" && segments.allSatisfy { $0 == "api" || isVersion($0) }
}

private func isVersion(_ segment: Substring) -> Bool {
    segment.first == "v" && segment.count > 1
        && segment.dropFirst().utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
}

extension ResponderSettings {
    /// Whether a request's path is that of GraphQL at every origin that is asked, with what the origin puts in front.
    package func isGraphQL(_ path: [UInt8]) -> Bool {
        addresses.allSatisfy { isGraphQLPath(Array($0.basePath.utf8) + path) } && isGraphQLPath(path)
    }
}

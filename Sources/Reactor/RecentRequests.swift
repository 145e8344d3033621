import CSystem

/// The requests that a loop's thread began to serve last, which the note of a crash names.
///
/// Confined to that thread. Memory of C, so that the handler of a signal can read it.
public final class RecentRequests {
    private let requests = shunt_requests_make()

    public init() {}

    deinit { shunt_requests_free(requests) }

    /// The path without its query.
    public func note(method: Span<UInt8>, path: Span<UInt8>) {
        method.withUnsafeBytes { method in
            path.withUnsafeBytes { path in
                if let requests, let word = method.baseAddress, let base = path.baseAddress {
                    shunt_requests_note(requests, word, method.count, base, path.count)
                }
            }
        }
    }
}

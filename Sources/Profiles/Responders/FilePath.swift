import Bytes

/// Where below a folder a request's path leads.
public struct FilePath: Sendable, Equatable {
    /// Without a `/` at either end; empty for the folder itself.
    public let bytes: [UInt8]
    /// The path ended in a `/`, so that a folder is meant.
    public let isFolder: Bool

    /// The part after the literal part of a route's path, decoded; nil if no file can have that name.
    ///
    /// Names that begin with a dot are hidden, apart from `.well-known` (RFC 8615). Segments that a system could read
    /// as another name, or as several, name no file: `..`, an encoded `/`, `\`, controls, and an empty segment.
    /// - Parameters:
    ///   - path: as the client sent it, without its query.
    ///   - route: the route that was chosen for it.
    public init?(_ path: Span<UInt8>, of route: Route) {
        let prefix = route.literalLength
        if PathBytes.isNormal(path) {
            self.init(normal: path, from: prefix)
        } else {
            let normal = PathBytes.normalized(path.withUnsafeBufferPointer { Array($0) })
            self.init(normal: ContiguousArray(normal).span, from: prefix)
        }
    }

    /// - Parameter path: in the spelling of ``PathBytes``.
    init?(normal path: Span<UInt8>, from prefix: Int) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(max(path.count - prefix, 0))
        // A target without a path means the root.
        guard prefix < path.count else {
            guard prefix == path.count else { return nil }
            (self.bytes, isFolder) = ([], path.isEmpty)
            return
        }
        guard path[prefix] == UInt8(ascii: "/") else { return nil }
        var (at, start) = (prefix + 1, 0)
        while at < path.count {
            var byte = path[at]
            at += 1
            if byte == UInt8(ascii: "/") {
                guard Self.isName(bytes[start...]) else { return nil }
                bytes.append(byte)
                start = bytes.count
                continue
            }
            if byte == UInt8(ascii: "%") {
                guard at + 1 < path.count, let high = ByteSearch.hexDigit(path[at]),
                    let low = ByteSearch.hexDigit(path[at + 1])
                else { return nil }
                byte = high << 4 | low
                at += 2
            }
            guard byte >= 0x20, byte != 0x7F, byte != UInt8(ascii: "/"), byte != UInt8(ascii: "\\") else { return nil }
            bytes.append(byte)
        }
        isFolder = start == bytes.count
        if isFolder {
            if !bytes.isEmpty { bytes.removeLast() }
        } else if !Self.isName(bytes[start...]) {
            return nil
        }
        self.bytes = bytes
    }

    private static let wellKnown = Array(".well-known".utf8)

    private static func isName(_ segment: ArraySlice<UInt8>) -> Bool {
        guard let first = segment.first else { return false }
        return first != UInt8(ascii: ".") || segment.elementsEqual(wellKnown)
    }
}

extension Route {
    /// Bytes of the path that are in front of the first `*`.
    fileprivate var literalLength: Int {
        let bytes = settings.pattern.path.bytes
        guard let star = bytes.firstIndex(of: PathPattern.star) else { return bytes.count }
        return star - 1
    }
}

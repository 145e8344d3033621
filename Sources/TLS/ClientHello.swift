/// The first message of a client in TLS (RFC 8446 4.1.2), as far as its server name.
public enum ClientHello {
    public enum Name: Sendable, Equatable {
        case found(String)
        /// There is none, or this is no hello.
        case none
        case incomplete
    }

    /// Reads the server name out of the bytes that have come so far.
    public static func serverName(in bytes: [UInt8]) -> Name {
        var message: [UInt8] = []
        var rest = bytes[...]
        // It may be cut into several records.
        while true {
            if message.count >= 4 {
                let length = 4 + number(message[1..<4])
                if message.count >= length { return name(inMessage: message[..<length]) }
            }
            guard rest.count >= 5 else { return rest.first ?? 22 == 22 ? .incomplete : .none }
            let head = Array(rest.prefix(5))
            let length = number(head[3..<5])
            guard head[0] == 22, head[1] == 3, length > 0, length <= 1 << 14 else { return .none }
            message += rest.dropFirst(5).prefix(length)
            if let type = message.first, type != 1 { return .none }
            guard rest.count >= 5 + length else {
                // What is there may be all of it already.
                guard message.count >= 4, message.count >= 4 + number(message[1..<4]) else { return .incomplete }
                return name(inMessage: message[..<(4 + number(message[1..<4]))])
            }
            rest = rest.dropFirst(5 + length)
        }
    }

    private static func name(inMessage message: ArraySlice<UInt8>) -> Name {
        // Type and length, version, random.
        var rest = message.dropFirst(4 + 2 + 32)
        // Session, cipher suites, compression.
        for size in [1, 2, 1] {
            guard take(&rest, size) != nil else { return .none }
        }
        guard var extensions = take(&rest, 2), rest.isEmpty else { return .none }
        var found: Name?
        while !extensions.isEmpty {
            guard extensions.count >= 4 else { return .none }
            let type = number(extensions.prefix(2))
            extensions = extensions.dropFirst(2)
            guard let content = take(&extensions, 2) else { return .none }
            guard type == 0 else { continue }
            // Of two names, the origin might take the other one.
            guard found == nil else { return .none }
            found = name(inExtension: content)
        }
        return found ?? .none
    }

    private static func name(inExtension content: ArraySlice<UInt8>) -> Name {
        var content = content
        guard var list = take(&content, 2), content.isEmpty, list.first == 0 else { return .none }
        list = list.dropFirst()
        guard let name = take(&list, 2), list.isEmpty, !name.isEmpty, name.count <= 255,
            name.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { return .none }
        return .found(String(decoding: name, as: UTF8.self))
    }

    /// Takes a field whose length stands before it in `size` bytes; nil if there is less.
    private static func take(_ bytes: inout ArraySlice<UInt8>, _ size: Int) -> ArraySlice<UInt8>? {
        guard bytes.count >= size else { return nil }
        let length = number(bytes.prefix(size))
        guard bytes.count >= size + length else { return nil }
        let field = bytes.dropFirst(size).prefix(length)
        bytes = bytes.dropFirst(size + length)
        return field
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
}

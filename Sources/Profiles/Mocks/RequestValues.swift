import Bytes

/// What a request carries, for conditions and templates.
package enum RequestValues {
    /// The decoded values of a parameter.
    package static func parameters(_ query: [UInt8], named name: String) -> [String] {
        let name = Array(name.utf8)
        var values: [String] = []
        // Most parameters are others, and take no memory.
        URLParameters.each(of: query) { parameter, value in
            let isCoded = parameter.contains { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }
            if isCoded ? FormCoding.decoded(Array(parameter)) == name : parameter.elementsEqual(name) {
                values.append(String(decoding: FormCoding.decoded(Array(value)), as: UTF8.self))
            }
        }
        return values
    }

    /// The values of a cookie in `Cookie` fields.
    package static func cookies(_ fields: [String], named name: String) -> [String] {
        fields.flatMap { field in
            field.split(separator: ";").compactMap { pair in
                let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2, parts[0].drop(while: { $0 == " " }) == name else { return nil }
                return String(parts[1])
            }
        }
    }

    /// A `Cookie` field without some of its cookies; a field that has none of them stays as it is.
    package static func cookies(_ field: String, without isLeftOut: (Substring) -> Bool) -> String {
        let pairs = field.split(separator: ";", omittingEmptySubsequences: false)
        let kept = pairs.filter { pair in
            let name = pair.prefix { $0 != "=" }.drop { $0 == " " || $0 == "\t" }
            return !isLeftOut(name.prefix { $0 != " " && $0 != "\t" })
        }
        guard kept.count < pairs.count else { return field }
        return String(kept.joined(separator: ";").drop { $0 == " " })
    }

    /// A segment of a path as routes see it, its escapes undone; nil where the path is shorter.
    package static func segment(_ index: Int, of path: [UInt8]) -> String? {
        let segments = PathBytes.normalized(path).dropFirst()
            .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return index < segments.count ? String(decoding: decoded(segment: segments[index]), as: UTF8.self) : nil
    }

    /// A segment of a path with its escapes undone; `+` stays.
    package static func decoded(segment: some Sequence<UInt8>) -> [UInt8] {
        FormCoding.decoded(segment.flatMap { $0 == UInt8(ascii: "+") ? Array("%2B".utf8) : [$0] })
    }
}

import Exchanges
import JSON

extension ExpectationReport {
    /// For programs; the names are described in docs/expectations.md.
    package var json: [UInt8] {
        let json = JSONWriter.object(.pretty) { object in
            object.members(["met": failed.isEmpty, "exchanges": exchanges])
            object.objects("expectations", results) { one, result in
                one.member("name", result.expectation.name)
                one.member("place", result.expectation.place)
                one.member("filter", result.expectation.filter.text)
                one.member("met", result.isFulfilled)
                one.array("mismatches") { array in
                    for mismatch in result.mismatches { array.object { write(mismatch, to: &$0) } }
                }
                if !result.notes.isEmpty { one.member("notes", result.notes) }
            }
        }
        return json + [UInt8(ascii: "\n")]
    }

    private func write(_ mismatch: Mismatch, to object: inout JSONWriter) {
        object.members(["expected": mismatch.expected, "seen": mismatch.seen])
        object.key("nearest")
        if let (id, difference) = mismatch.nearest {
            object.object(["id": id, "exchange": named[id]?.line, "difference": difference])
        } else {
            object.null()
        }
        object.member("count", mismatch.count)
        object.key("exchanges")
        object.array { array in for id in mismatch.ids { array.value(id) } }
    }

    /// GitLab's report on code quality, and what Code Climate defined: one issue for each expectation that is not met.
    package var codeQuality: [UInt8] {
        var writer = JSONWriter(style: .pretty)
        writer.array { array in
            for result in failed {
                let (file, line) = Self.place(result.expectation)
                let text = result.mismatches.map { "expected \($0.expected), seen \($0.seen)" }.joined(separator: "; ")
                array.object { issue in
                    issue.member("type", "issue")
                    issue.member("check_name", "shunt-expectation")
                    issue.member("description", "\(result.expectation.name): \(text)")
                    // The same for the same expectation, whatever was seen.
                    issue.member("fingerprint", Self.fingerprint("\(file)\n\(result.expectation.name)"))
                    issue.member("severity", "major")
                    issue.array("categories") { $0.value("Bug Risk") }
                    issue.object("location") { location in
                        location.member("path", file)
                        location.object("lines") { $0.member("begin", line) }
                    }
                }
            }
        }
        return writer.bytes + [UInt8(ascii: "\n")]
    }

    /// The file and line of an expectation; those of options have line 1.
    static func place(_ expectation: Expectation) -> (file: String, line: Int) {
        guard let colon = expectation.place.lastIndex(of: ":"),
            let line = Int(expectation.place[expectation.place.index(after: colon)...])
        else { return (expectation.place, 1) }
        return (String(expectation.place[..<colon]), line)
    }
}

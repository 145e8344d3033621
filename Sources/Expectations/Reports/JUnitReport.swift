import Bytes

extension ExpectationReport {
    /// JUnit's XML as Jenkins and GitLab read it: a test case for each expectation.
    package var junit: String {
        let seconds = "0"
        var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        let counts = "tests=\"\(results.count)\" failures=\"\(failed.count)\" errors=\"0\""
        text += "<testsuites name=\"shunt\" \(counts) time=\"\(seconds)\">\n"
        text += "  <testsuite name=\"shunt expectations\" \(counts) skipped=\"0\" time=\"\(seconds)\">\n"
        for result in results {
            let place = result.expectation.place.split(separator: ":").first.map(String.init) ?? ""
            text +=
                "    <testcase name=\"\(Self.xml(result.expectation.name))\" classname=\"\(Self.xml(place))\" time=\"\(seconds)\""
            guard !result.isFulfilled || !result.notes.isEmpty else {
                text += "/>\n"
                continue
            }
            text += ">\n"
            if !result.isFulfilled {
                // One failure for each case: readers take the first.
                let message = result.mismatches.map { "expected \($0.expected), seen \($0.seen)" }.joined(
                    separator: "; ")
                let body = result.mismatches.flatMap { lines($0) }.joined(separator: "\n")
                text +=
                    "      <failure message=\"\(Self.xml(message))\" type=\"expectation\">\(Self.xml(body))</failure>\n"
            }
            if !result.notes.isEmpty {
                text += "      <system-out>\(Self.xml(result.notes.joined(separator: "\n")))</system-out>\n"
            }
            text += "    </testcase>\n"
        }
        return text + "  </testsuite>\n</testsuites>\n"
    }

    /// Text for XML 1.0, which has no place for most control characters, not even escaped.
    static func xml(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "\t", "\n", "\r": escaped += "&#\(scalar.value);"
            case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

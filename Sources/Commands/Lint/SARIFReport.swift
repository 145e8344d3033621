import JSON

/// Findings for code scanning: SARIF 2.1.0.
enum SARIFReport {
    static func write(_ findings: [LintFinding], to writer: inout JSONWriter) {
        writer.object { object in
            object.members(["$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0"])
            object.array("runs") { runs in
                runs.object { run in
                    run.object("tool") { tool in
                        tool.object("driver") { driver in
                            driver.members(["name": "shunt lint", "version": Tool.version])
                            driver.objects("rules", LintFinding.Rule.allCases) { object, rule in
                                object.member("id", rule.rawValue)
                                object.object("shortDescription") { $0.member("text", rule.help) }
                            }
                        }
                    }
                    run.array("results") { results in
                        for finding in findings { results.object { write(finding, to: &$0) } }
                    }
                }
            }
        }
    }

    private static func write(_ finding: LintFinding, to object: inout JSONWriter) {
        object.members(["ruleId": finding.rule.rawValue, "level": "error"])
        object.object("message") { $0.member("text", "\(finding.rule.help) \(finding.place): \(finding.message)") }
        object.array("locations") { locations in
            locations.object { location in
                location.object("physicalLocation") { physical in
                    // Parts of an archive have no address of their own.
                    let file = finding.place.prefix { $0 != "!" }
                    physical.object("artifactLocation") { $0.member("uri", uri(String(file))) }
                    physical.object("region") { $0.member("startLine", finding.line ?? 1) }
                }
            }
        }
    }

    /// RFC 3986: all but what a path may have is percent-encoded.
    private static func uri(_ path: String) -> String {
        var text = ""
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"), UInt8(ascii: "/"):
                text.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                text += "%" + (digits.count == 1 ? "0" : "") + digits
            }
        }
        return text
    }
}

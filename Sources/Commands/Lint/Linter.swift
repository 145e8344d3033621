import Platform

/// Judges files as a release would ship them, each by what it is.
enum Linter {
    /// So that an archive of archives' worth of zeros takes no hour.
    private static let maxTotal = 4 << 30

    static func findings(_ path: String, shown: String) throws(LintFailure) -> [LintFinding] {
        let name = Path.name(of: path).lowercased()
        if name.hasSuffix(".ipa") || name.hasSuffix(".apk") { return try archive(path, shown) }
        let bytes: [UInt8]
        do throws(FileFailure) { bytes = try Files.read(path) } catch { throw LintFailure(error.reason) }
        if name.hasSuffix(".plist") { return InfoPlistRules.findings(try PropertyList.read(bytes), shown) }
        guard name.hasSuffix(".xml") else {
            throw LintFailure("it is no Info.plist, network_security_config.xml, AndroidManifest.xml, .ipa or .apk")
        }
        return try markup(bytes, shown)
    }

    private static func markup(_ bytes: [UInt8], _ place: String) throws(LintFailure) -> [LintFinding] {
        let root = AndroidXML.isOne(bytes) ? try AndroidXML.read(bytes) : try XMLReader.read(bytes)
        switch root.name {
        case "network-security-config": return AndroidRules.findings(configuration: root, place)
        case "manifest": return AndroidRules.findings(manifest: root, place)
        case "plist": return InfoPlistRules.findings(try PropertyList.read(bytes), place)
        default: throw LintFailure("its root is \(root.name), for which there are no rules")
        }
    }

    private static func archive(_ path: String, _ shown: String) throws(LintFailure) -> [LintFinding] {
        let archive = try ZipArchive(path)
        var findings: [LintFinding] = []
        var total = 0
        var isApp = false
        for entry in archive.entries where !entry.name.hasSuffix("/") {
            let place = "\(shown)!\(entry.name)"
            total += entry.size
            guard total <= maxTotal else { throw LintFailure("it is larger than \(maxTotal >> 30) GiB unpacked") }
            do throws(LintFailure) {
                let content = try archive.read(entry)
                findings += ContentRules.findings(content, place)
                let name = Path.name(of: entry.name)
                if name == "Info.plist", entry.name.hasPrefix("Payload/") {
                    isApp = true
                    findings += InfoPlistRules.findings(try PropertyList.read(content), place)
                } else if entry.name == "AndroidManifest.xml" {
                    isApp = true
                    findings += AndroidRules.findings(manifest: try AndroidXML.read(content), place)
                } else if name.hasSuffix(".xml"), AndroidXML.isOne(content) {
                    // A build may have renamed the file that the manifest names.
                    let root = try AndroidXML.read(content)
                    if root.name == "network-security-config" {
                        findings += AndroidRules.findings(configuration: root, place)
                    }
                }
            } catch {
                findings.append(LintFinding(rule: .unread, place: place, line: nil, message: error.message))
            }
        }
        guard isApp else { throw LintFailure("it has neither Payload/NAME.app/Info.plist nor AndroidManifest.xml") }
        return findings
    }
}

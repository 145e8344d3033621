import Contracts
import Platform

/// Judges files as a release would ship them, each by what it is.
enum Linter {
    /// So that an archive of archives' worth of zeros takes no hour.
    private static let maxTotal = 4 << 30

    static func findings(_ path: String, shown: String) throws(LintFailure) -> [LintFinding] {
        let name = Path.name(of: path).lowercased()
        if name.hasSuffix(".ipa") || name.hasSuffix(".apk") { return try archive(path, shown) }
        if Files.isDirectory(path) { return try folder(path, shown) }
        let bytes: [UInt8]
        do throws(FileFailure) { bytes = try Files.read(path) } catch { throw LintFailure(error.reason) }
        if name.hasSuffix(".plist") { return InfoPlistRules.findings(try PropertyList.read(bytes), shown) }
        guard name.hasSuffix(".xml") else {
            throw LintFailure(
                "it is no Info.plist, network_security_config.xml, AndroidManifest.xml, .ipa, .apk, .app or "
                    + ".xcarchive")
        }
        return try markup(bytes, shown)
    }

    private static func markup(_ bytes: [UInt8], _ place: String) throws(LintFailure) -> [LintFinding] {
        let root = AndroidXML.isOne(bytes) ? try AndroidXML.read(bytes) : try MarkupElement.root(of: bytes)
        switch root.name {
        case "network-security-config": return AndroidRules.findings(configuration: root, place)
        case "manifest": return AndroidRules.findings(manifest: root, place)
        case "plist": return InfoPlistRules.findings(try PropertyList.read(bytes), place)
        default: throw LintFailure("its root is \(root.name), for which there are no rules")
        }
    }

    private static func archive(_ path: String, _ shown: String) throws(LintFailure) -> [LintFinding] {
        let archive = try ZipArchive(path)
        var parts = Parts(shown + "!")
        for entry in archive.entries where !entry.name.hasSuffix("/") {
            try parts.add(entry.name, isApple: entry.name.hasPrefix("Payload/")) {
                () throws(LintFailure) in try archive.read(entry)
            }
        }
        guard parts.isApp else {
            throw LintFailure("it has neither Payload/NAME.app/Info.plist nor AndroidManifest.xml")
        }
        return parts.findings
    }

    /// An app as a folder, or an archive of Xcode, of which the app alone is shipped.
    private static func folder(_ path: String, _ shown: String) throws(LintFailure) -> [LintFinding] {
        let top = Path.name(of: path).lowercased().hasSuffix(".xcarchive") ? "Products/" : ""
        var parts = Parts(shown + "/")
        for name in try files(below: path, top) {
            try parts.add(name, isApple: true) { () throws(LintFailure) in
                do throws(FileFailure) { return try Files.read(path + "/" + name, limit: ZipArchive.maxEntry) } catch {
                    throw LintFailure(error.reason)
                }
            }
        }
        guard parts.isApp else { throw LintFailure("no app with an Info.plist is in it") }
        return parts.findings
    }

    /// The regular files in a folder and below; links are not followed, since what they lead to is shipped once.
    private static func files(below path: String, _ prefix: String) throws(LintFailure) -> [String] {
        var (found, folders): ([String], [String]) = ([], [])
        do throws(FileFailure) {
            for name in try Files.names(in: path + "/" + prefix) {
                let part = prefix + name
                var status = stat()
                guard lstat(path + "/" + part, &status) == 0 else { throw FileFailure(path + "/" + part, "read") }
                switch status.st_mode & S_IFMT {
                case S_IFDIR: folders.append(part + "/")
                case S_IFREG: found.append(part)
                default: break
                }
            }
        } catch {
            throw LintFailure(error.reason)
        }
        for folder in folders { found += try files(below: path, folder) }
        return found
    }

    /// The parts of one app.
    private struct Parts {
        private(set) var findings: [LintFinding] = []
        private(set) var isApp = false
        private var total = 0
        /// What stands in front of their names.
        private let front: String

        init(_ front: String) { self.front = front }

        mutating func add(
            _ path: String, isApple: Bool, _ read: () throws(LintFailure) -> [UInt8]
        ) throws(LintFailure) {
            let place = front + path
            guard total <= maxTotal else { throw LintFailure("it is larger than \(maxTotal >> 30) GiB unpacked") }
            do throws(LintFailure) {
                let content = try read()
                total += content.count
                findings += ContentRules.findings(content, place)
                findings += try AcceptingCodeRules.findings(content, place)
                let name = Path.name(of: path)
                if name == "Info.plist", isApple {
                    isApp = true
                    findings += InfoPlistRules.findings(try PropertyList.read(content), place)
                } else if path == "AndroidManifest.xml" {
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
    }
}

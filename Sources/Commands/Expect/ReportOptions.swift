import Expectations
import Inspection
import Platform
import Profiles
import Store

/// Where a report goes, as options say.
struct ReportOptions: Sendable {
    private static let kinds = ["junit", "json", "html", "codequality"]

    /// Files by the kind of report.
    private var files: [(kind: String, path: String)] = []
    private var saved: String?

    static let options: [Option] = [
        .value(
            "report", "KIND=FILE", repeatable: true,
            "Write a report: junit, json, html or codequality (GitLab's). Standard error gets text, and GitHub annotations "
                + "and a step summary."),
        .value("save", "FILE", "Write the exchanges that violate expectations as HAR, each with the ten before it."),
    ]

    static func read(_ arguments: Arguments) throws -> ReportOptions {
        var options = ReportOptions()
        for text in arguments.texts("report") {
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2, kinds.contains(parts[0]) else {
                throw UsageError(
                    "--report “\(text)” is no report",
                    advice: "Write junit=FILE, json=FILE, html=FILE or codequality=FILE.")
            }
            options.files.append((parts[0], Path.absolute(parts[1])))
        }
        options.saved = arguments.text("save").map { Path.absolute($0) }
        return options
    }

    /// Whether anything but text is asked for.
    var isEmpty: Bool { files.isEmpty && saved == nil }

    /// Tells what came of expectations; throws where a file cannot be written.
    func tell(_ report: ExpectationReport, _ traffic: Observations, _ reader: TrafficReader) throws {
        Terminal.error(report.text(color: Terminal.wantsColor(on: 2)))
        for (kind, path) in files {
            switch kind {
            case "junit": try write(Array(report.junit.utf8), to: path)
            case "json": try write(report.json, to: path)
            case "codequality": try write(report.codeQuality, to: path)
            default: try write(Array(try html(report, traffic).utf8), to: path)
            }
        }
        try tellGitHub(report)
        if let saved, !report.ids.isEmpty { try save(report.ids, reader, to: saved) }
    }

    /// Its runner reads standard output; the command's own is left alone, and both arrive in the log.
    private func tellGitHub(_ report: ExpectationReport) throws {
        guard Terminal.variable("GITHUB_ACTIONS") == "true" else { return }
        Terminal.error(report.annotations)
        guard let path = Terminal.variable("GITHUB_STEP_SUMMARY"), !path.isEmpty else { return }
        let descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw FileFailure(path, "written") }
        defer { close(descriptor) }
        Files.writeAll(Array(report.markdown.utf8), to: descriptor)
    }

    private func html(_ report: ExpectationReport, _ traffic: Observations) throws -> String {
        try report.html(traffic)
    }

    private func write(_ bytes: [UInt8], to path: String) throws { try Files.write(bytes, to: path, mode: 0o644) }

    private func save(_ ids: [Int64], _ reader: TrafficReader, to path: String) throws {
        let before: Int64 = 10
        let parts = ids.map { "exchange.id BETWEEN \($0 - before) AND \($0)" }
        let file = try ExportFile(path)
        do throws(ExportFailure) {
            let search = TrafficSearch.all(of: reader).and(StoreCondition(parts.joined(separator: " OR ")))
            _ = try HARExport(search, version: Tool.version).write(to: ExportOutput { file.append($0) })
        } catch {
            throw CommandFailure.exporting(error, file)
        }
        try file.complete()
    }
}

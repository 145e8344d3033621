import Expectations
import Foundation
import Inspection
import Profiles
import Store
import TestSupport

/// Traffic of a test: a store that an archive was imported into.
struct Traffic {
    private let folder: TemporaryFolder
    let observations: Observations

    static let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/Golden"

    /// What the goldens are about: `Golden/traffic.har`, with production at api.shop.example.
    static func golden() throws -> Traffic {
        try Traffic(Array(try Data(contentsOf: URL(fileURLWithPath: directory + "/traffic.har"))), production: true)
    }

    init(_ archive: [UInt8], production: Bool = false) throws {
        folder = try TemporaryFolder()
        let path = folder.path + "/traffic.db"
        let har = try HARImport(store: path)
        try har.feed(archive)
        try har.finish()
        guard har.problems.isEmpty else { throw har.problems[0] }
        let profiles = try ProfileLibrary.load(files: [
            (
                path: "production.json",
                bytes: Array(#"{kind: "production", routes: [{origin: "https://api.shop.example"}]}"#.utf8)
            )
        ])
        observations = try Observations(try TrafficReader(path), profiles: production ? profiles : nil)
    }

    /// What comes of expectations, as text; their problems where they are wrong.
    func text(_ expectations: [UInt8], path: String) throws -> String {
        do throws(ProfileProblems) {
            let all = try ExpectationFile.read(expectations, path: path)
            do throws(CheckFailure) {
                return try ExpectationReport(try observations.check(all), observations).text()
            } catch {
                return "\(error)\n"
            }
        } catch {
            return "\(error)\n"
        }
    }

    func text(_ expectations: String) throws -> String { try text(Array(expectations.utf8), path: "x.json5") }
}

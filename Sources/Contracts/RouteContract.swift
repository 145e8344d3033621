import Platform
import Synchronization

/// A document of OpenAPI that exchanges of routes are compared with: one reading, which all of them share.
public final class RouteContract: Sendable {
    public let contract: APIContract
    /// As messages name it.
    public let name: String
    /// Absolute paths of all that was read.
    public let files: [String]

    private init(_ contract: APIContract, name: String, files: [String]) {
        (self.contract, self.name, self.files) = (contract, name, files)
    }

    /// Why a document cannot be used, or the reading of it that is in use.
    private struct Reading {
        weak var contract: RouteContract?
        var problems: ContractProblems?
        /// Of all that was read, as they were before.
        let looks: [String: FileLook?]

        var isCurrent: Bool {
            (contract != nil || problems != nil) && looks.allSatisfy { path, look in FileLook(path) == look }
        }
    }

    /// By path and name: a profile may have many routes, and be read again at any time.
    ///
    /// Contracts that are still in use, and the last problem; each reading of a file drops all other entries.
    private static let readings = Mutex<[String: Reading]>([:])

    /// Reads a document with all files that it refers to; returns the last reading if no file has changed since.
    ///
    /// - Parameters:
    ///   - path: absolute.
    ///   - name: how messages name the file.
    public static func read(_ path: String, name: String) throws(ContractProblems) -> RouteContract {
        let key = "\(path)\u{0}\(name)"
        let result: Result<RouteContract, ContractProblems> = readings.withLock { readings in
            if let known = readings[key], known.isCurrent {
                if let contract = known.contract { return .success(contract) }
                if let problems = known.problems { return .failure(problems) }
            }
            readings = readings.filter { $0.value.contract != nil }
            var looks: [String: FileLook?] = [:]
            let sources = ContractSources { path throws(FileFailure) in
                looks[path] = .some(FileLook(path))
                return try Files.read(path, limit: ContractSources.sizeLimit)
            }
            do throws(ContractProblems) {
                let contract = RouteContract(
                    try APIContract(path, name: name, sources: sources), name: name, files: looks.keys.sorted())
                readings[key] = Reading(contract: contract, looks: looks)
                return .success(contract)
            } catch {
                readings[key] = Reading(problems: error, looks: looks)
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// Findings of one exchange that are kept.
    private static let most = 20
    private static let longest = 500

    /// What is wrong with an exchange, each with the place of its rule; empty where it fits.
    public func findings(in verdict: ContractVerdict) -> [String] {
        let texts = verdict.failures.prefix(Self.most).map { failure in
            let text = failure.text
            return (text.utf8.count > Self.longest ? text.prefix(Self.longest / 4) + "…" : text) + " (\(failure.rule))"
        }
        let more = verdict.failures.count - texts.count
        return more > 0 ? texts + ["and \(more) more"] : texts
    }
}

public import Cluster
import JSON
public import Platform

/// `.shunt/cluster-GROUP-PORT.json` beside a folder of profiles: what a node begins with while the database is away.
///
/// Unlockings are not in it: a node that cannot ask begins locked.
public struct ClusterFile: Sendable {
    private let directory: String
    private let path: String

    /// - Parameters:
    ///   - profilesDirectory: absolute.
    ///   - group: a name of which files may have a part.
    public init(profilesDirectory: String, group: String, port: UInt16) {
        directory = AdminFile(profilesDirectory: profilesDirectory).directory
        path = "\(directory)/cluster-\(group)-\(port).json"
    }

    /// What was known last, and the profiles that were locked without the database knowing it.
    ///
    /// Nothing where the file is missing or broken, or may be written by others.
    public func read() -> (state: ClusterState?, waitingLocks: [String]) {
        guard let value = AdminFile.readOwnJSON(path) else { return (nil, []) }
        var writer = JSONWriter()
        if let state = value["state"] { writer.value(state) }
        return (
            (try? ClusterState(json: writer.bytes))?.withoutEnds,
            value["waitingLocks"]?.array?.compactMap(\.string) ?? []
        )
    }

    public func write(_ state: ClusterState?, waitingLocks: [String]) throws(FileFailure) {
        let json = JSONWriter.object { object in
            if let state {
                object.key("state")
                object.raw(state.withoutEnds.json)
            }
            object.member("waitingLocks", waitingLocks)
        }
        try Files.makeDirectory(directory, mode: 0o700)
        try Files.write(json + [UInt8(ascii: "\n")], to: path, mode: 0o600)
    }
}

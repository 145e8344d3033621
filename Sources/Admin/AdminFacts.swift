public import Cluster
public import Engine
package import Profiles
public import Reactor
package import Store

/// Facts that do not change while Shunt runs.
public struct AdminFacts: Sendable {
    public var pid: Int32
    public var version: String
    /// Seconds since 1970.
    public var startedAt: Int64
    /// The URLs that apps are to use.
    public var urls: [String]
    /// Where the pages for devices listen; empty if they are switched off.
    public var pages: [SocketAddress]
    /// Their URLs.
    public var pageURLs: [String]
    /// Absolute path of the folder with the profiles.
    public var profilesDirectory: String
    /// The store's file; nil without a store.
    public var store: String?
    /// Logs browsers in; nil without an inspector.
    public var inspector: InspectorSecrets?
    /// The files that `--origin` stands for, and what `--set` adds to them; nil for profiles of a folder.
    public var originFiles: (files: [(name: String, text: String)], set: [String])?
    /// Where the keys of TLS connections are written; nil for nowhere.
    public var keyLog: String?
    /// The users beside the owner; nil where there cannot be any.
    public var users: Users?
    /// Where changes are written down; nil for nowhere.
    public var audit: AuditLog?
    /// The cluster of which this Shunt is a node; nil for none.
    public var cluster: ClusterMember?
    /// nil where metrics are not counted.
    public var monitoring: Monitoring?

    public init(
        pid: Int32, version: String, startedAt: Int64, urls: [String], pages: [SocketAddress] = [],
        pageURLs: [String] = [], profilesDirectory: String, store: String? = nil, inspector: InspectorSecrets? = nil
    ) {
        (self.pid, self.version, self.startedAt, self.urls) = (pid, version, startedAt, urls)
        (self.pages, self.pageURLs, self.profilesDirectory, self.store) = (pages, pageURLs, profilesDirectory, store)
        self.inspector = inspector
    }
}

/// The result of reading the profiles again.
public struct ReloadReport: Sendable {
    /// One sentence each; empty if nothing has changed.
    public var changes: [String]
    /// `file:line:column: message`; not empty means that the old profiles stay.
    public var problems: [String]

    public init(changes: [String], problems: [String] = []) { (self.changes, self.problems) = (changes, problems) }
}

/// Actions of the program around the admin interface.
public struct AdminActions: Sendable {
    /// Reads the profiles again.
    public var reload: @Sendable () async -> ReloadReport
    /// Reads files of profiles that have changed and were not read yet, and says what is wrong with them.
    public var catchUp: @Sendable () async -> [String] = { [] }
    /// Called when another profile was made active.
    public var didUse: @Sendable (_ old: String, _ new: String) -> Void
    /// Called when a device has changed.
    public var didChangeDevice: @Sendable (DeviceEvent) -> Void = { _ in }
    /// Called when a profile may be written to for a while.
    public var didUnlock: @Sendable (Unlocking) -> Void = { _ in }
    /// Called when a profile was locked again before its time was over.
    public var didLock: @Sendable (Unlocking) -> Void = { _ in }
    /// Called when identities for the sealed store were given for a while.
    public var didUnlockStore: @Sendable (_ seconds: Int) -> Void = { _ in }
    /// Called when they were forgotten.
    public var didLockStore: @Sendable (_ why: String) -> Void = { _ in }
    /// Is told what was done with which mocks, and for which device alone.
    public var didChangeMocks: @Sendable (_ change: MockChange, _ mocks: String, _ device: String?) -> Void = {
        _, _, _ in
    }
    /// Whether new requests are accepted.
    public var isReady: @Sendable () -> Bool = { true }
    /// Is told which network was chosen in words, and which choice that was; nil where one was taken back.
    public var didChooseNetwork: @Sendable (_ text: String, _ choice: NetworkChoice?) -> Void = { _, _ in }
    /// Is told that a change was made and could not be written down.
    public var didFailToAudit: @Sendable (_ reason: String) -> Void = { _ in }
    /// Keeps for the next start which mocks are off.
    public var keepMocks: @Sendable (MockSwitches) throws -> Void = { _ in }
    /// Writes a mock of a recorded exchange into a profile, the only local one with nil.
    package var makeMock: @Sendable (_ id: Int64, _ profile: String?) throws -> Record<API.MadeMock> = { _, _ in
        throw RouteRefusal(message: "mocks cannot be made here", advice: nil)
    }
    /// Writes a route that edits a body of a recorded exchange into a profile.
    package var makeEdit: @Sendable (_ id: Int64, Record<API.NewEdit>) throws -> Record<API.MadeEdit> = { _, _ in
        throw RouteRefusal(message: "edits cannot be made here", advice: nil)
    }
    /// Reads expectations that were posted, and returns their names.
    package var readExpectations: @Sendable (_ bytes: [UInt8], _ isTrusted: Bool) -> Result<[String], ProfileProblems> =
        { _, _ in .success([]) }
    /// Checks expectations on the traffic of a session.
    package var verify:
        @Sendable (TrafficReader, _ expectations: [[UInt8]], _ session: String) throws -> Record<API.Verification> = {
            _, _, _ in throw RouteRefusal(message: "expectations cannot be checked here", advice: nil)
        }

    public init(
        reload: @escaping @Sendable () async -> ReloadReport,
        didUse: @escaping @Sendable (_ old: String, _ new: String) -> Void
    ) {
        (self.reload, self.didUse) = (reload, didUse)
    }
}

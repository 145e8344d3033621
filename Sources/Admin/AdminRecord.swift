import JSON

/// The file of a running Shunt for the commands that talk to it.
public struct AdminRecord: Sendable {
    /// The proxy's port, which names the file.
    public var port: UInt16
    public var pid: Int32
    public var urls: [String]
    /// The URLs of the pages for devices.
    public var pages: [String]
    /// Port of the admin interface at 127.0.0.1.
    public var adminPort: UInt16
    public var token: String
    public var profilesDirectory: String
    /// The file with the traffic; nil where none is recorded.
    public var store: String?
    /// The certificate of the CA that signs what clients see; nil where none does.
    public var authority: String?
    /// The hosts at which other machines find it; none where only this one does.
    public var networkHosts: [String]
    /// Where it is, when it was not found by its file.
    public var remote: AdminAddress?

    /// An admin interface that is somewhere else; what only the file knows is empty.
    public init(remote: AdminAddress, token: String) {
        self.init(port: remote.port, pid: 0, urls: [], adminPort: remote.port, token: token, profilesDirectory: "")
        self.remote = remote
    }

    /// Where it is, for people: `on port 4884`, `at https://gateway:4885`.
    public var place: String { remote.map { "at \($0.url)" } ?? "on port \(port)" }

    public init(
        port: UInt16, pid: Int32, urls: [String], pages: [String] = [], adminPort: UInt16, token: String,
        profilesDirectory: String, store: String? = nil, authority: String? = nil, networkHosts: [String] = []
    ) {
        (self.port, self.pid, self.urls, self.pages) = (port, pid, urls, pages)
        (self.adminPort, self.token, self.profilesDirectory, self.store) = (adminPort, token, profilesDirectory, store)
        (self.authority, self.networkHosts) = (authority, networkHosts)
    }

    var json: [UInt8] {
        let json = JSONWriter.object(
            .pretty,
            [
                "port": port, "pid": pid, "urls": urls, "pages": pages, "admin": "http://127.0.0.1:\(adminPort)",
                "adminPort": adminPort, "token": token, "profilesDirectory": profilesDirectory, "store": store,
                "authority": authority, "networkHosts": networkHosts,
            ])
        return json + [UInt8(ascii: "\n")]
    }

    init?(json bytes: [UInt8]) {
        guard let value = try? JSONReader.read(bytes, dialect: .strict) else { return nil }
        func number<N: FixedWidthInteger>(_ name: String) -> N? {
            value[name]?.number?.int64.flatMap { N(exactly: $0) }
        }
        guard let port: UInt16 = number("port"), let pid: Int32 = number("pid"),
            let adminPort: UInt16 = number("adminPort"), let token = value["token"]?.string, pid > 0
        else { return nil }
        self.init(
            port: port, pid: pid, urls: value["urls"]?.array?.compactMap(\.string) ?? [],
            pages: value["pages"]?.array?.compactMap(\.string) ?? [], adminPort: adminPort, token: token,
            profilesDirectory: value["profilesDirectory"]?.string ?? "", store: value["store"]?.string,
            authority: value["authority"]?.string,
            networkHosts: value["networkHosts"]?.array?.compactMap(\.string) ?? [])
    }
}

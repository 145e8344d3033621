import Admin
import Engine
import Platform

/// The admin interface of one run, by which commands such as `shunt use` and `shunt logs` find it.
struct RunAdmin: Sendable {
    private let server: AdminServer
    private let file: AdminFile
    private let record: AdminRecord

    /// Starts it at any port of 127.0.0.1, with a token of its own, and leaves the file that commands look for.
    init(_ engine: RunEngine, profiles directory: String, store: String?) async throws {
        let port = engine.port(.main)
        let urls = ["https://localhost:\(port)"]
        let facts = AdminFacts(
            pid: getpid(), version: Tool.version, startedAt: Int64(time(nil)), urls: urls, profilesDirectory: directory,
            store: store, inspector: InspectorSecrets())
        let actions = AdminActions(
            reload: { ReloadReport(changes: [], problems: ["`shunt run` reads profiles once, when it starts"]) },
            didUse: { _, _ in })
        do throws(ProxyError) {
            server = try await AdminServer(port: 0, token: .random(), for: engine.proxy, facts: facts, actions: actions)
        } catch {
            throw CommandFailure(error, option: "--admin")
        }
        file = AdminFile(profilesDirectory: directory)
        record = AdminRecord(
            port: port, pid: facts.pid, urls: urls, adminPort: server.port, token: server.token.text,
            profilesDirectory: directory, store: store)
        do throws(FileFailure) {
            try file.write(record)
            try RunningList()?.add(record)
        } catch {
            await server.stop()
            throw CommandFailure(
                "\(error)", advice: "Shunt needs to write there for --admin; check the folder's permissions.")
        }
    }

    /// To be called before the proxy stops, which it asks.
    func stop() async {
        file.remove(port: record.port, pid: record.pid)
        RunningList()?.remove(pid: record.pid)
        await server.stop()
    }
}

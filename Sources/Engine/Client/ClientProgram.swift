public import Reactor
import Synchronization

/// The program of this machine that a client's connection comes from, which is looked for once, on a thread.
///
/// Shared by the streams of the connection; confined to its worker.
package final class ClientProgram {
    private let errand = Errand<LocalProgram?>()
    private let programs: ClientPrograms?
    private var program: LocalProgram?
    private(set) var isKnown = false
    private var hasLeft = false

    /// nil before it is known, and for a client that is no known program of this machine.
    package var found: LocalProgram? {
        if !isKnown, let program = errand.present { know(program) }
        return program
    }

    /// One that is known.
    package init(_ program: LocalProgram?) { (self.program, isKnown, programs) = (program, true, nil) }

    /// Begins to look for the program at the other end of a socket; nothing is known of a client of another machine.
    convenience init(of socket: Socket, _ programs: ClientPrograms) {
        guard let client = socket.peerAddress, let server = socket.localAddress, Self.isHere(client) else {
            self.init(nil)
            return
        }
        self.init(client.unmapped, server.unmapped, programs)
    }

    private init(_ client: SocketAddress, _ server: SocketAddress, _ programs: ClientPrograms) {
        self.programs = programs
        programs.find(client: client, server: server, errand)
    }

    private static func isHere(_ client: SocketAddress) -> Bool {
        client.isLoopback || NetworkInterface.ownAddresses().contains(client.unmapped.bytes)
    }

    /// Waits until it is known; false where the waiter's deadline comes first.
    func learn(on waiter: Waiter) async -> Bool {
        guard !isKnown else { return true }
        guard let program = await errand.value(on: waiter) else { return false }
        // Another stream may have waited, too.
        if !isKnown { know(program) }
        return true
    }

    private func know(_ program: LocalProgram?) {
        (self.program, isKnown) = (program, true)
        if let program, !hasLeft { programs?.enter(program) }
    }

    /// The connection is over.
    func leave() {
        if !hasLeft, let program { programs?.leave(program) }
        hasLeft = true
    }
}

/// The programs of this machine that have connections to the proxy.
public final class ClientPrograms: Sendable {
    private let finder = ProgramFinder()
    private let threads = Threads(name: "programs", limit: 2)
    private let connections = Mutex<[LocalProgram: Int]>([:])

    /// Those that are known, with how many connections each has, by name.
    public var connected: [(program: LocalProgram, connections: Int)] {
        connections.withLock { $0.map { ($0.key, $0.value) } }.sorted { $0.program.label < $1.program.label }
    }

    fileprivate func find(client: SocketAddress, server: SocketAddress, _ errand: Errand<LocalProgram?>) {
        let finder = finder
        let isStarted = threads.start { errand.finish(finder.program(client: client, server: server)) }
        if !isStarted { errand.finish(nil) }
    }

    fileprivate func enter(_ program: LocalProgram) { connections.withLock { $0[program, default: 0] += 1 } }

    fileprivate func leave(_ program: LocalProgram) {
        connections.withLock { connections in
            let left = (connections[program] ?? 0) - 1
            connections[program] = left > 0 ? left : nil
        }
    }
}

extension Client {
    /// Waits for the program that it is, where profiles are chosen by that.
    @inline(never)
    func learnProgram() async throws(EngineFailure) {
        let program = program ?? seekProgram()
        guard !program.isKnown else { return }
        waiter.deadline = state.core.now.after(Self.programTime)
        if await program.learn(on: waiter) { return }
        if state.isAborting || waiter.isCancelled { throw .aborted }
        throw EngineFailure(
            .proxy, .route, status: 503, "the program that sends this request was not found in time",
            advice: "Send the request again: profiles are chosen by program, and this machine is busy.")
    }

    private static let programTime = 10 * Limits.second

    /// Begins to look for the program if the store or a choice of profile uses it.
    func seekProgramIfWanted() { if state.wantsPrograms { seekProgram() } }

    @discardableResult
    private func seekProgram() -> ClientProgram {
        let stream = channel.base as? StreamChannel
        let socket = (stream?.connection.channel ?? channel.base as? SocketChannel)?.socket
        let new = socket.map { ClientProgram(of: $0, state.clientPrograms) } ?? ClientProgram(nil)
        program = new
        stream?.connection.program = new
        return new
    }
}

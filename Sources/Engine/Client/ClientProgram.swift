public import Reactor
import Store
import Synchronization

/// The program of this machine that a client's connection comes from, which is looked for once, on a thread.
///
/// Shared by the streams of the connection; confined to its worker.
package final class ClientProgram {
    private let search: ProgramSearch?
    private var program: LocalProgram?
    private(set) var isKnown = false

    /// nil before it is known, and for a client that is no known program of this machine.
    package var found: LocalProgram? {
        if !isKnown, let program = search?.errand.present { (self.program, isKnown) = (program, true) }
        return program
    }

    /// What a recorder waits for where it is not known.
    var awaited: AwaitedApp? { isKnown ? nil : search?.app }

    /// One that is known.
    package init(_ program: LocalProgram?) { (self.program, isKnown, search) = (program, true, nil) }

    /// Begins to look for the program at the other end of a socket.
    init(of socket: Socket, _ programs: ClientPrograms) {
        guard let client = socket.peerAddress?.unmapped, let server = socket.localAddress?.unmapped,
            ProgramFinder.mayFind(client)
        else {
            (isKnown, search) = (true, nil)
            return
        }
        let search = ProgramSearch(programs)
        self.search = search
        programs.find(client: client, server: server, search)
    }

    /// Waits until it is known; false where the waiter's deadline comes first.
    func learn(on waiter: Waiter) async -> Bool {
        guard !isKnown, let search else { return true }
        guard let program = await search.errand.value(on: waiter) else { return false }
        (self.program, isKnown) = (program, true)
        return true
    }

    /// The connection is over.
    func leave() { search?.leave() }
}

/// A look for the program of one connection.
private final class ProgramSearch: Sendable {
    /// How long a record waits for it, in milliseconds.
    private static let patience = 10_000

    let errand = Errand<LocalProgram?>()
    let app = AwaitedApp(within: patience)
    private let programs: ClientPrograms
    private let state = Mutex<(program: LocalProgram?, hasLeft: Bool)>((nil, false))

    init(_ programs: ClientPrograms) { self.programs = programs }

    /// Called on any thread.
    func finish(_ program: LocalProgram?) {
        state.withLock { state in
            guard !state.hasLeft, let program else { return }
            state.program = program
            programs.count(program, 1)
        }
        app.finish(program?.label)
        errand.finish(program)
    }

    func leave() {
        state.withLock { state in
            if let program = state.program { programs.count(program, -1) }
            state = (nil, true)
        }
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

    fileprivate func find(client: SocketAddress, server: SocketAddress, _ search: ProgramSearch) {
        let finder = finder
        let isStarted = threads.start { search.finish(finder.program(client: client, server: server)) }
        if !isStarted { search.finish(nil) }
    }

    fileprivate func count(_ program: LocalProgram, _ change: Int) {
        connections.withLock { connections in
            let count = (connections[program] ?? 0) + change
            connections[program] = count > 0 ? count : nil
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
    func seekProgramIfWanted() { if state.store != nil || state.choosesByProgram { seekProgram() } }

    @discardableResult
    private func seekProgram() -> ClientProgram {
        let stream = channel.base as? StreamChannel
        let socket = (stream?.connection.channel ?? channel.base as? SocketChannel)?.socket
        let new = socket.map { ClientProgram(of: $0, state.clientPrograms) } ?? ClientProgram(nil)
        connected.program = new
        return new
    }
}

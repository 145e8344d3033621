import Dispatch
import Exchanges
import Store
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Prints what is on disk; whoever reads it may rely on that.
enum Acknowledging {
    static func run(_ path: String) throws {
        var settings = StoreSettings()
        settings.gathering = 1
        settings.ageLimit = .max
        settings.whenFull = .wait
        settings.queueLimit = 1 << 20
        settings.committed = { exchanges in
            let lines = exchanges.map { "\($0.id ?? 0)\n" }.joined()
            _ = lines.utf8.withContiguousStorageIfAvailable { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
        }
        try settings.sealIfAsked()
        let store = try TrafficStore.open(path, settings)
        var number: UInt64 = 0
        while true {
            number += 1
            // Every tenth runs for a while, and is cut short by the end.
            var piece = Samples.piece(number)
            if number.isMultiple(of: 10) { piece.isLast = false }
            offer(piece, to: store)
        }
    }

    static func offer(_ piece: RecordedPiece, to store: TrafficStore) {
        while !store.offer(piece) {
            let hasRoom = Gate()
            store.whenRoom { hasRoom.open() }
            hasRoom.wait()
        }
    }
}

/// Meets a disk that is full: the system lets no file grow any more.
enum Limited {
    static func run(_ path: String, _ bytes: UInt) throws {
        signal(SIGXFSZ, SIG_IGN)
        let told = Gate()
        let over = Gate()
        var settings = StoreSettings()
        settings.queueLimit = 1 << 20
        settings.ageLimit = .max
        settings.trouble = { trouble in
            switch trouble {
            case .began(let failure):
                print("began: \(failure.kind)")
                told.open()
            case .ended: over.open()
            case .fellBehind, .contractsLeftOut, .begunAnew, .spilling, .broughtIn, .nothingRemoved, .notBroughtIn:
                break
            }
        }
        try settings.sealIfAsked()
        let store = try TrafficStore.open(path, settings)
        var limit = rlimit()
        getrlimit(fileSizeResource, &limit)
        let before = limit.rlim_cur
        limit.rlim_cur = rlim_t(bytes)
        setrlimit(fileSizeResource, &limit)
        var number: UInt64 = 0
        while !told.isOpen {
            number += 1
            _ = store.offer(Samples.piece(number))
        }
        // Far more than waits for a disk that is not there.
        for _ in 0..<5000 {
            number += 1
            _ = store.offer(Samples.piece(number))
        }
        let full = store.statistics
        limit.rlim_cur = before
        setrlimit(fileSizeResource, &limit)
        over.wait()
        number += 1
        _ = store.offer(Samples.piece(number))
        store.finish()
        let end = store.statistics
        print("waiting at most: \(full.waiting)")
        print("dropped bodies: \(end.droppedBodies > 0)")
        print("dropped exchanges: \(end.droppedExchanges > 0)")
        print("adds up: \(end.recorded + end.droppedExchanges == number)")
        print("recorded: \(end.recorded)")
    }

    #if canImport(Glibc)
    private static let fileSizeResource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
    #else
    private static let fileSizeResource = RLIMIT_FSIZE
    #endif
}

/// How much of a processor an ordinary exchange takes.
enum Measuring {
    static func run(_ path: String, _ count: UInt64, hosts: UInt64) throws {
        let settings = try settings(isRedacted: hosts == 0)
        let store = try TrafficStore.open(path, settings)
        var usage = rusage()
        let start = time(CLOCK_PROCESS_CPUTIME_ID)
        for number in 0..<count {
            let piece =
                switch hosts {
                case 0: Samples.smallPiece(number)
                case 1: Samples.piece(number)
                default: Samples.piece(number, hosts: hosts, hasBodies: false)
                }
            Acknowledging.offer(piece, to: store)
        }
        store.finish()
        let recording = time(CLOCK_PROCESS_CPUTIME_ID) - start - time(CLOCK_THREAD_CPUTIME_ID)
        #if canImport(Glibc)
        getrusage(RUSAGE_SELF.rawValue, &usage)
        #else
        getrusage(RUSAGE_SELF, &usage)
        #endif
        print("recorder \(Double(recording) / 1000 / Double(count)) us per exchange")
        print("recorded \(store.statistics.recorded), most memory \(usage.ru_maxrss) KiB")
    }

    /// Writes what is to be read and searched.
    static func fill(_ path: String, _ count: UInt64) throws {
        let store = try TrafficStore.open(path, try settings(isRedacted: true))
        for number in 0..<count { Acknowledging.offer(VariedSamples.piece(number), to: store) }
        store.finish()
        print("recorded \(store.statistics.recorded)")
    }

    /// Offers so many exchanges a second, and waits for nothing, as a proxy does.
    static func pace(_ path: String, _ rate: UInt64, seconds: UInt64) throws {
        var settings = try settings(isRedacted: true)
        settings.whenFull = .dropBodies
        settings.queueLimit = 16 << 20
        let store = try TrafficStore.open(path, settings)
        let (start, count) = (time(CLOCK_MONOTONIC), rate * seconds)
        var number: UInt64 = 0
        while number < count {
            let due = min(count, (time(CLOCK_MONOTONIC) - start) * rate / 1_000_000_000)
            while number < due {
                _ = store.offer(Samples.smallPiece(number))
                number += 1
            }
            usleep(2000)
        }
        store.finish()
        let end = store.statistics
        print("recorded \(end.recorded) of \(count), lost \(end.droppedExchanges), bodies \(end.droppedBodies)")
    }

    private static func settings(isRedacted: Bool) throws -> StoreSettings {
        var settings = StoreSettings()
        settings.whenFull = .wait
        settings.sizeLimit = 16 << 30
        settings.ageLimit = .max
        settings.finishing = 60_000
        if isRedacted { settings.redact() }
        try settings.sealIfAsked()
        return settings
    }

    private static func time(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}

/// How long it takes to find something.
enum Reading {
    static func run(_ path: String) throws {
        let reader = try TrafficReader(path)
        let rare = StoreCondition("host = ? AND status = ?", [.text("api3.shop.test"), .integer(404)])
        let none = StoreCondition("host = ? AND status = ?", [.text("nowhere"), .integer(200)])
        let clock = ContinuousClock()
        print("first page", try clock.measure { _ = try reader.page(limit: 100) })
        print("host and status", try clock.measure { _ = try reader.page(where: rare, limit: 100) })
        print("no such host, any status", try clock.measure { _ = try reader.page(where: none, limit: 100) })
        print("groups", try clock.measure { _ = try reader.groups(by: .host) })
    }
}

/// Opens once; threads wait for that.
final class Gate: Sendable {
    private let state = Mutex(false)
    private let opened = DispatchSemaphore(value: 0)

    var isOpen: Bool { state.withLock { $0 } }

    func open() {
        state.withLock { $0 = true }
        opened.signal()
    }

    func wait() {
        opened.wait()
        // Whoever else waits goes on as well.
        opened.signal()
    }
}

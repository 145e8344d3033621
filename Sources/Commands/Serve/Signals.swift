import Platform
import Reactor

/// Signals as a stream of values, taken by a thread that does nothing else.
enum Signals {
    /// What a server takes.
    static let served = [SIGTERM, SIGINT, SIGHUP]
    /// What `shunt run` passes on to its command.
    static let forwarded = ending + [SIGUSR1, SIGUSR2, SIGWINCH, SIGTSTP, SIGCONT]
    /// What ends a program that does not take it.
    static let ending = [SIGTERM, SIGINT, SIGHUP, SIGQUIT]

    /// Keeps the signals from ending the process; to be called before any thread starts, for threads inherit it.
    static func block(_ numbers: [CInt]) {
        var set = set(of: numbers)
        // Handing the terminal over does not suspend this process.
        if numbers.contains(SIGTSTP) { sigaddset(&set, SIGTTOU) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
        // A client that disconnects while Shunt writes must not end the program.
        signal(SIGPIPE, SIG_IGN)
    }

    /// The signals that arrive from now on; one stream per process.
    ///
    /// - Parameters:
    ///   - numbers: those that are blocked.
    ///   - insists: the second one that asks for the end ends the process in any case: what reads the stream may be
    ///     waiting for a disk or a reader of its messages.
    static func stream(_ numbers: [CInt] = served, insists: Bool = false) throws(SystemError) -> AsyncStream<CInt> {
        let (stream, continuation) = AsyncStream.makeStream(of: CInt.self)
        try Loop.startThread(name: "signals") {
            var (set, ending) = (set(of: numbers), EndingSignals())
            while true {
                var number: CInt = 0
                guard sigwait(&set, &number) == 0 else { continue }
                continuation.yield(number)
                guard insists, ending.take(number) == .second else { continue }
                usleep(grace)
                _exit(128 + number)
            }
        }
        return stream
    }

    /// Microseconds in which a process ends by itself after the second signal.
    private static let grace: UInt32 = 1_000_000

    private static func set(of numbers: [CInt]) -> sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for number in numbers { sigaddset(&set, number) }
        return set
    }
}

/// Counts the signals that ask for the end.
struct EndingSignals {
    enum Turn { case none, first, second }

    /// `timeout` and supervisors send SIGTERM to a process and to its group: within this time both mean one request.
    private static let doubleTime = Duration.seconds(1)

    private var first: ContinuousClock.Instant?

    mutating func take(_ number: CInt, now: ContinuousClock.Instant = .now) -> Turn {
        guard number == SIGTERM || number == SIGINT else { return .none }
        guard let first else {
            first = now
            return .first
        }
        return number == SIGTERM && first.duration(to: now) < Self.doubleTime ? .none : .second
    }
}

/// What the system lets one process have.
enum ProcessLimits {
    /// As many descriptors as this user may have: two per exchange are soon more than the usual 1024.
    ///
    /// - Returns: how many that are; nil where the system does not say.
    static func raiseDescriptors() -> UInt64? {
        DescriptorLimit.raise()
        return DescriptorLimit.current
    }

    /// Fewer descriptors than an ordinary day of development may take.
    static let fewDescriptors: UInt64 = 4096
}

import Synchronization

/// The memory that held bodies may take, and how much of it they take: those that are examined, compared, or kept to be
/// sent again.
///
/// Shared by all threads, and by all proxies of a program.
public final class HeldBodies: Sendable {
    /// In bytes.
    public let limit: Int
    private let held = Atomic<Int>(0)

    public init(limit: Int) { self.limit = limit }

    /// Bytes that are held at the moment.
    public var count: Int { held.load(ordering: .relaxed) }

    /// Whether there is room for so many more bytes, which are taken then.
    fileprivate func take(_ count: Int, always: Bool) -> Bool {
        guard held.add(count, ordering: .relaxed).newValue > limit, !always else { return true }
        give(count)
        return false
    }

    fileprivate func give(_ count: Int) { held.subtract(count, ordering: .relaxed) }
}

/// A part of that memory, which is given back when this object is released.
final class HeldMemory: Sendable {
    private let held: HeldBodies
    private let taken = Atomic<Int>(0)

    init(_ held: HeldBodies) { self.held = held }

    deinit { held.give(taken.load(ordering: .relaxed)) }

    var count: Int { taken.load(ordering: .relaxed) }

    /// Takes so many bytes more; false where there is no room for them, unless they are taken always.
    func grow(by count: Int, always: Bool = false) -> Bool {
        guard held.take(count, always: always) else { return false }
        taken.add(count, ordering: .relaxed)
        return true
    }
}

extension HeldBodies {
    /// Takes memory for what is made of a body for as long as it is used.
    func memory(of count: Int) throws(EngineFailure) -> HeldMemory {
        let memory = HeldMemory(self)
        guard memory.grow(by: count) else { throw .heldTooMuch(self) }
        return memory
    }

    /// The same for the tree of a JSON text, which takes many times the memory of the text.
    func memory(ofTreeOf json: [UInt8]) throws(EngineFailure) -> HeldMemory {
        // A value with its position, and where it is a member its name.
        let perValue = 128
        let values = json.count { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "{") }
        return try memory(of: json.count + perValue * values)
    }
}

extension EngineFailure {
    static func heldTooMuch(_ held: HeldBodies) -> EngineFailure {
        EngineFailure(
            .proxy, .route, status: 503,
            "the bodies of requests that are held at the moment take \(held.limit >> 20) MiB, the most that they may",
            advice: "Send it again when others are through; `shunt serve --held-bodies` sets the limit.")
    }
}

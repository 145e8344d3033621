import Engine
import Reactor
import Testing

/// Profiles that are read-only unless somebody says otherwise, for a while.
@Suite struct LockTests {
    private let second: UInt64 = 1_000_000_000

    @Test func `a profile is unlocked for its time and no longer`() throws {
        let locks = Locks()
        #expect(!locks.isUnlocked("production", now: 0))
        let entry = try locks.unlock("production", seconds: 10, reason: "why", now: second)
        #expect(entry.until == 11 * second)
        #expect(locks.isUnlocked("production", now: second))
        #expect(locks.isUnlocked("production", now: 11 * second - 1))
        #expect(!locks.isUnlocked("production", now: 11 * second))
        #expect(!locks.isUnlocked("other", now: second))
        #expect(locks.list(now: 5 * second) == [entry] && locks.list(now: 11 * second).isEmpty)
        #expect(entry.secondsLeft(now: second) == 10)
        #expect(entry.secondsLeft(now: second + 1) == 10)
        #expect(entry.secondsLeft(now: 12 * second) == 0)
    }

    @Test func `an end is told once, and not of what was unlocked anew`() throws {
        let locks = Locks()
        try locks.unlock("a", seconds: 10, reason: "first", now: 0)
        try locks.unlock("b", seconds: 10, reason: "other", now: 0)
        try locks.unlock("a", seconds: 20, reason: "more", now: 5 * second)
        #expect(locks.expire(now: 10 * second).map(\.reason) == ["other"])
        #expect(locks.expire(now: 10 * second).isEmpty)
        #expect(locks.isUnlocked("a", now: 24 * second))
        #expect(locks.expire(now: 25 * second).map(\.reason) == ["more"])
    }

    @Test func `locking ends it at once`() throws {
        let locks = Locks()
        try locks.unlock("a", seconds: 10, reason: "why", now: 0)
        #expect(locks.lock("a", now: 1)?.reason == "why")
        #expect(!locks.isUnlocked("a", now: 1))
        #expect(locks.lock("a", now: 1) == nil)
        try locks.unlock("a", seconds: 1, reason: "why", now: 0)
        #expect(locks.lock("a", now: second) == nil)
    }

    @Test(arguments: [0, -1, 28_801, Int.max, Int.min]) func `no time out of bounds`(seconds: Int) {
        let locks = Locks()
        #expect(throws: UnlockFailure.seconds(allowed: 1...28_800)) {
            try locks.unlock("a", seconds: seconds, reason: "why")
        }
        #expect(!locks.isUnlocked("a"))
    }

    @Test(arguments: ["", " ", "\t\n"]) func `no blank reason`(reason: String) {
        #expect(throws: UnlockFailure.noReason) { try Locks().unlock("a", seconds: 1, reason: reason) }
    }

    @Test func `a reason is one line that a terminal does not act on`() throws {
        let entry = try Locks().unlock(
            "a", seconds: 1, reason: "one\ntwo\u{1b}[2Jthree" + String(repeating: "x", count: 9999))
        #expect(entry.reason.hasPrefix("one two [2Jthree") && entry.reason.count == 500)
    }

    @Test func `a reason is one line without secrets`() throws {
        let locks = Locks()
        let reason = "order\n4711, password=h7x and https://joe:h7x@a.test"
        let entry = try locks.unlock("a", seconds: 10, reason: reason, now: 0)
        #expect(entry.reason.hasPrefix("order 4711, password=<redacted:"))
        #expect(!entry.reason.contains("h7x") && locks.list(now: 1) == [entry])
    }
}

import Engine
import Reactor
import Testing

@Suite struct FreedMemoryTests {
    private static let second: UInt64 = 1_000_000_000

    @Test("memory is given back once, two seconds after the last of many connections has ended")
    func many() {
        var memory = FreedMemory()
        let areMany = (1...400).map { _ in memory.connectionEnded(at: Self.second) }
        #expect(areMany.firstIndex(of: true) == 255)
        let first = memory.look(at: Self.second)
        #expect(first == (false, 3 * Self.second))
        _ = memory.connectionEnded(at: 2 * Self.second)
        let looks = (3...5).map { memory.look(at: $0 * Self.second) }
        #expect(looks.map(\.isDue) == [false, true, false])
        #expect(looks.map(\.next) == [4 * Self.second, .never, .never])
    }

    @Test("memory of few connections is kept for the next ones")
    func few() {
        var memory = FreedMemory()
        for _ in 1...255 { _ = memory.connectionEnded(at: Self.second) }
        let look = memory.look(at: 9 * Self.second)
        #expect(look == (false, .never))
    }
}

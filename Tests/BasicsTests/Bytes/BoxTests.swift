import Bytes
import Testing

/// Values that objects change in place.
@Suite struct BoxTests {
    /// Tells when it is let go of.
    private final class Witness {
        let didEnd: () -> Void

        init(_ didEnd: @escaping () -> Void) { self.didEnd = didEnd }

        deinit { didEnd() }
    }

    @Test func `a value is changed in place, one access after the other`() {
        let box = Box([1, 2])
        let other = Box([3])
        box.value.append(4)
        swap(&box.value, &other.value)
        #expect(box.value == [3] && other.value == [1, 2, 4])
        // Readers may overlap.
        #expect(box.value.allSatisfy { box.value.contains($0) })
    }

    @Test func `a value is let go of with its box, and an error ends an access`() {
        struct Failure: Error {}
        func fail(_ value: inout Int) throws(Failure) { throw Failure() }
        var count = 0
        do {
            let box = Box(Witness { count += 1 })
            _ = box.value
            #expect(count == 0)
        }
        #expect(count == 1)
        let number = Box(1)
        #expect(throws: Failure.self) { try fail(&number.value) }
        number.value += 1
        #expect(number.value == 2)
    }

    @Test func `a change that overlaps another access ends the program`() async {
        await #expect(processExitsWith: .failure) {
            let box = Box([1])
            box.value.removeAll { _ in
                box.value.append(2)
                return false
            }
        }
        await #expect(processExitsWith: .failure) {
            let box = Box([1])
            box.value.removeAll { $0 == box.value.count }
        }
    }
}

import Bytes
import Testing

/// Values of objects that are read and written as a whole.
@Suite struct CellTests {
    private final class Holder {
        private let flag = Cell(false)
        private let number = Cell(UInt64.max)
        private let index = Cell(-1)
        private let reference = Cell<Unmanaged<Holder>?>(nil)

        var values: (flag: Bool, number: UInt64, index: Int) {
            get { (flag.value, number.value, index.value) }
            set { (flag.value, number.value, index.value) = newValue }
        }
        var other: Holder? {
            get { reference.value?.takeUnretainedValue() }
            set { reference.value = newValue.map { .passUnretained($0) } }
        }
    }

    @Test func `a cell has what was written last`() {
        let holder = Holder()
        #expect(holder.values == (false, .max, -1))
        #expect(holder.other == nil)
        holder.values = (true, 7, 2)
        holder.other = holder
        #expect(holder.values == (true, 7, 2))
        #expect(holder.other === holder)
        holder.values.index += 1
        holder.other = nil
        #expect(holder.values == (true, 7, 3))
        #expect(holder.other == nil)
    }
}

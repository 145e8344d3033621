import Bytes

/// The stage that replaces addresses; all others only undo and redo codings.
///
/// Bytes wait in a window of fixed size until it is decided whether they belong to an address.
final class AddressReplacer: BodyStage {
    private(set) var replacements = 0

    private let table: AddressTable
    private let window: UnsafeMutableRawBufferPointer
    /// The window's bytes that are not written yet; in front of them lie a few written ones, for context.
    private var start = 0
    private var end = 0
    /// Up to here nothing is to be replaced.
    private var quiet = 0
    /// What begins there, once all before it is out.
    private var match: AddressMatch?
    /// There are bytes that were not examined yet.
    private var isNew = false
    private var isAtEnd = false
    /// The rest of a replacement that did not fit yet.
    private var replacement: [UInt8] = []
    private var replacementStart = 0

    init(_ table: AddressTable) {
        self.table = table
        window = UnsafeMutableRawBufferPointer.allocate(
            byteCount: StageLink.size + table.map.book.maxLength + AddressHead.contextLength, alignment: 16)
    }

    deinit { window.deallocate() }

    func run(
        _ input: UnsafeRawBufferPointer, _ mode: StageMode, into room: UnsafeMutableRawBufferPointer
    ) throws(BodyRewriteFailure) -> StageProgress {
        var total = StageProgress()
        while true {
            give(into: room, &total.given)
            guard start == quiet, replacementStart == replacement.count else { break }
            if let match {
                self.match = nil
                spell(match)
            } else if isNew {
                look()
            } else if total.taken < input.count {
                total.taken += fill(input.after(total.taken))
            } else if mode == .finish, !isAtEnd {
                isAtEnd = true
                isNew = true
            } else {
                break
            }
        }
        total.isFinished = isAtEnd && start == end && replacementStart == replacement.count
        return total
    }

    /// Copies the decided bytes.
    private func give(into room: UnsafeMutableRawBufferPointer, _ given: inout Int) {
        if replacementStart < replacement.count {
            let count = min(replacement.count - replacementStart, room.count - given)
            replacement.withUnsafeBytes {
                room.after(given).copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: $0[replacementStart..<replacementStart + count]))
            }
            replacementStart += count
            given += count
            guard replacementStart == replacement.count else { return }
        }
        let count = min(quiet - start, room.count - given)
        guard count > 0 else { return }
        room.after(given).copyMemory(from: UnsafeRawBufferPointer(rebasing: window[start..<start + count]))
        start += count
        given += count
    }

    /// Decides as far as the bytes allow.
    private func look() {
        let known = UnsafeBufferPointer(rebasing: window.bindMemory(to: UInt8.self)[..<end])
        let bytes = Span(_unsafeElements: known)
        isNew = false
        var index = quiet
        while true {
            index = Slashes.next(in: bytes, from: index)
            guard index < end else { break }
            if let slashes = Slashes(bytes, at: index, minimum: quiet) {
                switch table.judge(bytes, slashes, minimum: quiet, isAtEnd: isAtEnd) {
                case .foreign: break
                // Longer than any address it cannot be.
                case .undecided(let first) where end - first <= table.map.book.maxLength:
                    quiet = first
                    return
                case .undecided: break
                case .match(let found):
                    quiet = found.head.start
                    match = found
                    return
                }
            }
            index += 1
        }
        quiet = isAtEnd ? end : AddressHead.unfinished(bytes, minimum: quiet)
    }

    /// Appends as much input as fits to the window.
    private func fill(_ input: UnsafeRawBufferPointer) -> Int {
        if window.count - end < min(input.count, StageLink.size / 2) {
            let kept = max(0, start - AddressHead.contextLength)
            window.copyMemory(from: UnsafeRawBufferPointer(rebasing: window[kept..<end]))
            start -= kept
            quiet -= kept
            end -= kept
        }
        let count = min(input.count, window.count - end)
        window.after(end).copyMemory(from: UnsafeRawBufferPointer(rebasing: input[..<count]))
        end += count
        isNew = true
        return count
    }

    private func spell(_ match: AddressMatch) {
        replacement.removeAll(keepingCapacity: true)
        replacementStart = 0
        let known = UnsafeBufferPointer(rebasing: window.bindMemory(to: UInt8.self)[..<end])
        table.append(match, of: Span(_unsafeElements: known), to: &replacement)
        start = match.end
        quiet = match.end
        isNew = true
        replacements &+= 1
    }
}

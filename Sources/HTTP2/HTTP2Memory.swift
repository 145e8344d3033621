import CNghttp2
import Platform

/// Allocates memory for the sessions of one thread, which use many small pieces for each stream.
///
/// Pieces are kept by size, last in first out, since recent ones are still in the caches; the system's own lists for
/// one thread are short, and many streams at once overflow them. Confined to one thread. Sessions keep it alive.
public final class HTTP2Memory {
    private let shelves: UnsafeMutablePointer<Shelves>

    public init() {
        shelves = .allocate(capacity: 1)
        shelves.initialize(to: Shelves())
    }

    deinit {
        shelves.pointee.empty()
        shelves.deinitialize(count: 1)
        shelves.deallocate()
    }

    /// The allocation functions for nghttp2; valid as long as `self` lives.
    var functions: nghttp2_mem {
        nghttp2_mem(
            mem_user_data: shelves,
            malloc: { size, shelves in Shelves.at(shelves)?.pointee.take(size) },
            free: { piece, shelves in Shelves.at(shelves)?.pointee.give(piece) },
            calloc: { count, size, shelves in
                let (total, isTooMuch) = count.multipliedReportingOverflow(by: size)
                guard !isTooMuch, let piece = Shelves.at(shelves)?.pointee.take(total) else { return nil }
                memset(piece, 0, total)
                return piece
            },
            realloc: { piece, size, shelves in Shelves.at(shelves)?.pointee.change(piece, to: size) })
    }
}

/// Free pieces, one list for each size.
private struct Shelves {
    /// In front of each piece: how many bytes it has room for.
    private static let header = 16
    private static let step = 64
    private static let count = 16
    /// Longer pieces come from the system.
    private static let longest = step * count
    /// Bytes that are kept; more go back to the system.
    private static let limit = 4 << 20

    private let first: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    private var kept = 0

    init() {
        first = .allocate(capacity: Self.count)
        first.initialize(repeating: nil, count: Self.count)
    }

    @inline(__always)
    static func at(_ pointer: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<Shelves>? {
        pointer?.assumingMemoryBound(to: Shelves.self)
    }

    mutating func take(_ size: Int) -> UnsafeMutableRawPointer? {
        guard size <= Self.longest else { return Self.fresh(size) }
        let shelf = max(0, size &- 1) / Self.step
        let room = (shelf &+ 1) &* Self.step
        guard let piece = first[shelf] else { return Self.fresh(room) }
        first[shelf] = piece.load(as: UnsafeMutableRawPointer?.self)
        kept &-= room
        return piece
    }

    mutating func give(_ piece: UnsafeMutableRawPointer?) {
        guard let piece else { return }
        let room = Self.room(of: piece)
        guard room <= Self.longest, kept < Self.limit else { return free(piece - Self.header) }
        let shelf = room / Self.step &- 1
        piece.storeBytes(of: first[shelf], as: UnsafeMutableRawPointer?.self)
        first[shelf] = piece
        kept &+= room
    }

    mutating func change(_ piece: UnsafeMutableRawPointer?, to size: Int) -> UnsafeMutableRawPointer? {
        guard let piece else { return take(size) }
        let room = Self.room(of: piece)
        if size <= room { return piece }
        guard let other = take(size) else { return nil }
        memcpy(other, piece, room)
        give(piece)
        return other
    }

    mutating func empty() {
        for shelf in 0..<Self.count {
            while let piece = first[shelf] {
                first[shelf] = piece.load(as: UnsafeMutableRawPointer?.self)
                free(piece - Self.header)
            }
        }
        first.deallocate()
    }

    private static func fresh(_ room: Int) -> UnsafeMutableRawPointer? {
        let (total, isTooMuch) = room.addingReportingOverflow(header)
        guard !isTooMuch, let memory = malloc(total) else { return nil }
        memory.storeBytes(of: room, as: Int.self)
        return memory + header
    }

    private static func room(of piece: UnsafeMutableRawPointer) -> Int { (piece - header).load(as: Int.self) }
}

import CPostgres

/// Rows of a result, in memory until this goes; columns count from 0.
///
/// Values are in PostgreSQL's binary form: integers and booleans of any width are read as numbers, all else as text or
/// bytes.
public final class PostgresRows {
    private let library: shunt_libpq
    private let result: OpaquePointer

    init(_ result: OpaquePointer, _ library: shunt_libpq) {
        self.result = result
        self.library = library
    }

    deinit { library.clear(result) }

    public var count: Int { Int(library.ntuples(result)) }

    public func isNull(_ row: Int, _ column: Int) -> Bool { library.getisnull(result, CInt(row), CInt(column)) != 0 }

    /// A number of 1, 2, 4 or 8 bytes; nil for NULL and for what is no such number.
    public func integer(_ row: Int, _ column: Int) -> Int64? {
        guard let bytes = value(row, column), [1, 2, 4, 8].contains(bytes.count), let first = bytes.first else {
            return nil
        }
        // A boolean is one byte, and not negative.
        var number: Int64 = first >= 0x80 ? -1 : 0
        for byte in bytes { number = number << 8 | Int64(byte) }
        return number
    }

    public func text(_ row: Int, _ column: Int) -> String? {
        value(row, column).map { String(decoding: $0, as: UTF8.self) }
    }

    public func bytes(_ row: Int, _ column: Int) -> [UInt8]? { value(row, column).map { Array($0) } }

    /// The value's own bytes, which stay as long as this does; nil for NULL.
    public func value(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer? {
        guard !isNull(row, column) else { return nil }
        return UnsafeRawBufferPointer(
            start: library.getvalue(result, CInt(row), CInt(column)),
            count: Int(library.getlength(result, CInt(row), CInt(column))))
    }
}

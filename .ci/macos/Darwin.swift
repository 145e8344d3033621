// What the overlay of macOS's SDK and its API notes add to the headers, where `.ci/darwin` type-checks on Linux: macros
// that Swift does not import, variadic functions, and names that they change (Platform.swift and TiocConstants.swift of
// Swift's standard library). Nothing here is run.
@_exported import Darwin

public var errno: CInt {
    get { __error().pointee }
    set { __error().pointee = newValue }
}
public func open(_ path: UnsafePointer<CChar>, _ flags: CInt) -> CInt { -1 }
public func open(_ path: UnsafePointer<CChar>, _ flags: CInt, _ mode: mode_t) -> CInt { -1 }
public func openat(_ folder: CInt, _ path: UnsafePointer<CChar>, _ flags: CInt) -> CInt { -1 }
public func openat(_ folder: CInt, _ path: UnsafePointer<CChar>, _ flags: CInt, _ mode: mode_t) -> CInt { -1 }
public func fcntl(_ file: CInt, _ command: CInt) -> CInt { -1 }
public func fcntl(_ file: CInt, _ command: CInt, _ value: CInt) -> CInt { -1 }
public func fcntl(_ file: CInt, _ command: CInt, _ pointer: UnsafeMutableRawPointer) -> CInt { -1 }
public func ioctl(_ file: CInt, _ request: CUnsignedLong, _ value: CInt) -> CInt { -1 }
public func ioctl(_ file: CInt, _ request: CUnsignedLong, _ pointer: UnsafeMutableRawPointer) -> CInt { -1 }
public func ioctl(_ file: CInt, _ request: CUnsignedLong) -> CInt { -1 }
public var S_IFMT: mode_t { 0o170000 }
public var S_IFIFO: mode_t { 0o010000 }
public var S_IFCHR: mode_t { 0o020000 }
public var S_IFDIR: mode_t { 0o040000 }
public var S_IFBLK: mode_t { 0o060000 }
public var S_IFREG: mode_t { 0o100000 }
public var S_IFLNK: mode_t { 0o120000 }
public var S_IFSOCK: mode_t { 0o140000 }
public typealias SignalHandler = @convention(c) (CInt) -> Void
public var SIG_DFL: SignalHandler? { nil }
public var SIG_IGN: SignalHandler { unsafeBitCast(1, to: SignalHandler.self) }
public var SIG_ERR: SignalHandler { unsafeBitCast(-1, to: SignalHandler.self) }
// Of the SDK's API notes.
public var CLOCK_REALTIME: clockid_t { _CLOCK_REALTIME }
public var CLOCK_MONOTONIC: clockid_t { _CLOCK_MONOTONIC }
public var CLOCK_PROCESS_CPUTIME_ID: clockid_t { _CLOCK_PROCESS_CPUTIME_ID }
public var CLOCK_THREAD_CPUTIME_ID: clockid_t { _CLOCK_THREAD_CPUTIME_ID }
// TiocConstants.swift
public var TIOCGWINSZ: UInt { 0x4008_7468 }
public var MAP_FAILED: UnsafeMutableRawPointer? { UnsafeMutableRawPointer(bitPattern: -1) }

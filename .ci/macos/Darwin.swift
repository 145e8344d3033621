// Stands in for macOS's module Darwin where `.ci/darwin` type-checks on Linux: the declarations of its SDK that the
// sources use and that Glibc has otherwise or not at all. What is listed below with another type hides Glibc's own.
@_exported import DarwinEvents
@_exported import Glibc

// <sys/socket.h>, <netinet/in.h>
public var SOCK_STREAM: CInt { 1 }
public var SOCK_DGRAM: CInt { 2 }
public var SOCK_RAW: CInt { 3 }
public var PF_ROUTE: CInt { 17 }
public var MSG_PEEK: CInt { 0x2 }
public var MSG_DONTWAIT: CInt { 0x80 }
public var SO_NOSIGPIPE: CInt { 0x1022 }
public struct sf_hdtr {}
@discardableResult
public func sendfile(
    _ file: CInt, _ socket: CInt, _ offset: off_t, _ length: UnsafeMutablePointer<off_t>?,
    _ headers: UnsafeMutablePointer<sf_hdtr>?, _ flags: CInt
) -> CInt { -1 }
extension sockaddr_in {
    public var sin_len: UInt8 {
        get { 0 }
        set {}
    }
}
extension sockaddr_in6 {
    public var sin6_len: UInt8 {
        get { 0 }
        set {}
    }
}

// <sys/stat.h>, <fcntl.h>, <sys/param.h>
extension stat {
    public var st_mtimespec: timespec { timespec() }
    public var st_ctimespec: timespec { timespec() }
}
public var F_GETPATH: CInt { 50 }
public var MAXPATHLEN: CInt { 1024 }

// <sys/ttycom.h>
public var TIOCGWINSZ: UInt { 0x4008_7468 }

// <sys/resource.h>, <sys/syslimits.h>
public var RLIMIT_NOFILE: CInt { 8 }
public var OPEN_MAX: CInt { 10240 }
@discardableResult
public func getrlimit(_ resource: CInt, _ limit: UnsafeMutablePointer<rlimit>?) -> CInt { -1 }
@discardableResult
public func setrlimit(_ resource: CInt, _ limit: UnsafePointer<rlimit>?) -> CInt { -1 }

// <pthread.h>: threads are pointers.
public typealias pthread_t = UnsafeMutablePointer<_opaque_pthread_t>
public struct _opaque_pthread_t {}
public func pthread_self() -> pthread_t { fatalError() }
@discardableResult
public func pthread_detach(_ thread: pthread_t) -> CInt { -1 }
@discardableResult
public func pthread_setname_np(_ name: UnsafePointer<CChar>) -> CInt { -1 }
@discardableResult
public func pthread_create(
    _ thread: UnsafeMutablePointer<pthread_t?>?, _ attributes: UnsafePointer<pthread_attr_t>?,
    _ start: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer?, _ argument: UnsafeMutableRawPointer?
) -> CInt { -1 }

// What Linux has and macOS has not.
@available(*, unavailable, message: "macOS has no MSG_NOSIGNAL")
public var MSG_NOSIGNAL: CInt { 0 }
@available(*, unavailable, message: "macOS has no SOCK_CLOEXEC")
public var SOCK_CLOEXEC: CInt { 0 }
@available(*, unavailable, message: "macOS has no SOCK_NONBLOCK")
public var SOCK_NONBLOCK: CInt { 0 }
@available(*, unavailable, message: "macOS has no O_PATH")
public var O_PATH: CInt { 0 }
@available(*, unavailable, message: "macOS has no accept4")
public func accept4(_: CInt, _: UnsafeMutablePointer<sockaddr>?, _: UnsafeMutablePointer<socklen_t>?, _: CInt) -> CInt {
    0
}
@available(*, unavailable, message: "macOS has no pipe2")
public func pipe2(_: UnsafeMutablePointer<CInt>?, _: CInt) -> CInt { 0 }

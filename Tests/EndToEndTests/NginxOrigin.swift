import Foundation
import TLS
import TestSupport

/// nginx as an origin with real TLS, on free ports, with files of its own.
final class NginxOrigin: Sendable {
    let folder: TemporaryFolder
    let process: ChildProcess
    let port: UInt16
    let plainPort: UInt16
    /// The CA that signed its certificate.
    var authority: String { folder.path + "/ca.pem" }

    /// - Parameters:
    ///   - host: whom the certificate is for.
    ///   - selfSigned: no CA signs it.
    ///   - files: contents by name, served at `/name`.
    init(host: String = "localhost", selfSigned: Bool = false, files: [String: String] = [:]) throws {
        folder = try TemporaryFolder()
        let identity: Identity
        if selfSigned {
            identity = try Identity.selfSigned(host: host)
        } else {
            let authority = try DevelopmentCA.ephemeral()
            try folder.write("ca.pem", authority.certificatePEM)
            identity = try authority.mint(host: host)
        }
        try folder.write("certificate.pem", identity.certificatePEM)
        try folder.write("key.pem", identity.keyPEM)
        for (name, text) in files { try folder.write("www/\(name)", text) }
        try FileManager.default.createDirectory(atPath: folder.path + "/www", withIntermediateDirectories: true)
        let ports = (FreePort.find(), FreePort.find())
        port = ports.0
        plainPort = ports.1
        let path = folder.path
        let config = try folder.write(
            "nginx.conf",
            """
            daemon off; worker_processes 1; pid \(path)/nginx.pid; error_log \(path)/error.log;
            events { worker_connections 1024; }
            http {
              access_log off; default_type text/plain; client_max_body_size 0; keepalive_requests 1000000;
              client_body_temp_path \(path)/t1; proxy_temp_path \(path)/t2; fastcgi_temp_path \(path)/t3;
              uwsgi_temp_path \(path)/t4; scgi_temp_path \(path)/t5;
              ssl_certificate \(path)/certificate.pem; ssl_certificate_key \(path)/key.pem; ssl_protocols TLSv1.2 TLSv1.3;
              server {
                listen 127.0.0.1:\(port) ssl; listen 127.0.0.1:\(plainPort);
                location = /echo { return 200 "$request_method $host $http_x_test $ssl_protocol $ssl_server_name"; }
                location / { root \(path)/www; }
              }
            }
            """)
        // Run as the user who tests, also where that is root, so that the folder can be read.
        process = try ChildProcess(
            "/usr/bin/env", ["nginx", "-e", path + "/error.log", "-g", "user \(NSUserName());", "-c", config],
            environment: ["PATH": (ProcessInfo.processInfo.environment["PATH"] ?? "") + ":/usr/sbin"])
        let (first, second) = ports
        guard
            eventually(
                within: 60,
                { (try? RawConnection.connect(first)) != nil && (try? RawConnection.connect(second)) != nil })
        else {
            throw ChildProcess.Overdue(
                description: "nginx did not start: \(process.errors) \((try? folder.read("error.log")) ?? "")")
        }
    }

    /// In an orderly way, for its workers must end, too.
    deinit {
        process.signal(15)
        _ = try? process.wait(seconds: 10)
    }

    /// A file that takes no room on the disk.
    func addSparseFile(_ name: String, bytes: UInt64) throws {
        let path = folder.path + "/www/" + name
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try handle.truncate(atOffset: bytes)
        try handle.close()
    }
}

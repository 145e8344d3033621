import Reactor
import TestSupport
import Testing

/// Programs of this machine: what they are called, and how they are found.
@Suite struct LocalProgramTests {
    @Test(
        arguments: [
            ("/usr/bin/curl", ["curl", "-s", "http://localhost"], "curl", ["curl"]),
            (
                "/usr/bin/python3.11", ["python3", "/work/tests.py", "x.py"], "python3 tests.py",
                ["python3 tests.py", "tests.py", "python3"]
            ),
            (
                "/usr/bin/python3.11", ["python3", "-X", "dev", "-u", "a/tests.py"], "python3 tests.py",
                ["python3 tests.py", "tests.py", "python3"]
            ),
            (
                "/usr/bin/python3.11", ["python3", "-m", "http.server", "80"], "python3 http.server",
                ["python3 http.server", "http.server", "python3"]
            ),
            ("/usr/bin/python3.11", ["python3", "-c", "print(1)", "tests.py"], "python3", ["python3"]),
            ("/usr/bin/python3.11", ["python3"], "python3", ["python3"]),
            (
                "/usr/bin/node", ["node", "--require", "dotenv", "dist/server.js", "--port", "1"], "node server.js",
                ["node server.js", "server.js", "node"]
            ),
            ("/usr/bin/node", ["node", "-e", "1", "x.js"], "node", ["node"]),
            (
                "/usr/lib/jvm/java-21/bin/java", ["java", "-Xmx1g", "-cp", "a:b", "shop.Main"], "java shop.Main",
                ["java shop.Main", "shop.Main", "java"]
            ),
            (
                "/usr/lib/jvm/java-21/bin/java", ["java", "-jar", "build/shop.jar"], "java shop.jar",
                ["java shop.jar", "shop.jar", "java"]
            ),
            ("/usr/bin/ruby3.1", ["ruby", "-I", "lib", "t.rb"], "ruby3 t.rb", ["ruby3 t.rb", "t.rb", "ruby3"]),
            // No interpreters, though their names begin like one's.
            ("/opt/nodemon", ["nodemon", "server.js"], "nodemon", ["nodemon"]),
            ("/opt/pythonista", ["pythonista", "a.py"], "pythonista", ["pythonista"]),
            // Browsers with a folder for their data.
            (
                "/usr/lib/chromium/chromium", ["chromium", "--headless", "--user-data-dir=/home/a/.chrome/work/", "x"],
                "chromium work", ["chromium work", "work", "chromium"]
            ),
            (
                "/usr/lib/chromium/chromium",
                ["chromium --type=utility --lang=en-US --user-data-dir=/home/a/my work --no-first-run --x=y", ""],
                "chromium my work", ["chromium my work", "my work", "chromium"]
            ),
            (
                "/opt/chrome", ["chrome --type=utility --user-data-dir=/a/work"], "chrome work",
                ["chrome work", "work", "chrome"]
            ),
            ("/opt/chrome", ["chrome", "--user-data-dir="], "chrome", ["chrome"]),
            ("/opt/chrome", ["chrome", "https://a/?x= --user-data-dir=/work"], "chrome", ["chrome"]),
            (
                "/usr/lib/firefox/firefox", ["firefox", "-profile", "/tmp/work", "https://a"], "firefox work",
                ["firefox work", "work", "firefox"]
            ),
            ("/usr/lib/firefox/firefox", ["firefox", "-P", "--new-instance"], "firefox", ["firefox"]),
            ("/usr/lib/firefox/firefox", ["firefox", "https://a"], "firefox", ["firefox"]),
            // Applications of macOS, with the processes that belong to them.
            ("/Applications/Safari.app/Contents/MacOS/Safari", ["Safari"], "Safari", ["Safari"]),
            (
                "/Applications/Google Chrome.app/Contents/Frameworks/Google Chrome Helper.app/Contents/MacOS/Google Chrome Helper",
                [], "Google Chrome", ["Google Chrome"]
            ),
            (
                "/Users/a/Library/Developer/CoreSimulator/Devices/1/data/Containers/Bundle/Application/2/Shop.app/Shop",
                ["Shop"], "Shop", ["Shop"]
            ),
            // A name that would change a terminal, or turn around a line, is shown without that.
            ("/tmp/a\u{1B}[31m\u{202E}b", ["x"], "a?[31m?b", ["a?[31m?b"]),
            ("/usr/bin/python3", ["python3", "/tmp/\u{7}.py"], "python3 ?.py", ["python3 ?.py", "?.py", "python3"]),
        ] as [(String, [String], String, [String])])
    func `a program is called by its executable, and by the script that it runs`(
        executable: String, arguments: [String], label: String, names: [String]
    ) throws {
        let program = try #require(LocalProgram(executable: executable, arguments: arguments))
        #expect(program.label == label && program.names == names)
    }

    @Test func `a program in a container is chosen with its container, by that alone, and as all programs`() {
        let curl = LocalProgram(name: "curl", container: "web")
        #expect(curl.label == "curl in web" && curl.names == ["curl in web", "in web", "curl"])
        let tests = LocalProgram(name: "python3", script: "tests.py", container: "web")
        #expect(tests.label == "python3 tests.py in web")
        #expect(
            tests.names == [
                "python3 tests.py in web", "tests.py in web", "python3 in web", "in web", "python3 tests.py",
                "tests.py", "python3",
            ])
    }

    @Test func `a very long name is cut, and a path without one names no program`() {
        let long = LocalProgram(executable: "/" + String(repeating: "x", count: 500), arguments: [])
        #expect(long?.name.count == 64)
        #expect(LocalProgram(executable: "", arguments: ["curl"]) == nil)
        #expect(LocalProgram(executable: "/", arguments: ["curl"]) == nil)
    }

    @Test func `the program at the other end of a connection is found, as long as it has it`() throws {
        let listener = try Listener(.loopback(.ipv4, port: 0), sharing: false)
        let (finder, here) = (ProgramFinder(), CommandLine.arguments)
        let connection = try RawConnection.connect(listener.address.port)
        let (client, server) = (SocketAddress.loopback(.ipv4, port: connection.localPort), listener.address)
        let name = try #require(LocalProgram(executable: here[0], arguments: here)).name
        for _ in 0..<2 { #expect(finder.program(client: client, server: server)?.name == name) }
        // What has one of the two ports alone is another connection.
        let other = SocketAddress.loopback(.ipv4, port: client.port ^ 1)
        #expect(finder.program(client: other, server: server) == nil)
        #expect(finder.program(client: client, server: other) == nil)
        connection.close()
        #expect(finder.program(client: client, server: server) == nil)
    }
}

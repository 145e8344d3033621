import TestSupport
import Testing

/// How far long work is, told on a terminal alone.
@Suite struct ProgressTests {
    @Test func `work of more than a second tells how far it is on a terminal, and nothing elsewhere`() throws {
        let shunt = try ServingShunt(
            ["local": #"{"kind": "local", "routes": [{"path": "/*", "mock": {"text": "hello", "delay": "20ms"}}]}"#])
        #expect(try shunt.curl("http://localhost:\(shunt.port)/a").output == "hello")
        #expect(eventually { (try? shunt.run("logs").output.contains("/a")) == true })
        let id = try #require(try shunt.run("logs").output.split(separator: " ").first)
        let words = ["replay", "\(id)", "--times", "150", "--json"]
        let run = try TerminalRun(words, directory: shunt.folder.path)
        #expect(run.status == 0)
        #expect(run.shown.contains(/\r\d+ of 150 requests \(\d+ %\), [\d.]+\/s, \d+ s left/))
        // The line is gone before the result.
        #expect(run.shown.contains("\r\u{1B}[K{"))
        let piped = try ChildProcess.run(ShuntBinary.path, words, directory: shunt.folder.path)
        #expect(piped.status == 0 && piped.errors.isEmpty, "\(piped.errors)")
        try shunt.stop()
    }
}

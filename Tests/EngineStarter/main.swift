// Starts engines side by side, as a suite of tests does, and prints one line of JSON with what that took.
//
//     EngineStarter COUNT
import ShuntTesting

let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 200
let texts = ["local": "{ kind: 'local', routes: [{ host: 'api.shop.test', mock: { text: 'hello' } }] }"]
let clock = ContinuousClock()

func milliseconds(_ duration: Duration) -> Double { duration / .milliseconds(1) }

do {
    // The authority of all tests of a process.
    await (try Shunt.start(texts: texts)).stop()
    var alone: [Double] = []
    for _ in 0..<20 {
        let began = clock.now
        let shunt = try await Shunt.start(texts: texts)
        alone.append(milliseconds(clock.now - began))
        await shunt.stop()
    }
    let began = clock.now
    let engines = try await withThrowingTaskGroup(of: Shunt.self) { group in
        for _ in 0..<count { group.addTask { try await Shunt.start(texts: texts) } }
        var started: [Shunt] = []
        for try await shunt in group { started.append(shunt) }
        return started
    }
    let all = milliseconds(clock.now - began)
    let ports = Set(engines.map(\.url)).count
    for shunt in engines { await shunt.stop() }
    print(
        #"{"alone": \#(alone.sorted()[alone.count / 2]), "each": \#(all / Double(count)), "ports": \#(ports)}"#)
} catch {
    print("failed: \(error)")
}

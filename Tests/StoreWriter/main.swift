// A process that writes into a store, for tests that end it in every way, and for measuring.
//
//     StoreWriter acknowledge PATH        writes until it is killed, and prints the number of each exchange on disk
//     StoreWriter limit PATH BYTES        the same, with files of at most so many bytes; ends when writing fails
//     StoreWriter measure PATH COUNT [HOSTS]   with 0 hosts: as a browser asks, and with secrets replaced
//     StoreWriter pace PATH RATE SECONDS  the same, so many a second, and prints how many were lost
//     StoreWriter fill PATH COUNT         exchanges that differ from each other, with secrets replaced
//     StoreWriter spill ADDRESS KEY FILE NAME [COUNT]   into PostgreSQL, or a file while that is away
//     StoreWriter sweep PATH SEED         a plan at random, and others behind it until it is killed
//     StoreWriter read PATH               prints how long questions take
//     StoreWriter redact TURNS            replaces the secrets of texts on standard input, see `Redacting`

import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

let arguments = CommandLine.arguments
guard arguments.count >= 3 else { exit(64) }
do {
    switch arguments[1] {
    case "acknowledge": try Acknowledging.run(arguments[2])
    case "limit": try Limited.run(arguments[2], UInt(arguments.dropFirst(3).first ?? "") ?? 1 << 20)
    case "measure":
        let numbers = arguments.dropFirst(3).compactMap { UInt64($0) }
        try Measuring.run(arguments[2], numbers.first ?? 200_000, hosts: numbers.dropFirst().first ?? 1)
    case "pace":
        let numbers = arguments.dropFirst(3).compactMap { UInt64($0) }
        try Measuring.pace(arguments[2], numbers.first ?? 1000, seconds: numbers.dropFirst().first ?? 10)
    case "fill": try Measuring.fill(arguments[2], arguments.dropFirst(3).first.flatMap { UInt64($0) } ?? 257_000)
    case "spill": try Spilling.run(Array(arguments.dropFirst(2)))
    case "sweep": try Sweeping.run(arguments[2], seed: arguments.dropFirst(3).first.flatMap { UInt64($0) } ?? 1)
    case "read": try Reading.run(arguments[2])
    case "redact": Redacting.run(turns: Int(arguments[2]) ?? 1)
    default: exit(64)
    }
} catch {
    print("failed: \(error)")
    exit(1)
}

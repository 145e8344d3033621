import CSystem
import Platform

/// The program that runs.
enum ProgramFile {
    /// Absolute; nil where the system does not tell.
    static var path: String? {
        var room = [CChar](repeating: 0, count: Int(PATH_MAX))
        guard shunt_program_path(&room, room.count) == 0 else { return nil }
        return String(decoding: room.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

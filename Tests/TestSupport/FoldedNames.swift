#if canImport(Darwin) || SHUNT_KQUEUE
#if SHUNT_KQUEUE
import CKqueue
#endif

/// Lets the file system take names for one another: on Linux as HFS+ does, which takes the most; on a Mac it does so
/// already.
public func foldNames() {
    #if SHUNT_KQUEUE
    shunt_fold_names { asked, there in
        let names = [asked, there].map { name in
            let scalars = (name.map { String(cString: $0) } ?? "").unicodeScalars
            return String(String.UnicodeScalarView(scalars.filter { !$0.properties.isDefaultIgnorableCodePoint }))
        }
        return names[0].lowercased() == names[1].lowercased()
    }
    #endif
}
#endif

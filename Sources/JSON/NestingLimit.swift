/// How deep input may nest where the code that reads it calls itself, or reads the same bytes again for each level.
public enum NestingLimit {
    /// Values within values: arrays and objects of JSON, elements of XML.
    public static let values = 64
    /// Bodies within bodies, such as multipart parts: each level reads all bytes below it again.
    public static let bodies = 8
}

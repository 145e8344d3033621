import Foundation

/// The descriptor set that protoc makes of this file, with what it imports.
public enum ShopSchema {
    public static let proto = """
        syntax = "proto3";
        package shop.v1;
        import "google/protobuf/any.proto";
        import "google/protobuf/duration.proto";
        import "google/protobuf/field_mask.proto";
        import "google/protobuf/struct.proto";
        import "google/protobuf/timestamp.proto";
        import "google/protobuf/wrappers.proto";

        enum Size { SIZE_UNKNOWN = 0; SMALL = 1; LARGE = 2; }
        message Item {
          string id = 1;
          int64 price = 2;
          Size size = 3;
          repeated int32 codes = 4;
          map<string, int32> stock = 5;
          oneof label { string text = 6; Item parent = 7; }
          bytes data = 8;
          repeated string tag_names = 9;
          optional bool is_new = 10;
          double weight = 11;
          sint32 delta = 12;
          fixed64 serial = 13;
          map<int64, Item> parts = 14;
          float ratio = 15;
          google.protobuf.Timestamp made = 20;
          google.protobuf.Duration takes = 21;
          google.protobuf.Any extra = 22;
          google.protobuf.Struct facts = 23;
          google.protobuf.StringValue note = 24;
          google.protobuf.FieldMask mask = 25;
          google.protobuf.Value any_json = 26;
          google.protobuf.Int64Value long = 27;
        }
        message GetRequest { string id = 1; string password = 2; }
        service Cart {
          rpc Get(GetRequest) returns (Item);
          rpc Watch(GetRequest) returns (stream Item);
          rpc Fill(stream Item) returns (Item);
          rpc Talk(stream Item) returns (stream Item);
        }
        """

    public static var descriptors: [UInt8] { Array(Data(base64Encoded: text) ?? Data()) }

    /// A folder with the set as `shop.pb`.
    public static func folder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try Data(descriptors).write(to: URL(fileURLWithPath: folder.path + "/shop.pb"))
        return folder
    }

    private static let text = """
        CuQBChlnb29nbGUvcHJvdG9idWYvYW55LnByb3RvEg9nb29nbGUucHJvdG9idWYiNgoDQW55EhkKCHR5cGVfdXJsGAEgASgJUgd0eXBlVXJsEh\
        QKBXZhbHVlGAIgASgMUgV2YWx1ZUJ2ChNjb20uZ29vZ2xlLnByb3RvYnVmQghBbnlQcm90b1ABWixnb29nbGUuZ29sYW5nLm9yZy9wcm90b2J1\
        Zi90eXBlcy9rbm93bi9hbnlwYqICA0dQQqoCHkdvb2dsZS5Qcm90b2J1Zi5XZWxsS25vd25UeXBlc2IGcHJvdG8zCvsBCh5nb29nbGUvcHJvdG\
        9idWYvZHVyYXRpb24ucHJvdG8SD2dvb2dsZS5wcm90b2J1ZiI6CghEdXJhdGlvbhIYCgdzZWNvbmRzGAEgASgDUgdzZWNvbmRzEhQKBW5hbm9z\
        GAIgASgFUgVuYW5vc0KDAQoTY29tLmdvb2dsZS5wcm90b2J1ZkINRHVyYXRpb25Qcm90b1ABWjFnb29nbGUuZ29sYW5nLm9yZy9wcm90b2J1Zi\
        90eXBlcy9rbm93bi9kdXJhdGlvbnBi+AEBogIDR1BCqgIeR29vZ2xlLlByb3RvYnVmLldlbGxLbm93blR5cGVzYgZwcm90bzMK5gEKIGdvb2ds\
        ZS9wcm90b2J1Zi9maWVsZF9tYXNrLnByb3RvEg9nb29nbGUucHJvdG9idWYiIQoJRmllbGRNYXNrEhQKBXBhdGhzGAEgAygJUgVwYXRoc0KFAQ\
        oTY29tLmdvb2dsZS5wcm90b2J1ZkIORmllbGRNYXNrUHJvdG9QAVoyZ29vZ2xlLmdvbGFuZy5vcmcvcHJvdG9idWYvdHlwZXMva25vd24vZmll\
        bGRtYXNrcGL4AQGiAgNHUEKqAh5Hb29nbGUuUHJvdG9idWYuV2VsbEtub3duVHlwZXNiBnByb3RvMwriBQocZ29vZ2xlL3Byb3RvYnVmL3N0cn\
        VjdC5wcm90bxIPZ29vZ2xlLnByb3RvYnVmIpgBCgZTdHJ1Y3QSOwoGZmllbGRzGAEgAygLMiMuZ29vZ2xlLnByb3RvYnVmLlN0cnVjdC5GaWVs\
        ZHNFbnRyeVIGZmllbGRzGlEKC0ZpZWxkc0VudHJ5EhAKA2tleRgBIAEoCVIDa2V5EiwKBXZhbHVlGAIgASgLMhYuZ29vZ2xlLnByb3RvYnVmLl\
        ZhbHVlUgV2YWx1ZToCOAEisgIKBVZhbHVlEjsKCm51bGxfdmFsdWUYASABKA4yGi5nb29nbGUucHJvdG9idWYuTnVsbFZhbHVlSABSCW51bGxW\
        YWx1ZRIjCgxudW1iZXJfdmFsdWUYAiABKAFIAFILbnVtYmVyVmFsdWUSIwoMc3RyaW5nX3ZhbHVlGAMgASgJSABSC3N0cmluZ1ZhbHVlEh8KCm\
        Jvb2xfdmFsdWUYBCABKAhIAFIJYm9vbFZhbHVlEjwKDHN0cnVjdF92YWx1ZRgFIAEoCzIXLmdvb2dsZS5wcm90b2J1Zi5TdHJ1Y3RIAFILc3Ry\
        dWN0VmFsdWUSOwoKbGlzdF92YWx1ZRgGIAEoCzIaLmdvb2dsZS5wcm90b2J1Zi5MaXN0VmFsdWVIAFIJbGlzdFZhbHVlQgYKBGtpbmQiOwoJTG\
        lzdFZhbHVlEi4KBnZhbHVlcxgBIAMoCzIWLmdvb2dsZS5wcm90b2J1Zi5WYWx1ZVIGdmFsdWVzKhsKCU51bGxWYWx1ZRIOCgpOVUxMX1ZBTFVF\
        EABCfwoTY29tLmdvb2dsZS5wcm90b2J1ZkILU3RydWN0UHJvdG9QAVovZ29vZ2xlLmdvbGFuZy5vcmcvcHJvdG9idWYvdHlwZXMva25vd24vc3\
        RydWN0cGL4AQGiAgNHUEKqAh5Hb29nbGUuUHJvdG9idWYuV2VsbEtub3duVHlwZXNiBnByb3RvMwr/AQofZ29vZ2xlL3Byb3RvYnVmL3RpbWVz\
        dGFtcC5wcm90bxIPZ29vZ2xlLnByb3RvYnVmIjsKCVRpbWVzdGFtcBIYCgdzZWNvbmRzGAEgASgDUgdzZWNvbmRzEhQKBW5hbm9zGAIgASgFUg\
        VuYW5vc0KFAQoTY29tLmdvb2dsZS5wcm90b2J1ZkIOVGltZXN0YW1wUHJvdG9QAVoyZ29vZ2xlLmdvbGFuZy5vcmcvcHJvdG9idWYvdHlwZXMv\
        a25vd24vdGltZXN0YW1wcGL4AQGiAgNHUEKqAh5Hb29nbGUuUHJvdG9idWYuV2VsbEtub3duVHlwZXNiBnByb3RvMwqGBAoeZ29vZ2xlL3Byb3\
        RvYnVmL3dyYXBwZXJzLnByb3RvEg9nb29nbGUucHJvdG9idWYiIwoLRG91YmxlVmFsdWUSFAoFdmFsdWUYASABKAFSBXZhbHVlIiIKCkZsb2F0\
        VmFsdWUSFAoFdmFsdWUYASABKAJSBXZhbHVlIiIKCkludDY0VmFsdWUSFAoFdmFsdWUYASABKANSBXZhbHVlIiMKC1VJbnQ2NFZhbHVlEhQKBX\
        ZhbHVlGAEgASgEUgV2YWx1ZSIiCgpJbnQzMlZhbHVlEhQKBXZhbHVlGAEgASgFUgV2YWx1ZSIjCgtVSW50MzJWYWx1ZRIUCgV2YWx1ZRgBIAEo\
        DVIFdmFsdWUiIQoJQm9vbFZhbHVlEhQKBXZhbHVlGAEgASgIUgV2YWx1ZSIjCgtTdHJpbmdWYWx1ZRIUCgV2YWx1ZRgBIAEoCVIFdmFsdWUiIg\
        oKQnl0ZXNWYWx1ZRIUCgV2YWx1ZRgBIAEoDFIFdmFsdWVCgwEKE2NvbS5nb29nbGUucHJvdG9idWZCDVdyYXBwZXJzUHJvdG9QAVoxZ29vZ2xl\
        LmdvbGFuZy5vcmcvcHJvdG9idWYvdHlwZXMva25vd24vd3JhcHBlcnNwYvgBAaICA0dQQqoCHkdvb2dsZS5Qcm90b2J1Zi5XZWxsS25vd25UeX\
        Blc2IGcHJvdG8zCsELCgpzaG9wLnByb3RvEgdzaG9wLnYxGhlnb29nbGUvcHJvdG9idWYvYW55LnByb3RvGh5nb29nbGUvcHJvdG9idWYvZHVy\
        YXRpb24ucHJvdG8aIGdvb2dsZS9wcm90b2J1Zi9maWVsZF9tYXNrLnByb3RvGhxnb29nbGUvcHJvdG9idWYvc3RydWN0LnByb3RvGh9nb29nbG\
        UvcHJvdG9idWYvdGltZXN0YW1wLnByb3RvGh5nb29nbGUvcHJvdG9idWYvd3JhcHBlcnMucHJvdG8ixgcKBEl0ZW0SDgoCaWQYASABKAlSAmlk\
        EhQKBXByaWNlGAIgASgDUgVwcmljZRIhCgRzaXplGAMgASgOMg0uc2hvcC52MS5TaXplUgRzaXplEhQKBWNvZGVzGAQgAygFUgVjb2RlcxIuCg\
        VzdG9jaxgFIAMoCzIYLnNob3AudjEuSXRlbS5TdG9ja0VudHJ5UgVzdG9jaxIUCgR0ZXh0GAYgASgJSABSBHRleHQSJwoGcGFyZW50GAcgASgL\
        Mg0uc2hvcC52MS5JdGVtSABSBnBhcmVudBISCgRkYXRhGAggASgMUgRkYXRhEhsKCXRhZ19uYW1lcxgJIAMoCVIIdGFnTmFtZXMSGgoGaXNfbm\
        V3GAogASgISAFSBWlzTmV3iAEBEhYKBndlaWdodBgLIAEoAVIGd2VpZ2h0EhQKBWRlbHRhGAwgASgRUgVkZWx0YRIWCgZzZXJpYWwYDSABKAZS\
        BnNlcmlhbBIuCgVwYXJ0cxgOIAMoCzIYLnNob3AudjEuSXRlbS5QYXJ0c0VudHJ5UgVwYXJ0cxIUCgVyYXRpbxgPIAEoAlIFcmF0aW8SLgoEbW\
        FkZRgUIAEoCzIaLmdvb2dsZS5wcm90b2J1Zi5UaW1lc3RhbXBSBG1hZGUSLwoFdGFrZXMYFSABKAsyGS5nb29nbGUucHJvdG9idWYuRHVyYXRp\
        b25SBXRha2VzEioKBWV4dHJhGBYgASgLMhQuZ29vZ2xlLnByb3RvYnVmLkFueVIFZXh0cmESLQoFZmFjdHMYFyABKAsyFy5nb29nbGUucHJvdG\
        9idWYuU3RydWN0UgVmYWN0cxIwCgRub3RlGBggASgLMhwuZ29vZ2xlLnByb3RvYnVmLlN0cmluZ1ZhbHVlUgRub3RlEi4KBG1hc2sYGSABKAsy\
        Gi5nb29nbGUucHJvdG9idWYuRmllbGRNYXNrUgRtYXNrEjEKCGFueV9qc29uGBogASgLMhYuZ29vZ2xlLnByb3RvYnVmLlZhbHVlUgdhbnlKc2\
        9uEi8KBGxvbmcYGyABKAsyGy5nb29nbGUucHJvdG9idWYuSW50NjRWYWx1ZVIEbG9uZxo4CgpTdG9ja0VudHJ5EhAKA2tleRgBIAEoCVIDa2V5\
        EhQKBXZhbHVlGAIgASgFUgV2YWx1ZToCOAEaRwoKUGFydHNFbnRyeRIQCgNrZXkYASABKANSA2tleRIjCgV2YWx1ZRgCIAEoCzINLnNob3Audj\
        EuSXRlbVIFdmFsdWU6AjgBQgcKBWxhYmVsQgkKB19pc19uZXciOAoKR2V0UmVxdWVzdBIOCgJpZBgBIAEoCVICaWQSGgoIcGFzc3dvcmQYAiAB\
        KAlSCHBhc3N3b3JkKi4KBFNpemUSEAoMU0laRV9VTktOT1dOEAASCQoFU01BTEwQARIJCgVMQVJHRRACMrIBCgRDYXJ0EikKA0dldBITLnNob3\
        AudjEuR2V0UmVxdWVzdBoNLnNob3AudjEuSXRlbRItCgVXYXRjaBITLnNob3AudjEuR2V0UmVxdWVzdBoNLnNob3AudjEuSXRlbTABEiYKBEZp\
        bGwSDS5zaG9wLnYxLkl0ZW0aDS5zaG9wLnYxLkl0ZW0oARIoCgRUYWxrEg0uc2hvcC52MS5JdGVtGg0uc2hvcC52MS5JdGVtKAEwAWIGcHJvdG\
        8z
        """
}

"""What calls of gRPC end with."""

import grpc


def failure(of):
    """The error that a call ends with; one that ends well is wrong."""
    try:
        result = of()
    except grpc.RpcError as error:
        return error
    raise AssertionError(f"{result!r} instead of a failure")

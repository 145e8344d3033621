class BenchError(Exception):
    """Something a person can act on; printed without a stack trace."""

/// The engine as a library: one import for a program that runs a proxy of its own.
///
/// `Proxy` and `Handler` are Engine's, profiles are Profiles', `Exchange` and its observer are Exchanges', the traffic
/// store is Store's, addresses are Reactor's, certificates are TLS's.
@_exported import Engine
@_exported import Exchanges
@_exported import Profiles
@_exported import Reactor
@_exported import Store
@_exported import TLS

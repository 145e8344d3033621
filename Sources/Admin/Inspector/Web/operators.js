// The operators of the filter language (docs/traffic.md), for completion.
export const OPERATORS = [
    ["~d", "REGEX", "host"], ["~u", "REGEX", "URL"], ["~m", "REGEX", "method"], ["~c", "404, 4xx, 400-499", "status"],
    ["~e", "", "with an error"], ["~q", "", "without a response"], ["~s", "", "with a response"],
    ["~h", "REGEX", "a field of either head"], ["~hq", "REGEX", "a field of the request"], ["~hs", "REGEX", "a field of the response"],
    ["~b", "REGEX", "text of either body, or of a message"], ["~bq", "REGEX", "text of the request's body"],
    ["~bs", "REGEX", "text of the response's body"], ["~t", "REGEX", "media type"], ["~tq", "REGEX", "media type of the request"],
    ["~ts", "REGEX", "media type of the response"], ["~src", "REGEX", "client"], ["~dst", "REGEX", "origin"],
    ["~a", "", "style sheets, scripts, images and fonts"], ["~websocket", "", "WebSockets"], ["~http", "", "all but WebSockets"],
    ["~env", "NAME", "profile"], ["~route", "TEXT", "route"], ["~trust", "NAME", "trust policy"], ["~mock", "", "responses of mocks"],
    ["~node", "NAME", "the Shunt that recorded it"], ["~bridge", "", "calls of a bridge"],
    ["~push", "", "push notifications"], ["~reason", "REGEX", "why APNs refused a push notification"],
    ["~fault", "", "befallen by a fault"], ["~network", "", "with a network of Shunt's"],
    ["~stale", "", "kept responses in the place of an origin's"],
    ["~slow", "1s", "took at least"], ["~since", "10m", "started since"], ["~id", "N", "the exchange of that number"], ["~all", "", "everything"],
];

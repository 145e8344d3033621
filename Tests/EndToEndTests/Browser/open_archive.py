#!/usr/bin/env python3
"""Opens an HTTP Archive in the Network panel of a headless Chromium's DevTools, as somebody does who drops it there.

usage: open_archive.py BROWSER FILE
Prints one line of JSON: "requests", as the panel has them, and "complaints" of its console while it read the file.
"""
import json
import pathlib
import sys

from devtools import network_panel

SHOWN = """(async () => {
  const {NetworkPanel} = await import("./panels/network/network.js");
  const {NetworkLog} = await import("./models/logs/logs.js");
  const file = new File([%s], "session.har");
  await NetworkPanel.NetworkPanel.instance().networkLogView.onLoadFromFile(file);
  return Promise.all(NetworkLog.NetworkLog.instance().requests().map(async request => ({
    url: request.url(), method: request.requestMethod, status: request.statusCode, protocol: request.protocol,
    type: request.resourceType().name(), duration: request.duration, size: request.resourceSize,
    requestCookies: request.includedRequestCookies().map(({cookie}) => cookie.name()),
    responseCookies: request.responseCookies.map(cookie => cookie.name()),
    form: await request.formParameters(), sent: await request.requestFormData(),
    frames: request.frames().map(frame => frame.text),
    events: request.eventSourceMessages().map(event => event.data),
    content: await request.requestContentData().then(data => data.isTextContent ? data.text : data.base64),
  })));
})()"""

browser, archive = sys.argv[1:]
with network_panel(browser) as (panel, _):
    requests = panel.run(SHOWN % json.dumps(pathlib.Path(archive).read_text(encoding="utf-8")))
    print(json.dumps({"requests": requests, "complaints": panel.complaints}))

#!/usr/bin/env python3
"""Saves what a page has loaded as an HTTP Archive, by the DevTools of a headless Chromium, as "Export HAR" does.

usage: save_archive.py BROWSER URL FILE
The page says by `window.done` that it has loaded everything.
"""
import pathlib
import sys

from devtools import network_panel, until

READY = """(async () => {
  const {TargetManager, NetworkManager} = await import("./core/sdk/sdk.js");
  const target = TargetManager.TargetManager.instance().primaryPageTarget();
  if (!target?.model(NetworkManager.NetworkManager)) return false;
  await target.networkAgent().invoke_enable({});
  return true;
})()"""
REQUESTS = """(async () => {
  const {NetworkLog} = await import("./models/logs/logs.js");
  return NetworkLog.NetworkLog.instance().requests();
})()"""
FINISHED = "%s.then(requests => requests.length > 0 && requests.every(request => request.finished))" % REQUESTS
SAVED = """(async () => {
  const {Writer} = await import("./models/har/har.js");
  const {Progress} = await import("./core/common/common.js");
  return Writer.Writer.harStringForRequests(await %s, {sanitize: false}, new Progress.CompositeProgress(new Progress.Progress()));
})()""" % REQUESTS

browser, url, file = sys.argv[1:]
with network_panel(browser, "--ignore-certificate-errors") as (panel, shown):
    until(lambda: panel.run(READY))
    shown.ask("Page.navigate", url=url)
    until(lambda: shown.run("window.done === true"))
    until(lambda: panel.run(FINISHED))
    pathlib.Path(file).write_text(panel.run(SAVED), encoding="utf-8")

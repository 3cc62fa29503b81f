// Preloaded with NODE_OPTIONS: writes each rename, link and fsync to a trace file.
const fs = require("node:fs");
const { syncBuiltinESMExports } = require("node:module");
const { isMainThread } = require("node:worker_threads");

const trace = process.env.ROSTRUM_TEST_TRACE;
if (isMainThread && trace !== undefined) {
  const { openSync, closeSync, fsyncSync, renameSync, linkSync, writeSync } = fs;
  const paths = new Map();
  const log = openSync(trace, "a");
  const note = (...line) => writeSync(log, `${JSON.stringify(line)}\n`);
  fs.openSync = (path, ...rest) => {
    const file = openSync(path, ...rest);
    paths.set(file, String(path));
    return file;
  };
  fs.closeSync = (file) => {
    paths.delete(file);
    closeSync(file);
  };
  fs.fsyncSync = (file) => {
    fsyncSync(file);
    note("sync", paths.get(file));
  };
  fs.renameSync = (from, to) => {
    renameSync(from, to);
    note("rename", String(from), String(to));
  };
  fs.linkSync = (from, to) => {
    linkSync(from, to);
    note("link", String(from), String(to));
  };
  for (const name of ["rename", "link", "renameSync", "linkSync"]) {
    const promised = fs.promises[name];
    if (promised === undefined) continue;
    fs.promises[name] = async (from, to) => {
      await promised(from, to);
      note(name, String(from), String(to));
    };
  }
  syncBuiltinESMExports();
}

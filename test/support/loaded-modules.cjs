// A script to preload with NODE_OPTIONS. At the exit of the main thread, it writes the packages that the thread
// has loaded.
const { writeFileSync } = require('node:fs');
const { isMainThread } = require('node:worker_threads');

if (isMainThread) {
  process.on('exit', () => {
    const names = Object.keys(require.cache).map(
      (path) => /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules\/)/.exec(path)?.[1],
    );
    writeFileSync(process.env.LOADED_MODULES, JSON.stringify([...new Set(names)]));
  });
}

// Set up before a spec if the build is older than its sources: refuses to run compiled scripts, and leaves alone specs
// that run none.
const processes = require('node:child_process');
const threads = require('node:worker_threads');

const refuse = (given) => {
  if ([given].flat(2).some((part) => /(?:^|[/\\])dist[/\\].*\.js$/.test(String(part)))) {
    throw new Error(process.env.LECTERN_STALE_BUILD);
  }
};

for (const name of ['spawn', 'fork', 'execFile', 'spawnSync', 'execFileSync']) {
  const original = processes[name];
  processes[name] = (...given) => {
    refuse(given.slice(0, 2));
    return original(...given);
  };
}

threads.Worker = class extends threads.Worker {
  constructor(script, options) {
    refuse(script);
    super(script, options);
  }
};

import { readdirSync, readFileSync } from 'node:fs';

const TICKS_A_SECOND = 100;

/** Returns the CPU seconds of running processes. */
export function processorSeconds(pids) {
  return pids.reduce((sum, pid) => sum + secondsOf(pid), 0);
}

/** Returns a process and all its descendants; empty without /proc. */
export function processTree(pid) {
  const parents = new Map(
    list('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => [Number(name), Number(fields(name)[1])]),
  );
  const tree = [pid];
  for (const each of tree) {
    for (const [child, parent] of parents) if (parent === each) tree.push(child);
  }
  return tree;
}

/** Returns the parent of a process. */
export function parentOf(pid) {
  return Number(fields(pid)[1]);
}

function secondsOf(pid) {
  const [, , , , , , , , , , , user = 0, system = 0] = fields(pid);
  return (Number(user) + Number(system)) / TICKS_A_SECOND;
}

/**
 * Returns the fields of /proc/PID/stat from the state on: state, parent, ... user and system ticks at 11 and
 * 12.
 */
function fields(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return []; // the process has ended
  }
}

function list(folder) {
  try {
    return readdirSync(folder);
  } catch {
    return []; // not Linux
  }
}

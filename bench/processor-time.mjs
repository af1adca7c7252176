import { readdirSync, readFileSync } from 'node:fs';

const TICKS_A_SECOND = 100;

/** Returns the CPU seconds of running processes. */
export function processorSeconds(pids) {
  return pids.reduce((sum, pid) => sum + secondsOf(pid), 0);
}

/** Returns the ids of a process and all its descendants. The list is empty on systems without /proc. */
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

export function parentOf(pid) {
  return Number(fields(pid)[1]);
}

function secondsOf(pid) {
  const [, , , , , , , , , , , user = 0, system = 0] = fields(pid);
  return (Number(user) + Number(system)) / TICKS_A_SECOND;
}

/**
 * Returns the fields of /proc/PID/stat, beginning with the state. Index 0 is the state, 1 the parent, 11 the user ticks
 * and 12 the system ticks.
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

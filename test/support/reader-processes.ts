import { readdirSync, readFileSync } from 'node:fs';

/** Returns the ids of the parser processes of a process; Linux only. */
export function readerProcesses(parent = process.pid): string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').filter((id) => {
    if (!/^\d+$/.test(id)) return false;
    try {
      const isChild =
        readFileSync(`/proc/${id}/stat`, 'latin1').split(') ')[1]?.split(' ')[1] === String(parent);
      return isChild && readFileSync(`/proc/${id}/cmdline`, 'latin1').includes('reader.worker.js');
    } catch {
      return false; // the process has exited
    }
  });
}

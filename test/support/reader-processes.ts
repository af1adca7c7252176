import { readdirSync, readFileSync } from 'node:fs';

/** Ids of the reading processes that a process has started; Linux alone tells. */
export function readerProcesses(parent = process.pid): string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').filter((id) => {
    if (!/^\d+$/.test(id)) return false;
    try {
      const isChild =
        readFileSync(`/proc/${id}/stat`, 'latin1').split(') ')[1]?.split(' ')[1] === String(parent);
      return isChild && readFileSync(`/proc/${id}/cmdline`, 'latin1').includes('reader.worker.js');
    } catch {
      return false; // it has ended meanwhile
    }
  });
}

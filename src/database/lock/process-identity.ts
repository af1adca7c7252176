import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Enough to tell later whether the very process that wrote it is still running. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Start time of the process as the kernel counts it; null where there is no /proc. A pid is used again, this is not. */
  readonly started: string | null;
  /** Where the pid means something: this boot and pid namespace, or the host name where there is no /proc. */
  readonly realm: string;
}

export type Liveness = 'running' | 'gone' | 'unknown';

export function ownIdentity(): ProcessIdentity {
  return { pid: process.pid, started: startTime(process.pid), realm: ownRealm() };
}

/** `unknown` for a process of another container or machine, whose pids say nothing here. */
export function livenessOf(identity: ProcessIdentity): Liveness {
  if (identity.realm !== ownRealm()) return 'unknown';
  if (!answersSignal(identity.pid)) return 'gone';
  return startTime(identity.pid) === identity.started ? 'running' : 'gone';
}

function ownRealm(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}

function answersSignal(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Field 22 of /proc/PID/stat (proc(5)); the name in field 2 may hold spaces and brackets. */
function startTime(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}

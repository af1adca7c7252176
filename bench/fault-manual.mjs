import { randomSource } from './random-source.mjs';

const PARTS = [
  'ledger',
  'order queue',
  'label printer',
  'price cache',
  'stock counter',
  'mail gateway',
  'invoice archive',
  'payment terminal',
  'conveyor controller',
  'barcode scanner',
  'tax service',
  'session store',
];

/** Messages of faults (`#` stands for what changes), causes and remedies. */
const FAULTS = [
  [
    'could not obtain a lock within # ms',
    'Another process holds the lock, most often a nightly export that did not end.',
    'Look for exports older than an hour and end them; the lock is released within a minute.',
  ],
  [
    'connection refused by peer at #',
    'Nothing listens at the address, because the service was moved or did not start.',
    'Check the address in the settings, and that the service runs there.',
  ],
  [
    'checksum mismatch in block #',
    'The disk or the transfer damaged a block after it had been written.',
    'Restore the block from the replica; if it comes again on the same disk, replace the disk.',
  ],
  [
    'certificate expired # hours ago',
    'The certificate was not renewed in time, so that nobody is let in.',
    'Renew it with the renewal job and restart the component.',
  ],
  [
    'queue length # exceeds the limit',
    'More work arrives than is done, usually after a long pause of the workers.',
    'Add workers until the queue is short, and raise the limit only for that time.',
  ],
  [
    'unsupported protocol version #',
    'One side was upgraded and the other was not.',
    'Upgrade the older side; both versions are shown on the status page.',
  ],
  [
    'out of memory while sorting # rows',
    'The sort does not fit into the memory that is set aside for it.',
    'Raise the memory for sorting, or let the report run by region.',
  ],
  [
    'permission denied for user #',
    'The user was moved to a role without this right.',
    'Give the right to the role, not to the user, and have the user sign in again.',
  ],
];

const EVENTS = [
  'request # finished in 14 ms',
  'job # started',
  'worker # idle',
  'heartbeat sent to #',
  'cache warmed with # entries',
  'user # signed in',
  'job # finished',
  'settings reloaded from disk',
];

const MODULES = ['src/core/dispatch', 'pool/lib/client', 'src/jobs/runner', 'src/core/retry', 'lib/worker'];

/** A manual of 96 faults of one system, in documents that differ in little but the part and the fault. */
export function faultManual() {
  const random = randomSource(7);
  let number = 2_000;
  return PARTS.flatMap((part) =>
    FAULTS.map(([message, cause, remedy]) => {
      number += 1 + Math.floor(9 * random());
      const initials = part.split(' ').map(([letter]) => letter.toUpperCase());
      const code = `${initials.join('')}-${number}`;
      const reported = message.replace('#', '...');
      const text = `# ${code}\n\nThe ${part} reports: "${reported}".\n\n${cause} For the ${part} this is logged once a minute until it is mended.\n\n${remedy}\n`;
      return { code, part, message, text };
    }),
  );
}

/** Kinds of questions to one document of the manual: functions of a document to the question's text. */
export function faultQuestions() {
  const random = randomSource(11);
  const upTo = (most) => Math.floor(most * random());
  const one = (list) => list[upTo(list.length)];
  const filled = (message) => message.replace('#', String(100 + upTo(90_000)));
  const time = () =>
    `2026-11-${10 + upTo(20)}T0${upTo(9)}:${10 + upTo(49)}:${10 + upTo(49)}.${100 + upTo(899)}Z`;
  const line = (level, part, message) => `${time()} ${level} [${part.replace(' ', '-')}] ${filled(message)}`;
  const events = (count) => Array.from({ length: count }, () => line('INFO ', one(PARTS), one(EVENTS)));
  const frames = (count) =>
    Array.from({ length: count }, () => `    at run (/srv/app/${one(MODULES)}.js:${upTo(900)}:${upTo(80)})`);
  const log = (before, after) => {
    return ({ part, message }) =>
      [...events(before), line('ERROR', part, message), ...events(after)].join('\n');
  };
  const bare = ({ part, message }) => `What can we do when the ${part} says "${filled(message)}"?`;
  return {
    'the code, with a question around it': ({ code }) => `What does ${code} mean?`,
    'the code in small letters': ({ code }) => `what to do about ${code.toLowerCase()}`,
    'the message': bare,
    'the message among other sentences': (fault) =>
      `Good morning! I have the night shift for the first time this week, and nobody is in the office yet. ${bare(fault)} Please answer briefly, because we have to go on. Many thanks!`,
    'the message above a trace of 20 lines': ({ part, message }) =>
      [`Error: ${part}: ${filled(message)}`, ...frames(20)].join('\n'),
    'the message under a trace of 20 lines': ({ part, message }) =>
      [...frames(20), `Error: ${part}: ${filled(message)}`].join('\n'),
    'a log of 3 lines': log(1, 1),
    'a log of 6 lines': log(3, 2),
    'a log of 10 lines': log(8, 1),
    'a log of 16 lines': log(11, 4),
    'a log of 60 lines': log(42, 17),
    'a question, then a log of 10 lines': (fault) =>
      `Since this morning the night shift sees this again and again. What can we do?\n\n${log(6, 3)(fault)}`,
  };
}

#!/usr/bin/env node
import { existsSync, statSync } from 'node:fs';
import type * as Service from './run-service.js';
import { listenForStopSignals } from './stop-signals.js';

listenForStopSignals();
// Loads the rest of the service after the listener for signals is in place. Loading takes a second, during which a
// signal would otherwise be lost.
const bundled = './bundle/run-service.js';
const { runService } =
  modified(bundled) > modified('.tsbuildinfo')
    ? ((await import(bundled)) as typeof Service) // `scripts/bundle.mjs` made it of the module below
    : await import('./run-service.js');
await runService();

/** Returns when a file beside this one was written; 0 if it is absent, as `.tsbuildinfo` is in the package. */
function modified(name: string): number {
  const file = new URL(name, import.meta.url);
  return existsSync(file) ? statSync(file).mtimeMs : 0;
}

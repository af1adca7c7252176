#!/usr/bin/env node
import { listenForStopSignals } from './stop-signals.js';

listenForStopSignals();
// The rest of the service takes a second to load, in which a signal would be lost.
const { runService } = await import('./run-service.js');
await runService();

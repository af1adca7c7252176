#!/usr/bin/env node
import { listenForStopSignals } from './stop-signals.js';

listenForStopSignals();
// Loading the rest of the service takes a second, in which a signal would be lost.
const { runService } = await import('./run-service.js');
await runService();

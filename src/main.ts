#!/usr/bin/env node
import { listenForStopSignals } from './stop-signals.js';

listenForStopSignals();
// Loads the rest of the service after the listener for signals is in place. Loading takes a second, during which a
// signal would otherwise be lost.
const { runService } = await import('./run-service.js');
await runService();

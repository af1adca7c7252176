import { isMainThread } from 'node:worker_threads';
import type * as Onnx from 'onnxruntime-node';

export type OnnxRuntime = typeof Onnx;

const TELEMETRY_SWITCH = 'ORT_DISABLE_TELEMETRY';

// The native library reads the environment of the process. A worker thread has only a copy of this environment, so the
// main thread must set the variable before it starts a worker.
if (isMainThread) process.env[TELEMETRY_SWITCH] = '1';

/**
 * Loads the ONNX runtime without telemetry, which would send events to its vendor and queue them in the user's home
 * folder. No other code loads the library.
 * @throws Error if the process did not disable telemetry first.
 */
export async function loadOnnxRuntime(): Promise<OnnxRuntime> {
  if (process.env[TELEMETRY_SWITCH] !== '1') {
    throw new Error(`the environment of the process must contain ${TELEMETRY_SWITCH}=1`);
  }
  return import('onnxruntime-node');
}

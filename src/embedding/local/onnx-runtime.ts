import { isMainThread } from 'node:worker_threads';
import type * as Onnx from 'onnxruntime-node';

export type OnnxRuntime = typeof Onnx;

const TELEMETRY_SWITCH = 'ORT_DISABLE_TELEMETRY';

// The native library reads the environment of the process. A worker thread has a copy of it: setting the variable there
// would change nothing, so it is set when the main thread loads whatever starts such a worker.
if (isMainThread) process.env[TELEMETRY_SWITCH] = '1';

/**
 * The ONNX runtime without its telemetry, which would send events to its maker and queue them below the user's home.
 * The only place that loads the library.
 * @throws Error in a thread whose process did not turn the telemetry off before.
 */
export async function loadOnnxRuntime(): Promise<OnnxRuntime> {
  if (process.env[TELEMETRY_SWITCH] !== '1') {
    throw new Error(`the environment of the process must hold ${TELEMETRY_SWITCH}=1`);
  }
  return import('onnxruntime-node');
}

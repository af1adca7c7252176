export { LecternClient, type LecternClientOptions } from './client.js';
export { IngestionError, LecternError } from './errors.js';
export type { Chats } from './chats.js';
export type { Keys } from './keys.js';
export type { ModelSettings } from './model-settings.js';
export type { Folders } from './folders.js';
export type { RetryPolicy } from './retry.js';
export type { components, paths } from './schema.js';
export type * from './types.js';

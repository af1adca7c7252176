import type { ChatVersion } from '../api/lectern.js';

/**
 * The versions of the turns from an index on, oldest first. A version no longer belongs to the chat after an earlier turn
 * was replaced, which began another course.
 */
export function versionsAt(versions: readonly ChatVersion[], index: number): ChatVersion[] {
  const last = versions.findLastIndex((one) => one.message_index < index);
  return versions.slice(last + 1).filter((one) => one.message_index === index);
}

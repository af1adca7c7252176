import type { AuditEvent } from '../../auth/audit/audit-events.js';
import type { AuditRule } from '../../http/audit.types.js';
import { isJsonObject } from '../../json/exact-json.js';

/** An ingestion adds something, and is not recorded; one that becomes a version of a document is an update. */
export function auditOfVersions(action: AuditEvent): AuditRule {
  return {
    action,
    when: ({ body, answer }) => body['on_duplicate'] === 'version' && updatedIn(answer).length > 0,
    subject: ({ answer }) => updatedIn(answer),
  };
}

/** The ids of the documents in an answer that existed before: a new document has no chunks yet. */
function updatedIn(answer: Readonly<Record<string, unknown>>): unknown[] {
  const { documents = [answer] } = answer;
  return (documents as readonly unknown[])
    .filter((record) => isJsonObject(record))
    .filter(({ chunk_ids: chunks }) => Array.isArray(chunks) && chunks.length > 0)
    .map(({ external_id: id }) => id);
}

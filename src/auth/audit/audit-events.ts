/** What an event of the audit log says. */
interface Described {
  /** What happened, as a sentence without a full stop. */
  readonly means: string;
  /** What `subject` names, in this order. Never a secret, and no text of a document. */
  readonly carries: string;
  /**
   * Where the entry is written. `route`: by the rule of a route (`http/audit.ts`), once for each request. `touch`: there
   * too, once a minute for the same key and things if they were only read. `count`: by `audit/refusal-counts.ts`, once a
   * minute for each source, with the number of refusals. `command`: by a command of the operator.
   */
  readonly writtenBy: readonly ('route' | 'touch' | 'count' | 'command')[];
}

const route = (means: string, carries: string): Described => ({ means, carries, writtenBy: ['route'] });
const touch = (means: string): Described => ({
  means,
  carries: 'the ids, each with its person',
  writtenBy: ['touch'],
});
const count = (means: string, carries: string): Described => ({ means, carries, writtenBy: ['count'] });
const command = (means: string, carries: string): Described => ({ means, carries, writtenBy: ['command'] });

const OTHERS = 'An administrator who reads everything';

/**
 * All events of the audit log. Every entry also has the tenant, the key, the person and the address of the caller, the
 * outcome, the HTTP status and the request id. If an administrator acts on the document or talk of a person, the entry
 * names this person too.
 *
 * A spec compares this list with the routes: a route that changes something has an event here, or a reason for none in
 * `test/operations/audit-decisions.ts`.
 */
export const AUDIT_EVENTS = {
  'key.create': {
    means: 'A key was made',
    carries: 'tenant, id and name of the key, permissions, person',
    writtenBy: ['route', 'command'],
  },
  'key.revoke': {
    means: 'A key was ended',
    carries: 'tenant and id of the key',
    writtenBy: ['route', 'command'],
  },
  'key.token': route('A browser token was made', 'id of the key, permissions, person'),
  'key.sign_in_link': route('A sign-in link was made', 'tenant and id of the key, permissions, person'),
  'key.sign_in': route('A sign-in link was exchanged for its key', 'tenant and id of the key'),
  'key.refused': count(
    'Requests came with a wrong, expired or ended key, or from a wrong address',
    'the reason, count',
  ),
  'session.sign_in': route('A person signed in at the identity provider', 'nothing'),
  'session.open': route('A browser was signed in with a link', 'id of the key, id of the device'),
  'session.end': route(
    'A device of the caller was signed out',
    'id of the device, unless it is the one that asks',
  ),
  'session.device_link': route('A link to another device was made', 'its expiry time'),
  'sign_in.refused': count('Sign-ins that failed, and wrong, used or expired links', 'the reason, count'),
  'link.refused': count('Downloads with a wrong or forged link', 'the reason, count'),

  'person.invite': route('People were invited, with a key and a sign-in link each', 'up to 20 people'),
  'person.change': route(
    'Name, permissions or groups of a person were changed',
    'the person, new permissions, up to 20 groups',
  ),
  'person.export': route('What is stored of a person was exported', 'the person'),
  'person.remove': route(
    'The access of a person ended',
    'the person, what becomes of the documents and of the chats, who gets them',
  ),

  'group.create': route('A group was made', 'id of the group, up to 20 members'),
  'group.rename': route('A group was renamed', 'id of the group'),
  'group.delete': route('A group was deleted', 'id of the group'),
  'group.add': route('People joined a group', 'id of the group, up to 20 people'),
  'group.remove': route('A person left a group', 'id of the group, the person'),

  'app.create': route('A tenant was made', 'id and name of the tenant'),
  'app.key': route('A connection URI was made', 'name of the tenant'),
  'app.delete': route('A tenant was deleted', 'name of the tenant'),
  'app.rename': route('A tenant was renamed', 'id, former and new name'),
  'app.rotate_keys': route('All keys of a tenant were replaced', 'id and name of the tenant'),

  'model.connect': route('A language model was connected', 'model, address of its service'),
  'model.disconnect': route('The language model of the settings is in use again', 'model'),
  'model.list': route('The models of a provider were listed', 'model, address of its service'),
  'model.test': route('A language model was tried', 'model, address of its service'),

  'document.share': route('Another person or other readers of a document', 'id, new person, new lists'),
  'document.place': route('A document was put into a folder or out of it', 'folder, id'),
  'document.link': route('A download link was made', 'id, lifetime in seconds'),
  'document.update_text': route('The text of a document was changed', 'id'),
  'document.update_file': route('The file of a document was replaced', 'id'),
  'document.update_metadata': route('The metadata of a document were changed', 'id'),
  'document.delete': route('A document was deleted', 'id'),
  'documents.delete': route('Documents were deleted', 'ids'),
  'document.read': touch(`${OTHERS} opened a private document of a person`),
  'document.change': touch(`${OTHERS} changed a private document of a person`),

  'folder.share': route('Other readers of a folder', 'path, new lists'),
  'folder.move': route('A folder was moved or renamed', 'path, new path'),
  'folder.delete': route('A folder and its documents were deleted', 'path'),

  'file.delete': route('A file was deleted', 'id'),
  'vector_store.delete': route('A vector store was deleted', 'id'),
  'vector_store.remove_file': route(
    'A file was taken out of a vector store',
    'id of the store, id of the file',
  ),

  'webhook.create': route('A webhook was made', 'id, origin of its address'),
  'webhook.change': route('A webhook was changed', 'id, changed members, origin of a new address'),
  'webhook.delete': route('A webhook was deleted', 'id'),
  'webhook.rotate_secret': route('The secret of a webhook was replaced', 'id'),

  'chat.share': route('A link to a chat was made', 'id of the chat, lifetime in seconds'),
  'chat.unshare': route('The link to a chat was ended', 'id of the chat'),
  'chat.delete': route('A chat was deleted', 'id'),
  'conversation.delete': route('A conversation was deleted', 'id'),
  'conversation.delete_item': route('An item of a conversation was deleted', 'ids of conversation and item'),
  'response.delete': route('A response was deleted', 'id'),
  'talk.read': touch(`${OTHERS} opened a chat, conversation or response of a person`),
  'talk.change': touch(`${OTHERS} changed a chat or conversation of a person`),

  export: command('Tenants were exported', 'the tenants'),
  restore: command('An export was restored', 'the tenants'),
  'doctor.repair': command('Damage was repaired', 'checks with their numbers'),
  'audit.export': command('The audit log was exported', 'tenants and bounds'),
  'audit.cut': command('Old entries were deleted', 'last deleted position, its hash, number of entries'),
} as const satisfies Readonly<Record<string, Described>>;

export type AuditEvent = keyof typeof AUDIT_EVENTS;

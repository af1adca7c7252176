/**
 * Who may do what with a document, a folder, a vector store, a file, a batch, a chat, a conversation or a response. The
 * same six lines are in docs/guide/colleagues.md and docs/operate/security.md; `Who` is their first column.
 */
export const TABLE = {
  'the owner': { reads: 200, changes: 200, manages: 200 },
  'an admin on the lists': { reads: 200, changes: 200, manages: 200 },
  'a writer on the lists': { reads: 200, changes: 200, manages: 403 },
  'a reader on the lists, or everyone if there are neither lists nor an owner': {
    reads: 200,
    changes: 403,
    manages: 403,
  },
  'an application or an administrator without a person': { reads: 200, changes: 200, manages: 200 },
  'anybody else': { reads: 404, changes: 404, manages: 404 },
} as const;

export type Line = keyof typeof TABLE;
export type Right = keyof (typeof TABLE)[Line];

const OWNER = 'the owner';
const ADMIN = 'an admin on the lists';
const WRITER = 'a writer on the lists';
const READER = 'a reader on the lists, or everyone if there are neither lists nor an owner';
const APPLICATION = 'an application or an administrator without a person';
const NOBODY = 'anybody else';

/** Every kind of caller, with its line for a thing of a person that has lists. */
export const CALLERS = {
  'its person': OWNER,
  'an admin of it': ADMIN,
  'a writer of it': WRITER,
  'a reader of it': READER,
  'a member of a group that reads it': READER,
  'an administrator without a person': APPLICATION,
  'an application': APPLICATION,
  'an application for its person': OWNER,
  'an application for the group that reads it': READER,
  'an application for a stranger': NOBODY,
  'a stranger in the tenant': NOBODY,
  'an invited administrator': NOBODY,
  'a token of its person, bound to its folder': OWNER,
  'a token of its person, bound to another folder': NOBODY,
  'a token of its person, bound by a filter': NOBODY,
  'a token of an application': NOBODY,
  'a token of its person with all scopes': OWNER,
  'a token of its person with all scopes, bound to another folder': NOBODY,
  'another tenant': NOBODY,
} as const satisfies Readonly<Record<string, Line>>;

export type Caller = keyof typeof CALLERS;

/** The kinds of owned things. Those of administrators have no owner: the permission `admin` decides. */
export type Kind =
  | 'document'
  | 'folder'
  | 'store'
  | 'file'
  | 'batch'
  | 'chat'
  | 'conversation'
  | 'response'
  | 'feedback'
  | 'key'
  | 'group'
  | 'usage';

/** Whose a thing is: a person's, with lists where its kind has lists; or nobody's in particular. */
export type Whose = 'of a person' | 'of the tenant';

type Lines = Partial<Record<Caller, Line>>;

const LISTLESS: Lines = {
  'an admin of it': NOBODY,
  'a writer of it': NOBODY,
  'a reader of it': NOBODY,
  'a member of a group that reads it': NOBODY,
  'an application for the group that reads it': NOBODY,
};
/** Everyone reads what belongs to the tenant, and administrators change it. */
const OF_THE_TENANT: Lines = {
  ...Object.fromEntries(Object.keys(CALLERS).map((caller) => [caller, READER])),
  'an administrator without a person': APPLICATION,
  'an application': APPLICATION,
  'an invited administrator': ADMIN,
  'a token of its person, bound to another folder': NOBODY,
  'a token of its person, bound by a filter': NOBODY,
  'a token of its person with all scopes, bound to another folder': NOBODY,
  'another tenant': NOBODY,
};
/** An application reaches talk of its own, and talk of the person that it names. */
const TALK: Lines = {
  ...LISTLESS,
  'an application': NOBODY,
  // Talk that was begun without a bound is not continued within one.
  'a token of its person, bound to its folder': NOBODY,
};
/** OpenAI's protocol reaches talk of a person only by the person's name. */
const NAMED_TALK: Lines = { ...TALK, 'an administrator without a person': NOBODY };
/** Talk of a key without a person: the key's own, and administrators'. */
const TALK_OF_A_KEY: Lines = {
  ...Object.fromEntries(Object.keys(CALLERS).map((caller) => [caller, NOBODY])),
  'an application': OWNER,
  'an application for the group that reads it': OWNER,
  'an administrator without a person': APPLICATION,
};
/** What administrators keep for the tenant: one without the permission gets a 403 whatever the thing is. */
const ADMINISTERED: Lines = {
  'an administrator without a person': APPLICATION,
  'an invited administrator': APPLICATION,
  'another tenant': NOBODY,
};

/** Where a caller has another line than in `CALLERS`. */
const OTHERWISE: Readonly<Record<Kind, Readonly<Record<Whose, Lines>>>> = {
  document: { 'of a person': {}, 'of the tenant': OF_THE_TENANT },
  folder: { 'of a person': {}, 'of the tenant': OF_THE_TENANT },
  store: { 'of a person': {}, 'of the tenant': OF_THE_TENANT },
  file: { 'of a person': LISTLESS, 'of the tenant': OF_THE_TENANT },
  batch: { 'of a person': LISTLESS, 'of the tenant': OF_THE_TENANT },
  chat: { 'of a person': TALK, 'of the tenant': TALK_OF_A_KEY },
  conversation: { 'of a person': NAMED_TALK, 'of the tenant': TALK_OF_A_KEY },
  response: { 'of a person': NAMED_TALK, 'of the tenant': TALK_OF_A_KEY },
  feedback: { 'of a person': TALK, 'of the tenant': TALK_OF_A_KEY },
  key: { 'of a person': ADMINISTERED, 'of the tenant': ADMINISTERED },
  group: { 'of a person': ADMINISTERED, 'of the tenant': ADMINISTERED },
  usage: { 'of a person': ADMINISTERED, 'of the tenant': ADMINISTERED },
};

export function lineOf(caller: Caller, kind: Kind, whose: Whose): Line {
  return OTHERWISE[kind][whose][caller] ?? CALLERS[caller];
}

/**
 * The status for a caller who puts something into a folder or store. Where there are lists, writers and admins on them do;
 * where there are none, everyone who may read does. A hidden folder is none: a caller who names its path adds to a folder
 * of the caller's own.
 */
export function addingTo(kind: Kind, whose: Whose, line: Line): number {
  const { reads, changes } = TABLE[line];
  if (reads === 404) return kind === 'folder' ? 200 : reads;
  return whose === 'of the tenant' ? reads : changes;
}

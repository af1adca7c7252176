import fc from 'fast-check';

export const PEOPLE = ['ann', 'bob', 'cleo'] as const;
export const GROUPS = ['red', 'blue'] as const;
export const FOLDERS = ['/a', '/a/b', '/c'] as const;
/** Values of the metadata key `kind`. */
const KINDS = ['odd', 'even'] as const;
const WORDS = ['lamp', 'dusk', 'keeper', 'boat', 'tide', 'harbour', 'gull', 'rope'] as const;
const PRINCIPALS = [...PEOPLE.map((id) => `user:${id}`), ...GROUPS.map((id) => `group:${id}`), 'everyone'];

export type Lists = Readonly<Record<'readers' | 'writers' | 'admins', readonly string[]>>;

const principals = fc.subarray(PRINCIPALS, { maxLength: 3 });
const lists: fc.Arbitrary<Lists> = fc.record({
  readers: principals,
  writers: principals,
  admins: principals,
});

/** A change of who reads what. */
export const changes = fc.oneof(
  fc.record({ kind: fc.constant('document' as const), at: fc.nat(7), lists: fc.option(lists) }),
  fc.record({
    kind: fc.constant('owner' as const),
    at: fc.nat(7),
    owner: fc.option(fc.constantFrom(...PEOPLE)),
  }),
  fc.record({
    kind: fc.constant('folder' as const),
    folder: fc.constantFrom(...FOLDERS),
    lists: fc.option(lists),
  }),
  fc.record({ kind: fc.constant('move' as const), at: fc.nat(7), folder: fc.constantFrom(...FOLDERS) }),
  fc.record({
    kind: fc.constant('group' as const),
    group: fc.constantFrom(...GROUPS),
    person: fc.constantFrom(...PEOPLE),
    joins: fc.boolean(),
  }),
);
export type Change = typeof changes extends fc.Arbitrary<infer T> ? T : never;

/** The words of the eight documents of a tenant. */
export const texts = fc.array(
  fc.array(fc.constantFrom(...WORDS), { minLength: 2, maxLength: 8 }).map((words) => words.join(' ')),
  { minLength: 8, maxLength: 8 },
);

export interface Modelled {
  readonly name: string;
  readonly text: string;
  readonly kind: (typeof KINDS)[number];
  owner: string | null;
  folder: string;
  lists: Lists | null;
}

/** The rule of who reads what, written down a second time, without SQL. */
export class Model {
  readonly documents: readonly Modelled[];
  readonly folders = new Map<string, Lists | null>(FOLDERS.map((path) => [path, null]));
  readonly members = new Map<string, Set<string>>(GROUPS.map((id) => [id, new Set()]));

  constructor(contents: readonly string[]) {
    this.documents = contents.map((text, at) => ({
      name: `lamp-${at}.txt`,
      text: `Lamp number ${at}: ${text}.`,
      kind: KINDS[at % 2] ?? 'odd',
      owner: [null, null, ...PEOPLE][at % 5] ?? null,
      folder: FOLDERS[at % FOLDERS.length] ?? '/a',
      lists: null,
    }));
  }

  inherited(folder: string): Lists | null {
    const own = this.folders.get(folder) ?? null;
    if (own !== null || !folder.slice(1).includes('/')) return own;
    return this.inherited(folder.slice(0, folder.lastIndexOf('/')));
  }

  apply(change: Change): void {
    const nobody = { readers: [], writers: [], admins: [] };
    if (change.kind === 'group') {
      const group = this.members.get(change.group);
      if (change.joins) group?.add(change.person);
      else group?.delete(change.person);
      return;
    }
    if (change.kind === 'folder') {
      const before = this.documents.map(({ folder }) => this.inherited(folder));
      this.folders.set(change.folder, change.lists);
      for (const [at, document] of this.documents.entries()) {
        const now = this.inherited(document.folder);
        const wasPrivate = document.owner !== null && document.lists === null && before[at] === null;
        if (wasPrivate && now !== null) document.lists = nobody;
      }
      return;
    }
    const document = this.documents[change.at];
    if (document === undefined) return;
    if (change.kind === 'document') document.lists = change.lists;
    if (change.kind === 'move') document.folder = change.folder;
    if (change.kind === 'owner' && change.owner !== document.owner) {
      const above = this.inherited(document.folder);
      const effective = document.lists ?? above;
      if (effective !== null) {
        document.lists =
          change.owner === null
            ? { ...effective, readers: [...effective.readers, 'everyone'] }
            : above === null
              ? null
              : nobody;
      }
      document.owner = change.owner;
    }
  }

  /** The documents that a person may read, by number. */
  readable(person: string): number[] {
    return this.documents.flatMap(({ owner, folder, lists: given }, at) => {
      const effective = given ?? this.inherited(folder);
      if (effective === null) return owner === null || owner === person ? [at] : [];
      return owner === person || this.isOn(effective, person) ? [at] : [];
    });
  }

  /**
   * The folders that a person may read and that hold no document for the person: those whose lists name the person, and
   * those without lists in which there is no document at all.
   */
  readableEmpty(person: string): string[] {
    return FOLDERS.filter((path) => {
      const effective = this.inherited(path);
      if (effective !== null) return this.isOn(effective, person);
      return !this.documents.some(({ folder }) => folder === path || folder.startsWith(`${path}/`));
    });
  }

  private isOn({ readers, writers, admins }: Lists, person: string): boolean {
    const groups = [...this.members].filter(([, people]) => people.has(person)).map(([id]) => `group:${id}`);
    const own = [`user:${person}`, ...groups, 'everyone'];
    return [...readers, ...writers, ...admins].some((one) => own.includes(one));
  }
}

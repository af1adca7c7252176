/** A change of a document that a client asked for, with its moments in ms. */
export interface Write {
  readonly kind: 'text' | 'file' | 'metadata';
  readonly strategy: 'add' | 'replace';
  /** What it brings; null: a change of metadata alone, or a file that cannot be read. */
  readonly content: string | null;
  /** The name that it gives the document, which no other write gives; null: a change of metadata alone. */
  readonly filename: string | null;
  readonly metadata: Readonly<Record<string, number>>;
  readonly sentAt: number;
  /** When the answer came, or the service died. */
  readonly answeredAt: number;
  /** 200: confirmed. null: nobody knows, for the service died. Any other: refused, so nothing has changed. */
  readonly status: number | null;
  /** That the answer told; null: it is made later, or nobody heard. */
  readonly version: number | null;
}

/** What one request saw of a document. */
export interface Read {
  readonly how: string;
  /** The whole text; null: the document was not there; undefined: the answer does not say. */
  readonly text?: string | null;
  readonly version?: number;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly sentAt: number;
  readonly answeredAt: number;
}

/** An entry of `system_metadata.update_history`. */
export interface Entry {
  readonly version: number;
  readonly strategy: string;
  readonly filename?: string;
}

interface Version {
  readonly text: string;
  /** undefined: the first one, or one whose write nobody can tell from others. */
  readonly write: Write | undefined;
}

/** Everything that was done to one document, as its clients recorded it. */
export class VersionHistory {
  readonly reads: Read[] = [];
  /** Handed out while any version may have become another. */
  readonly files: { readonly content: string; readonly answeredAt: number }[] = [];
  readonly writes: Write[] = [];
  private entries: readonly Entry[] = [];
  private deletedAt: { readonly sentAt: number; readonly answeredAt: number } | null = null;

  constructor(
    readonly id: string,
    private readonly first: string,
  ) {}

  /** The history that an answer told: the longest is the last one. */
  told(entries: readonly Entry[]): void {
    if (entries.length > this.entries.length) this.entries = entries;
  }

  deleted(sentAt: number, answeredAt: number): void {
    this.deletedAt = { sentAt, answeredAt };
  }

  get isDeleted(): boolean {
    return this.deletedAt !== null;
  }

  /** What is not as it was confirmed, in words. */
  violations(): string[] {
    const versions = this.versions();
    const wrong = [
      ...misordered(textWritesOf(versions)),
      ...this.lost(versions),
      ...this.misread(versions),
      ...this.misfiled(versions),
    ];
    return wrong.map((what) => `${this.id}: ${what}`);
  }

  /** Everything in the order in which it began, for whoever looks for the cause of a violation. */
  toString(): string {
    const { deletedAt, entries, files, first, id, reads, writes } = this;
    const lines = [
      ...writes.map(({ sentAt, answeredAt, status, ...write }) => ({
        sentAt,
        answeredAt,
        what: `${nameOf(write)}: ${status ?? 'unheard'}${write.version === null ? '' : `, version ${write.version}`}`,
      })),
      ...reads.map(({ sentAt, answeredAt, how, text, version }) => ({
        sentAt,
        answeredAt,
        what: `${how} saw ${[version ?? [], text === undefined ? [] : briefly(text)].flat().join(': ')}`,
      })),
      ...files.map(({ content, ...at }) => ({
        sentAt: at.answeredAt,
        ...at,
        what: `a file: ${briefly(content)}`,
      })),
      ...(deletedAt === null ? [] : [{ ...deletedAt, what: 'deleted' }]),
    ];
    return [
      `${id} began with ${briefly(first)}`,
      ...lines
        .toSorted((a, b) => a.sentAt - b.sentAt)
        .map(({ sentAt, answeredAt, what }) => `${sentAt.toFixed()}-${answeredAt.toFixed()} ms: ${what}`),
      ...entries.map(
        ({ version, strategy, filename }) => `version ${version}: ${strategy} ${filename ?? ''}`,
      ),
    ].join('\n  ');
  }

  /** By the history of the document: number one first. */
  private versions(): Version[] {
    let { first: text } = this;
    return [
      { text, write: undefined },
      ...this.entries.map(({ version, strategy, filename }): Version => {
        const write = this.writes.find((one) =>
          strategy === 'metadata' ? one.version === version : one.filename === filename,
        );
        text = write === undefined ? text : applied(text, write);
        return { text, write };
      }),
    ];
  }

  /** Writes that were confirmed and are in no version, or in another than was said; those that were refused and are in one. */
  private lost(versions: readonly Version[]): string[] {
    const gaps = this.entries.some(({ version }, index) => version !== index + 2)
      ? ['versions are missing']
      : [];
    const lost = this.writes.filter((write) => {
      const index = versions.findIndex((version) => version.write === write);
      if (isRefused(write) || (write.kind === 'file' && write.content === null)) return index !== -1;
      if (write.status === null) return false;
      // A file of a document that was deleted may never have been read.
      if (index === -1) return !(this.isDeleted && write.kind === 'file');
      return write.version !== null && write.version !== index + 1;
    });
    return [...gaps, ...lost.map((write) => `${nameOf(write)} is not where its answer says`)];
  }

  /** Reads that saw what was current at no moment between their request and their answer, or older than one before. */
  private misread(versions: readonly Version[]): string[] {
    const seen: { readonly answeredAt: number; readonly index: number }[] = [];
    return this.reads
      .toSorted((a, b) => a.answeredAt - b.answeredAt)
      .flatMap((read) => {
        if (read.text === null) return this.couldBeGone(read) ? [] : [`${read.how} saw nothing`];
        if (this.deletedAt !== null && read.sentAt > this.deletedAt.answeredAt)
          return [`${read.how} saw the dead`];
        const index = this.seenBy(read, versions, seen);
        if (index === undefined) return [`${read.how} saw ${read.text ?? `version ${read.version}`}`];
        seen.push({ answeredAt: read.answeredAt, index });
        return this.metadataSeen(read, versions);
      });
  }

  private couldBeGone({ answeredAt }: Read): boolean {
    return this.deletedAt !== null && this.deletedAt.sentAt <= answeredAt;
  }

  /** The least version that a read may have seen. */
  private seenBy(
    read: Read,
    versions: readonly Version[],
    seen: readonly { readonly answeredAt: number; readonly index: number }[],
  ): number | undefined {
    const least = Math.max(
      0,
      ...this.writes
        .filter((write) => write.version !== null && isConfirmedBefore(write, read))
        .map(({ version }) => (version ?? 1) - 1),
      ...seen.filter(({ answeredAt }) => answeredAt < read.sentAt).map(({ index }) => index),
    );
    const index = versions.findIndex(
      ({ text, write }, at) =>
        at >= least &&
        (read.text === undefined || read.text === text) &&
        (read.version === undefined || read.version === at + 1) &&
        (write === undefined || write.sentAt <= read.answeredAt),
    );
    if (index !== -1) return index;
    // Of a document that was deleted nobody was told the last versions.
    const isUntold =
      this.isDeleted &&
      (read.version === undefined || read.version > versions.length) &&
      (read.text === undefined || this.mayBeLater(read.text ?? '', versions, read.answeredAt));
    return isUntold ? versions.length - 1 : undefined;
  }

  /**
   * Whether a document that was deleted may have had a text by a moment, after the last version that anybody was told of:
   * that one or a replacement, and what was added to it, in an order that was not confirmed otherwise.
   */
  private mayBeLater(text: string, versions: readonly Version[], moment: number): boolean {
    const told = textWritesOf(versions);
    const untold = this.writes.filter(
      (write) => write.content !== null && !isRefused(write) && !told.includes(write),
    );
    const later: Write[] = [];
    for (let rest = text; rest !== versions.at(-1)?.text;) {
      const write = untold.find(
        (one) =>
          !later.includes(one) &&
          (one.strategy === 'replace' ? rest === one.content : rest.endsWith(`\n\n${one.content}`)),
      );
      if (write === undefined) return false;
      later.unshift(write);
      if (write.strategy === 'replace') break;
      rest = rest.slice(0, -`\n\n${write.content}`.length);
    }
    const all = [...told, ...later];
    return all.every(({ sentAt }) => sentAt <= moment) && misordered(all).length === 0;
  }

  /** Files that held neither a text nor what one write brought. */
  private misfiled(versions: readonly Version[]): string[] {
    const contents = new Set([this.first, ...versions.map(({ text }) => text)]);
    for (const write of this.writes)
      if (!isRefused(write) && write.content !== null) contents.add(write.content);
    return this.files
      .filter(
        ({ content, answeredAt }) =>
          !contents.has(content) && !(this.isDeleted && this.mayBeLater(content, versions, answeredAt)),
      )
      .map(({ content }) => `a file held ${content}`);
  }

  /** Values of keys that are older than others that were confirmed, and visible, before they were set. */
  private metadataSeen({ how, metadata, version = 0, sentAt }: Read, versions: readonly Version[]): string[] {
    if (metadata === undefined) return [];
    const visible = (write: Write): boolean =>
      (write.version !== null && isConfirmedBefore(write, { sentAt })) ||
      versions.slice(0, version).some((one) => one.write === write);
    const keys = new Set(this.writes.flatMap((write) => Object.keys(write.metadata)));
    return [...keys].flatMap((key) => {
      const setters = this.writes.filter((write) => write.metadata[key] !== undefined);
      const setter = setters.find((write) => write.metadata[key] === metadata[key]);
      const newer = setters.find(
        (write) => visible(write) && (setter === undefined || isConfirmedBefore(setter, write)),
      );
      return newer === undefined ? [] : [`${how} saw ${key} of before ${nameOf(newer)}`];
    });
  }
}

function applied(text: string, { strategy, content }: Write): string {
  if (content === null) return text;
  return strategy === 'add' ? `${text}\n\n${content}` : content;
}

/** What gave a document its texts, as it took effect. */
function textWritesOf(versions: readonly Version[]): Write[] {
  return versions.flatMap(({ write }) => (write === undefined || write.kind === 'metadata' ? [] : [write]));
}

function isRefused({ status }: Write): boolean {
  return status !== null && status !== 200;
}

function isConfirmedBefore({ status, answeredAt }: Write, { sentAt }: Pick<Write, 'sentAt'>): boolean {
  return status === 200 && answeredAt < sentAt;
}

/** Writes that took effect before others that had been confirmed when they were sent. @param writes as they took effect */
function misordered(writes: readonly Write[]): string[] {
  return writes.flatMap((write, index) =>
    writes
      .slice(index + 1)
      .filter((later) => isConfirmedBefore(later, write))
      .map(
        (later) => `${nameOf(write)} stands before ${nameOf(later)}, which was confirmed before it was sent`,
      ),
  );
}

/** The first words of each part that was added. */
function briefly(text: string | null): string {
  return text === null
    ? 'nothing'
    : text
        .split('\n\n')
        .map((part) => part.slice(0, 12))
        .join(' + ');
}

function nameOf({
  kind,
  strategy,
  filename,
  version,
  metadata,
}: Omit<Write, 'sentAt' | 'answeredAt' | 'status'>): string {
  return `${kind} ${strategy} ${filename ?? version ?? JSON.stringify(metadata)}`;
}

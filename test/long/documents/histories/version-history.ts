/** A change of a document that a client requested, with times in ms. */
export interface Write {
  readonly kind: 'text' | 'file' | 'metadata';
  readonly strategy: 'add' | 'replace';
  /** Its text; null: a change of metadata only, or a file that cannot be parsed. */
  readonly content: string | null;
  /** The file name it sets, unique to this write; null: a change of metadata only. */
  readonly filename: string | null;
  readonly metadata: Readonly<Record<string, number>>;
  readonly sentAt: number;
  /** Time of the response, or of the service's death. */
  readonly answeredAt: number;
  /** 200: confirmed. null: unknown, because the service died. Any other: rejected, without effect. */
  readonly status: number | null;
  /** Version in the response; null: it is created later, or no response arrived. */
  readonly version: number | null;
}

/** The state of a document that one request read. */
export interface Read {
  readonly how: string;
  /** The whole text; null: the document did not exist; undefined: not part of the response. */
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
  /** undefined: the first version, or one whose write cannot be identified. */
  readonly write: Write | undefined;
}

/** All operations on one document, as its clients recorded them. */
export class VersionHistory {
  readonly reads: Read[] = [];
  /** Files downloaded while any version may have been current. */
  readonly files: { readonly content: string; readonly answeredAt: number }[] = [];
  readonly writes: Write[] = [];
  private entries: readonly Entry[] = [];
  private deletedAt: { readonly sentAt: number; readonly answeredAt: number } | null = null;

  constructor(
    readonly id: string,
    private readonly first: string,
  ) {}

  /** Records the history in a response: the longest one is the latest. */
  told(entries: readonly Entry[]): void {
    if (entries.length > this.entries.length) this.entries = entries;
  }

  deleted(sentAt: number, answeredAt: number): void {
    this.deletedAt = { sentAt, answeredAt };
  }

  get isDeleted(): boolean {
    return this.deletedAt !== null;
  }

  /** Describes every deviation from confirmed state. */
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

  /** Prints all events in the order in which they began, to find the cause of a violation. */
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

  /** Reconstructs the versions from the history of the document, number one first. */
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

  /** Finds confirmed writes without a version or under another number, and rejected writes with a version. */
  private lost(versions: readonly Version[]): string[] {
    const gaps = this.entries.some(({ version }, index) => version !== index + 2)
      ? ['versions are missing']
      : [];
    const lost = this.writes.filter((write) => {
      const index = versions.findIndex((version) => version.write === write);
      if (isRefused(write) || (write.kind === 'file' && write.content === null)) return index !== -1;
      if (write.status === null) return false;
      // A file of a deleted document may never have been parsed.
      if (index === -1) return !(this.isDeleted && write.kind === 'file');
      return write.version !== null && write.version !== index + 1;
    });
    return [...gaps, ...lost.map((write) => `${nameOf(write)} is not where its answer says`)];
  }

  /** Finds reads of a version that was current at no moment of the request, or older than an earlier read. */
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

  /** Returns the earliest version that a read may have seen. */
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
    // The last versions of a deleted document are unknown to clients.
    const isUntold =
      this.isDeleted &&
      (read.version === undefined || read.version > versions.length) &&
      (read.text === undefined || this.mayBeLater(read.text ?? '', versions, read.answeredAt));
    return isUntold ? versions.length - 1 : undefined;
  }

  /**
   * Returns whether a deleted document may have had a text at a moment, after its last known version: that
   * version or a replacement, plus appended texts, in any order consistent with the confirmations.
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

  /** Finds downloaded files that were neither a text of the document nor the content of a write. */
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

  /** Finds values of keys older than others that were confirmed, and visible, before they were set. */
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

/** Returns the writes of the texts, in the order in which they took effect. */
function textWritesOf(versions: readonly Version[]): Write[] {
  return versions.flatMap(({ write }) => (write === undefined || write.kind === 'metadata' ? [] : [write]));
}

function isRefused({ status }: Write): boolean {
  return status !== null && status !== 200;
}

function isConfirmedBefore({ status, answeredAt }: Write, { sentAt }: Pick<Write, 'sentAt'>): boolean {
  return status === 200 && answeredAt < sentAt;
}

/**
 * Finds writes that took effect before others that had been confirmed when they were sent. @param writes in
 * the order in which they took effect
 */
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

/** Returns the first words of each appended part. */
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

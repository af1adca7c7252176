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
  /** null: nobody heard of it, for the service died, or it was refused. */
  readonly answeredAt: number | null;
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

/** Unresolved writes that are tried in every order; two clients have no more under way. */
const MAX_UNRESOLVED = 4;

/** Everything that was done to one document, as its clients recorded it. */
export class VersionHistory {
  readonly reads: Read[] = [];
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
    const wrong = [...this.misordered(versions), ...this.lost(versions), ...this.misread(versions)];
    return wrong.map((what) => `${this.id}: ${what}`);
  }

  /** What a file that was handed out may hold: a text, or what one write brought. */
  knows(content: string): boolean {
    const brought = this.writes.map((write) => write.content);
    const texts = this.versions().map(({ text }) => text);
    return [this.first, ...brought, ...texts, ...this.textsAfter(texts.at(-1) ?? '')].includes(content);
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

  /** Writes that took effect before others that had been confirmed when they were sent. */
  private misordered(versions: readonly Version[]): string[] {
    const texts = versions.flatMap(({ write }) =>
      write === undefined || write.kind === 'metadata' ? [] : [write],
    );
    return texts.flatMap((write, index) =>
      texts
        .slice(index + 1)
        .filter(({ answeredAt }) => answeredAt !== null && answeredAt < write.sentAt)
        .map(
          (later) =>
            `${nameOf(write)} stands before ${nameOf(later)}, which was confirmed before it was sent`,
        ),
    );
  }

  /** Writes that were confirmed and are in no version, or in another than was said. */
  private lost(versions: readonly Version[]): string[] {
    const gaps = this.entries.some(({ version }, index) => version !== index + 2)
      ? ['versions are missing']
      : [];
    const lost = this.writes.filter((write) => {
      const index = versions.findIndex((version) => version.write === write);
      if (write.kind === 'file' && write.content === null) return index !== -1;
      if (write.answeredAt === null) return false;
      // A file of a document that was deleted may never have been read.
      if (index === -1) return !(this.isDeleted && write.kind === 'file');
      return write.version !== null && write.version !== index + 1;
    });
    return [...gaps, ...lost.map((write) => `${nameOf(write)} is not where it was confirmed`)];
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
        .filter(({ version, answeredAt }) => version !== null && (answeredAt ?? Infinity) < read.sentAt)
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
    const last = versions.at(-1)?.text ?? '';
    const isLater =
      this.isDeleted && (read.text === undefined || this.textsAfter(last).includes(read.text ?? ''));
    return isLater ? versions.length - 1 : undefined;
  }

  /** Texts that writes make, of which nobody was told whether they took effect. */
  private textsAfter(text: string): string[] {
    const known = new Set(this.entries.map(({ filename }) => filename));
    const unresolved = this.writes.filter(
      ({ content, filename }) => content !== null && filename !== null && !known.has(filename),
    );
    return textsOf(text, unresolved.slice(-MAX_UNRESOLVED));
  }

  /** Values of keys that are older than others that were confirmed, and visible, before they were set. */
  private metadataSeen({ how, metadata, version = 0, sentAt }: Read, versions: readonly Version[]): string[] {
    if (metadata === undefined) return [];
    const visible = (write: Write): boolean =>
      (write.version !== null && write.answeredAt !== null && write.answeredAt < sentAt) ||
      versions.slice(0, version).some((one) => one.write === write);
    const keys = new Set(this.writes.flatMap((write) => Object.keys(write.metadata)));
    return [...keys].flatMap((key) => {
      const setters = this.writes.filter((write) => write.metadata[key] !== undefined);
      const setter = setters.find((write) => write.metadata[key] === metadata[key]);
      const newer = setters.find(
        (write) => visible(write) && (setter === undefined || (setter.answeredAt ?? Infinity) < write.sentAt),
      );
      return newer === undefined ? [] : [`${how} saw ${key} of before ${nameOf(newer)}`];
    });
  }
}

function applied(text: string, { strategy, content }: Write): string {
  if (content === null) return text;
  return strategy === 'add' ? `${text}\n\n${content}` : content;
}

function textsOf(text: string, writes: readonly Write[]): string[] {
  return writes.flatMap((write, index) => {
    const next = applied(text, write);
    return [next, ...textsOf(next, writes.toSpliced(index, 1))];
  });
}

function nameOf({ kind, strategy, filename, version, metadata }: Write): string {
  return `${kind} ${strategy} ${filename ?? version ?? JSON.stringify(metadata)}`;
}

/** An update that was answered: the version that it made, and when it was sent and answered (ms). */
export interface Write {
  readonly version: number;
  readonly strategy: 'add' | 'replace';
  readonly content: string;
  readonly sentAt: number;
  readonly answeredAt: number;
}

/** What one request saw of a document: its whole text, or null when the document was not there. */
export interface Read {
  readonly how: string;
  readonly text: string | null;
  /** What the answer said of it; null when it said nothing. */
  readonly version: number | null;
  readonly sentAt: number;
  readonly answeredAt: number;
}

/** Everything that was done to one document, as its clients recorded it. */
export class VersionHistory {
  readonly reads: Read[] = [];
  private readonly writes: Write[] = [];
  private deletedAt: { readonly sentAt: number; readonly answeredAt: number } | null = null;

  /** @param completedAt when it was first seen completed */
  constructor(
    readonly id: string,
    first: string,
    sentAt: number,
    completedAt: number,
  ) {
    this.writes.push({ version: 1, strategy: 'replace', content: first, sentAt, answeredAt: completedAt });
  }

  wrote(write: Write): void {
    this.writes.push(write);
  }

  deleted(sentAt: number, answeredAt: number): void {
    this.deletedAt = { sentAt, answeredAt };
  }

  /** Reads that saw what was current at no moment between their request and their answer, in words. */
  violations(): string[] {
    const writes = this.writes.toSorted((a, b) => a.version - b.version);
    const gaps = writes.filter(({ version }, index) => version !== index + 1);
    if (gaps.length > 0) return [`${this.id}: versions ${writes.map(({ version }) => version).join(' ')}`];
    let text = '';
    const versions = writes.map((write, index) => {
      text = write.strategy === 'add' ? `${text}\n\n${write.content}` : write.content;
      return {
        text,
        from: write.sentAt,
        until: writes[index + 1]?.answeredAt ?? this.deletedAt?.answeredAt ?? Infinity,
      };
    });
    return this.reads
      .filter((read) => {
        const { sentAt, answeredAt } = read;
        if (read.text === null) {
          const begunBefore = sentAt < (writes[0]?.answeredAt ?? Infinity);
          return !begunBefore && !(this.deletedAt !== null && this.deletedAt.sentAt <= answeredAt);
        }
        return !versions.some(
          (version, index) =>
            version.text === read.text &&
            (read.version === null || read.version === index + 1) &&
            version.from <= answeredAt &&
            version.until >= sentAt,
        );
      })
      .map((read) => {
        const version = versions.findIndex((one) => one.text === read.text) + 1;
        const saw =
          read.text === null ? 'nothing' : version === 0 ? `a mix: ${read.text}` : `version ${version}`;
        return `${this.id}: ${read.how} saw ${saw}`;
      });
  }
}

/**
 * Gathers text into Markdown blocks: white space is collapsed, blocks are kept apart by a blank line (items of a list
 * by a line end), and every line carries the prefix of the lists and quotations it stands in.
 */
export class MarkdownWriter {
  private readonly blocks: string[] = [];
  private line = '';
  /** Prefixes of the next line and of those after it. */
  private first = '';
  private rest = '';
  private tight = 0;
  private separator = '';

  text(text: string): void {
    const collapsed = text.replace(/[ \t\n\f\r]+/g, ' ');
    this.line += this.line === '' || /[ \n]$/.test(this.line) ? collapsed.trimStart() : collapsed;
  }

  lineEnd(): void {
    if (this.line !== '') this.line = `${this.line.trimEnd()}\n`;
  }

  block(write: () => void): void {
    this.flush();
    write();
    this.flush();
  }

  /** Text whose white space counts. */
  verbatim(text: string): void {
    this.flush();
    if (text !== '') this.push(text);
  }

  /** Blocks written inside stand under `marker`, their further lines under `indent`. */
  indented(marker: string, indent: string, write: () => void): void {
    this.flush();
    const { first, rest } = this;
    this.first = first + marker;
    this.rest = rest + indent;
    write();
    this.flush();
    const unused = this.first === first + marker;
    this.rest = rest;
    this.first = unused ? first : rest;
  }

  /** A list: its items, and lists inside it, follow one another without blank lines. */
  list(write: () => void): void {
    this.flush();
    this.tight += 1;
    write();
    this.flush();
    this.tight -= 1;
    if (this.tight === 0 && this.blocks.length > 0) this.separator = '\n\n';
  }

  toString(): string {
    this.flush();
    return this.blocks.join('');
  }

  private flush(): void {
    const line = this.line.trim();
    this.line = '';
    if (line !== '') this.push(line);
  }

  private push(block: string): void {
    const [head = '', ...others] = block.split('\n');
    const lines = [this.first + head, ...others.map((line) => this.rest + line)];
    this.blocks.push(this.separator + lines.map((line) => line.trimEnd()).join('\n'));
    this.first = this.rest;
    this.separator = this.tight > 0 ? '\n' : '\n\n';
  }
}

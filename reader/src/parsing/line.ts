import { lowered, raised } from './notation.js';

/** Superscript (1), baseline (0) or subscript (-1). */
export type Position = -1 | 0 | 1;

/** Collects the text of a paragraph. Adjacent superscripts are joined: `2` and `1` become `^21`. */
export class Line {
  private readonly parts: string[] = [];
  private open = '';
  private position: Position = 0;

  add(text: string, position: Position = 0): void {
    if (text === '') return;
    if (position !== this.position) this.flush();
    this.position = position;
    this.open += text;
  }

  toString(): string {
    this.flush();
    return this.parts.join('');
  }

  private flush(): void {
    const { open, position } = this;
    this.open = '';
    if (open !== '') this.parts.push(position === 0 ? open : position > 0 ? raised(open) : lowered(open));
  }
}

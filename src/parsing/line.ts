import { lowered, raised } from './notation.js';

/** Above (1), on (0) or below (-1) the line. */
export type Position = -1 | 0 | 1;

/** Gathers the text of a paragraph. Neighbouring texts above the line are one: `2` and `1` are `^21`. */
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

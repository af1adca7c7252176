import { RunText, type RunPosition } from '../notation.js';

/** Reads the runs of a workbook string (ECMA-376 part 1, section 18.4), without phonetic text. */
export class RichTextReader {
  private runs = new RunText();
  private position: RunPosition = 'on the line';
  private inText = false;
  private inPhonetic = false;

  begin(): void {
    this.runs = new RunText();
    this.position = 'on the line';
    this.inText = this.inPhonetic = false;
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    this.inText = name === 't';
    if (name === 'r') this.position = 'on the line';
    else if (name === 'rPh') this.inPhonetic = true;
    else if (name === 'vertAlign') this.position = positionOf(attributes['val']);
  }

  text(content: string): void {
    if (this.inText && !this.inPhonetic) this.runs.add(content, this.position);
  }

  close(name: string): void {
    this.inText = false;
    if (name === 'rPh') this.inPhonetic = false;
  }

  toString(): string {
    return this.runs.toString();
  }
}

function positionOf(alignment = ''): RunPosition {
  if (alignment === 'superscript') return 'raised';
  return alignment === 'subscript' ? 'lowered' : 'on the line';
}

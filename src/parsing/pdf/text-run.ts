/** A run of glyphs, in PDF units (1/72 inch), y upwards. */
export interface TextRun {
  readonly str: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  /** Of the font. */
  readonly size: number;
}

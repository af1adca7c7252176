import { formatNumber } from '../number-format.js';
import { element, readChildren, type XmlElement } from '../xml/xml-tree.js';
import { attr, childNumber, childValue, numberOf } from './word-xml.js';

export interface Note {
  /** Label of the references to the note: `[2]`; empty if the note itself begins with its mark. */
  readonly label: string;
  readonly content: XmlElement;
}

class NotesOfKind {
  readonly referred: Note[] = [];
  private readonly contents = new Map<number, XmlElement>();
  private readonly labels = new Map<number, string>();
  private readonly format: string;
  private number: number;

  constructor(
    source: string | undefined,
    root: string,
    properties: XmlElement | undefined,
    usualFormat: string,
  ) {
    this.format = childValue(properties, 'numFmt') ?? usualFormat;
    this.number = childNumber(properties, 'numStart') ?? 1;
    if (source === undefined) return;
    readChildren(source, root, (note) => {
      const id = numberOf(attr(note, 'id'));
      if (id !== undefined) this.contents.set(id, note);
    });
  }

  refer(id: number | undefined, hasOwnMark: boolean): string {
    const known = id === undefined ? undefined : this.labels.get(id);
    if (known !== undefined) return known;
    const label = hasOwnMark ? '' : `[${formatNumber(this.number, this.format)}]`;
    if (!hasOwnMark) this.number += 1;
    const content = id === undefined ? undefined : this.contents.get(id);
    if (id !== undefined) this.labels.set(id, label);
    if (content !== undefined) this.referred.push({ label, content });
    return label;
  }
}

/** Footnotes and endnotes of a document, numbered continuously as Word does by default. */
export class Notes {
  private readonly footnotes: NotesOfKind;
  private readonly endnotes: NotesOfKind;

  constructor(footnotes: string | undefined, endnotes: string | undefined, settings: XmlElement | undefined) {
    this.footnotes = new NotesOfKind(footnotes, 'footnotes', element(settings, 'footnotePr'), 'decimal');
    this.endnotes = new NotesOfKind(endnotes, 'endnotes', element(settings, 'endnotePr'), 'lowerRoman');
  }

  refer(kind: 'footnote' | 'endnote', id: number | undefined, hasOwnMark: boolean): string {
    return (kind === 'footnote' ? this.footnotes : this.endnotes).refer(id, hasOwnMark);
  }

  get referred(): readonly Note[] {
    return [...this.footnotes.referred, ...this.endnotes.referred];
  }
}

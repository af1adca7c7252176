import {
  type Block,
  type BlockCell,
  blocksOfTable,
  collapsed,
  numberedBlock,
  numberedText,
  BULLET,
} from '../blocks.js';
import { writtenByPerson } from '../alternative-text.js';
import { linesOfOfficeMath } from '../math/omml.js';
import { PAGE_NUMBER } from '../page-numbers.js';
import { descendants, element, elements, textOf, type XmlElement } from '../xml/xml-tree.js';
import { Fields, isPageNumber } from './fields.js';
import { Line, type Position } from '../line.js';
import type { Notes } from './notes.js';
import type { Numbering } from './numbering.js';
import {
  effectiveFormat,
  headingLevel,
  numberingReference,
  type ParagraphStyle,
  runFormat,
  type Styles,
} from './styles.js';
import { symbolIn, withSymbols } from './symbols.js';
import {
  alternativeOf,
  attr,
  childNumber,
  childrenThrough,
  childSwitch,
  childValue,
  contentOf,
  isOn,
  numberOf,
  relationshipId,
} from './word-xml.js';

/** State shared by all parts of a document. */
export interface Surroundings {
  readonly styles: Styles;
  readonly numbering: Numbering;
  readonly notes: Notes;
}

/** Content from other parts: charts, diagrams, embedded files. */
export type ForeignContent = Map<string, readonly Block[]>;

/** Elements without document text: properties and deletions. */
const NO_TEXT = new Set([
  'pPr',
  'rPr',
  'sdtPr',
  'sdtEndPr',
  'del',
  'moveFrom',
  'delText',
  'tblPr',
  'tblGrid',
]);

/** Reads one part of a document: body, note, header or comment. */
export class Story {
  /** Sections in document order. */
  readonly sections: XmlElement[] = [];
  private fields: Fields;
  private line = new Line();
  /** Inline charts and files, each with the text before it. */
  private inPlace: { readonly text: string; readonly blocks: readonly Block[] }[] = [];
  /** Floating text boxes. */
  private floating: Block[] = [];
  private style: ParagraphStyle;
  /** Text of paragraphs whose paragraph marks were deleted. */
  private before = '';

  /** @param foreign content from other parts, by relationship id; the content of each id is shown once */
  constructor(
    private readonly shared: Surroundings,
    private readonly foreign: ForeignContent,
    private readonly isMargin = false,
  ) {
    this.fields = new Fields(isMargin);
    this.style = shared.styles.paragraph();
  }

  blocksIn(parent: XmlElement): Block[] {
    return elements(parent).flatMap((child) => this.blocksOf(child));
  }

  blocksOf(node: XmlElement): Block[] {
    switch (node.name) {
      case 'p':
        return this.paragraph(node);
      case 'tbl':
        return this.table(node);
      case 'sdt':
        return this.blocksIn(contentOf(node));
      case 'AlternateContent':
        return this.blocksIn(alternativeOf(node));
      case 'altChunk':
        return this.take(relationshipId(node));
      case 'oMathPara':
      case 'oMath':
        return [{ kind: 'paragraph', text: linesOfOfficeMath(node) }];
      case 'sectPr':
        this.sections.push(node);
        return [];
      default:
        return NO_TEXT.has(node.name) ? [] : this.blocksIn(node);
    }
  }

  private paragraph(paragraph: XmlElement): Block[] {
    const properties = element(paragraph, 'pPr');
    const { line, inPlace, floating, style } = this;
    Object.assign(this, { line: new Line(), inPlace: [], floating: [] });
    this.style = this.shared.styles.paragraph(childValue(properties, 'pStyle'));
    this.inlineIn(paragraph);
    this.fields.endParagraph();
    const section = element(properties, 'sectPr');
    if (section !== undefined) this.sections.push(section);
    const blocks = [...this.blocksOfParagraph(properties), ...this.floating];
    Object.assign(this, { line, inPlace, floating, style });
    return blocks;
  }

  private blocksOfParagraph(properties: XmlElement | undefined): Block[] {
    const rest = this.line.toString();
    const [first, ...others] = this.inPlace;
    if (first === undefined) return this.textBlocks(properties, rest);
    const blocks = [...this.textBlocks(properties, first.text), ...first.blocks];
    for (const { text, blocks: behind } of others) blocks.push(...plainText(text), ...behind);
    return [...blocks, ...plainText(rest)];
  }

  private textBlocks(properties: XmlElement | undefined, line: string): Block[] {
    const { numbering } = this.shared;
    const mark = element(properties, 'rPr');
    if (element(mark, 'del') !== undefined || element(mark, 'moveFrom') !== undefined) {
      this.before += line;
      return [];
    }
    const text = collapsed(this.before + line);
    this.before = '';
    if (text === '' && childSwitch(mark, 'vanish') === true) return [];
    const number = numbering.next(numberingReference(properties), this.style);
    const level = headingLevel(properties) ?? this.style.headingLevel ?? 0;
    if (level > 0) {
      if (text === '') return [];
      const isNumbered = number !== undefined && number.text !== BULLET;
      return [
        { kind: 'heading', level, text: isNumbered ? numberedText(number.text, number.gap, text) : text },
      ];
    }
    if (number === undefined) return text === '' ? [] : [{ kind: 'paragraph', text }];
    return [numberedBlock(number.text, number.gap, number.level, text)];
  }

  private inlineIn(parent: XmlElement): void {
    for (const child of elements(parent)) this.inline(child);
  }

  private inline(node: XmlElement): void {
    switch (node.name) {
      case 'r':
        this.run(node);
        break;
      case 'fldSimple':
        if (this.isMargin && isPageNumber(attr(node, 'instr') ?? '')) this.add(PAGE_NUMBER);
        this.inlineIn(node);
        break;
      case 'oMath':
      case 'oMathPara':
        this.add(linesOfOfficeMath(node));
        break;
      case 'sdt':
        this.inlineIn(contentOf(node));
        break;
      case 'AlternateContent':
        this.inlineIn(alternativeOf(node));
        break;
      case 'p':
      case 'tbl':
        this.floating.push(...this.blocksOf(node));
        break;
      default:
        if (!NO_TEXT.has(node.name)) this.inlineIn(node);
    }
  }

  private run(run: XmlElement): void {
    const { styles, notes } = this.shared;
    const properties = element(run, 'rPr');
    const character = styles.character(childValue(properties, 'rStyle'));
    const format = effectiveFormat(runFormat(properties), character, this.style.run);
    const isShown = format.isHidden !== true && format.isStruck !== true;
    const position = format.position ?? 0;
    let mark: 'open' | undefined;
    const read = (node: XmlElement): void => {
      if (node.name === 'fldChar') {
        this.fieldMark(node);
      } else if (node.name === 'instrText') {
        this.fields.instruct(textOf(node));
      } else if (!isShown) {
        return;
      } else if (node.name === 'footnoteReference' || node.name === 'endnoteReference') {
        const hasOwnMark = isOn(attr(node, 'customMarkFollows') ?? '0');
        const kind = node.name === 'footnoteReference' ? 'footnote' : 'endnote';
        const label = notes.refer(kind, numberOf(attr(node, 'id')), hasOwnMark);
        this.add(hasOwnMark ? '[' : label);
        if (hasOwnMark) mark = 'open';
      } else if (node.name === 'AlternateContent') {
        elements(alternativeOf(node)).forEach(read);
      } else this.runContent(node, mark === 'open' ? 0 : position, format.font, read);
    };
    elements(run).forEach(read);
    if (mark === 'open') this.add(']');
  }

  private runContent(
    node: XmlElement,
    position: Position,
    font: string | undefined,
    read: (node: XmlElement) => void,
  ): void {
    switch (node.name) {
      case 't':
        this.add(withSymbols(textOf(node), font), position);
        break;
      case 'sym':
        this.add(symbolIn(attr(node, 'font') ?? '', Number.parseInt(attr(node, 'char') ?? '', 16)), position);
        break;
      case 'tab':
      case 'ptab':
        this.add(this.isMargin ? '\n' : '\t');
        break;
      case 'br':
      case 'cr':
        this.add('\n');
        break;
      case 'noBreakHyphen':
        this.add('-', position);
        break;
      case 'ruby':
        this.ruby(node);
        break;
      case 'drawing':
      case 'pict':
      case 'object':
        this.drawing(node);
        break;
      default:
        if (!NO_TEXT.has(node.name)) elements(node).forEach(read);
    }
  }

  private add(text: string, position: Position = 0): void {
    if (text === '' || !this.fields.isText) return;
    this.line.add(text, position);
    this.fields.hasText();
  }

  private fieldMark(node: XmlElement): void {
    switch (attr(node, 'fldCharType')) {
      case 'begin':
        this.fields.begin(node);
        break;
      case 'separate':
        this.add(this.fields.separate());
        break;
      case 'end':
        this.add(this.fields.end());
        break;
      case undefined:
        break;
    }
  }

  private ruby(node: XmlElement): void {
    const textIn = (name: string): string => {
      const part = element(node, name);
      return part === undefined ? '' : descendants(part, 't').map(textOf).join('');
    };
    const [base, reading] = [textIn('rubyBase'), textIn('rt')];
    this.add(reading === '' ? base : `${base}(${reading})`);
  }

  /** Reads a drawing. Uses the description of a picture if the drawing has no other text. */
  private drawing(drawing: XmlElement): void {
    if (!this.fields.isText) return;
    const descriptions = new Set<string>();
    const count = (): number => this.inPlace.length + this.floating.length;
    const before = count();
    const show = (blocks: readonly Block[]): void => {
      if (blocks.length === 0) return;
      this.inPlace.push({ text: this.line.toString(), blocks });
      this.line = new Line();
    };
    const read = (node: XmlElement): void => {
      switch (node.name) {
        case 'txbxContent':
        case 'txBody':
          this.floating.push(...this.textBox(node));
          return;
        case 'chart':
        case 'OLEObject':
          show(this.take(relationshipId(node)));
          return;
        case 'relIds':
          show(this.take(relationshipId(node, 'dm')));
          return;
        case 'AlternateContent':
          elements(alternativeOf(node)).forEach(read);
          return;
        case 'textpath':
          this.add(` ${node.attributes['string'] ?? ''} `);
          return;
        case 'docPr':
        case 'cNvPr':
          descriptions.add(writtenByPerson(node.attributes['descr'] ?? node.attributes['title'] ?? ''));
          break;
        case 'shape':
          descriptions.add(writtenByPerson(node.attributes['alt'] ?? ''));
          break;
      }
      elements(node).forEach(read);
    };
    read(drawing);
    if (count() > before) return;
    for (const description of descriptions) if (description !== '') this.add(` ${description} `);
  }

  /** A text box has its own fields and may be inside a field of the text. */
  private textBox(content: XmlElement): Block[] {
    const { fields, before } = this;
    this.fields = new Fields(this.isMargin);
    this.before = '';
    const blocks = this.blocksIn(content);
    Object.assign(this, { fields, before });
    return blocks;
  }

  private take(id: string): Block[] {
    const blocks = [...(this.foreign.get(id) ?? [])];
    this.foreign.delete(id);
    return blocks;
  }

  private table(table: XmlElement): Block[] {
    /** Cells that continue in the next row, by first column. */
    const open = new Map<number, { rows: number }>();
    const rows = childrenThrough(table, 'tr')
      .filter((row) => element(element(row, 'trPr'), 'del') === undefined)
      .map((row) => {
        const properties = element(row, 'trPr');
        const before = Math.max(0, childNumber(properties, 'gridBefore') ?? 0);
        const cells: (BlockCell & { rows: number; columns: number })[] = [];
        if (before > 0) cells.push({ blocks: [], rows: 1, columns: before });
        let column = before;
        for (const cell of childrenThrough(row, 'tc')) {
          const cellProperties = element(cell, 'tcPr');
          const columns = Math.max(1, childNumber(cellProperties, 'gridSpan') ?? 1);
          const blocks = this.blocksIn(cell);
          const above = open.get(column);
          const left = cells.at(-1);
          if (merge(cellProperties, 'vMerge') === 'continue' && above !== undefined) above.rows += 1;
          else if (merge(cellProperties, 'hMerge') === 'continue' && left !== undefined)
            left.columns += columns;
          else {
            const own = { blocks, rows: 1, columns };
            cells.push(own);
            if (merge(cellProperties, 'vMerge') === undefined) open.delete(column);
            else open.set(column, own);
          }
          column += columns;
        }
        return { cells, isHeader: childSwitch(properties, 'tblHeader') === true };
      });
    return blocksOfTable(rows);
  }
}

function plainText(line: string): Block[] {
  const text = collapsed(line);
  return text === '' ? [] : [{ kind: 'paragraph', text }];
}

/** The merge of a cell with the previous cell; undefined if the cell is not merged. */
function merge(properties: XmlElement | undefined, name: 'vMerge' | 'hMerge'): string | undefined {
  const found = element(properties, name);
  return found === undefined ? undefined : (attr(found, 'val') ?? 'continue');
}

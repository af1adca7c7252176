import { writtenByPerson } from '../alternative-text.js';
import {
  type Block,
  type BlockCell,
  type BlockRow,
  blocksOfTable,
  BULLET,
  numberedBlock,
  numberedText,
} from '../blocks.js';
import { Line } from '../line.js';
import {
  attributeOf,
  element,
  elements,
  isXmlElement,
  textOf,
  type XmlElement,
  type XmlNode,
} from '../xml/xml-tree.js';
import { textOfFieldMark } from './forms.js';
import { ListCounter, type ListStyles } from './lists.js';
import { formatInside, type TextFormat, type TextStyles } from './text-styles.js';

/** State shared by all parts of a document. */
export interface Surroundings {
  readonly texts: TextStyles;
  readonly lists: ListStyles;
  /** Text of form controls by id. */
  readonly controls: ReadonlyMap<string, string>;
  /** Text of embedded objects (formulas on one line) by address. */
  readonly objects: ReadonlyMap<string, string>;
}

interface OpenList {
  readonly counter: ListCounter;
  readonly level: number;
}

const VISIBLE: TextFormat = { isHidden: undefined, isStruck: undefined, position: undefined };

/** Elements without document text: deletions, index templates, scripts. */
const NO_TEXT = /^(?:tracked-changes|forms|script|.*-source|.*-decls|desc|title|event-listeners)$/;

/** Maximum number of characters added by repeated rows and cells. */
const MAX_REPEATED = 1_000_000;

/** Reads an OpenDocument text in document order. */
export class Story {
  readonly comments: Block[] = [];
  private line = new Line();
  /** Floating text boxes and drawings. */
  private floating: Block[] = [];
  private format = VISIBLE;
  private list: OpenList | undefined;
  /** Number of the item whose first paragraph follows. */
  private itemNumber: string | undefined;
  private readonly byId = new Map<string, ListCounter>();
  private readonly byStyle = new Map<string, ListCounter>();
  private readonly outline: ListCounter;
  private room = MAX_REPEATED;

  constructor(private readonly shared: Surroundings) {
    this.outline = new ListCounter(shared.lists.outline ?? new Map());
  }

  blocksIn(parent: XmlElement): Block[] {
    return elements(parent).flatMap((child) => this.blocksOf(child));
  }

  private blocksOf(node: XmlElement): Block[] {
    switch (node.name) {
      case 'h':
      case 'p':
        return this.paragraph(node);
      case 'list':
        return this.listBlocks(node);
      case 'table':
        return this.table(node);
      case 'section':
        return attributeOf(node, 'text', 'display') === 'none' ? [] : this.blocksIn(node);
      case 'frame':
      case 'control':
        return this.paragraph({ name: 'p', attributes: {}, children: [node] });
      default:
        return NO_TEXT.test(node.name) ? [] : this.blocksIn(node);
    }
  }

  private paragraph(node: XmlElement): Block[] {
    const { line, floating, format, list, itemNumber } = this;
    this.itemNumber = undefined;
    this.line = new Line();
    this.floating = [];
    this.format = this.shared.texts.format('paragraph', attributeOf(node, 'text', 'style-name'));
    this.inlineIn(node);
    const text = this.line.toString().replaceAll('\u00ad', '').trim();
    const beside = this.floating;
    Object.assign(this, { line, floating, format });
    const block = this.textBlock(node, text, itemNumber, list);
    return block === undefined ? beside : [block, ...beside];
  }

  private textBlock(
    node: XmlElement,
    text: string,
    itemNumber: string | undefined,
    list: OpenList | undefined,
  ): Block | undefined {
    if (node.name === 'h') {
      const level = Math.max(1, Number(attributeOf(node, 'text', 'outline-level') ?? 1) || 1);
      const isNumbered = list === undefined && attributeOf(node, 'text', 'is-list-header') !== 'true';
      const number =
        itemNumber ?? (isNumbered && this.shared.lists.outline !== undefined ? this.outline.next(level) : '');
      if (text === '') return undefined;
      return {
        kind: 'heading',
        level,
        text: number === '' || number === BULLET ? text : numberedText(number, ' ', text),
      };
    }
    if (itemNumber === undefined || itemNumber === '')
      return text === '' ? undefined : { kind: 'paragraph', text };
    return numberedBlock(itemNumber, ' ', (list?.level ?? 1) - 1, text);
  }

  private listBlocks(node: XmlElement): Block[] {
    const outer = this.list;
    const list = { counter: outer?.counter ?? this.counterOf(node), level: (outer?.level ?? 0) + 1 };
    const blocks = elements(node).flatMap((item) => {
      this.list = list;
      const [first] = elements(item);
      const isCounted = item.name === 'list-item' && (first?.name === 'p' || first?.name === 'h');
      const start = attributeOf(item, 'text', 'start-value');
      this.itemNumber = isCounted
        ? list.counter.next(list.level, start === undefined ? undefined : Number(start))
        : undefined;
      return this.blocksIn(item);
    });
    this.list = outer;
    this.itemNumber = undefined;
    return blocks;
  }

  /** Returns the counter of a list. The counter restarts unless the list continues another list. */
  private counterOf(list: XmlElement): ListCounter {
    const style = attributeOf(list, 'text', 'style-name') ?? '';
    const before = attributeOf(list, 'text', 'continue-list');
    const goesOn = attributeOf(list, 'text', 'continue-numbering') === 'true';
    const known =
      before === undefined ? (goesOn ? this.byStyle.get(style) : undefined) : this.byId.get(before);
    const counter = known ?? new ListCounter(this.shared.lists.levels(style));
    const id = attributeOf(list, 'xml', 'id');
    if (id !== undefined) this.byId.set(id, counter);
    this.byStyle.set(style, counter);
    return counter;
  }

  private inlineIn(parent: XmlElement): void {
    for (const child of parent.children) this.inline(child);
  }

  private inline(node: XmlNode): void {
    if (!isXmlElement(node)) {
      this.add(node.replace(/\s+/g, ' '));
      return;
    }
    switch (node.name) {
      case 's':
        this.add(' '.repeat(Math.min(16, Number(attributeOf(node, 'text', 'c') ?? 1) || 1)));
        break;
      case 'tab':
        this.add('\t');
        break;
      case 'line-break':
        this.add('\n');
        break;
      case 'span':
        this.span(node);
        break;
      case 'annotation':
        this.comment(node);
        break;
      case 'note':
        this.note(node);
        break;
      case 'ruby': {
        const reading = element(node, 'ruby-text');
        this.add(
          `${textIn(element(node, 'ruby-base'))}${reading === undefined ? '' : `(${textIn(reading)})`}`,
        );
        break;
      }
      case 'fieldmark':
        this.add(textOfFieldMark(node));
        break;
      case 'control':
        this.add(this.shared.controls.get(attributeOf(node, 'draw', 'control') ?? '') ?? '');
        break;
      case 'frame':
        this.frame(node);
        break;
      case 'p':
      case 'h':
      case 'list':
      case 'table':
        this.beside(node);
        break;
      default:
        if (!NO_TEXT.test(node.name)) this.inlineIn(node);
    }
  }

  private add(text: string): void {
    const { isHidden, isStruck, position } = this.format;
    if (isHidden !== true && isStruck !== true) this.line.add(text, position ?? 0);
  }

  private span(node: XmlElement): void {
    const outer = this.format;
    this.format = formatInside(
      outer,
      this.shared.texts.format('text', attributeOf(node, 'text', 'style-name')),
    );
    this.inlineIn(node);
    this.format = outer;
  }

  /** Reads a node as floating blocks, outside of the surrounding list. */
  private beside(node: XmlElement): void {
    this.floating.push(...this.apart(() => this.blocksOf(node)));
  }

  private apart(read: () => Block[]): Block[] {
    const { list, itemNumber } = this;
    Object.assign(this, { list: undefined, itemNumber: undefined });
    const blocks = read();
    Object.assign(this, { list, itemNumber });
    return blocks;
  }

  /** Reads a frame: a text box, an object, or the description of a picture. */
  private frame(frame: XmlElement): void {
    const object = element(frame, 'object');
    const formula =
      object === undefined ? undefined : this.shared.objects.get(attributeOf(object, 'xlink', 'href') ?? '');
    if (formula !== undefined) {
      this.add(formula);
      return;
    }
    const before = this.floating.length;
    this.inlineIn(frame);
    if (this.floating.length > before) return;
    const description = writtenByPerson(textIn(element(frame, 'desc')) || textIn(element(frame, 'title')));
    if (description !== '') this.add(` ${description} `);
  }

  /** Notes are inserted in parentheses at their reference. */
  private note(node: XmlElement): void {
    const body = element(node, 'note-body');
    if (body === undefined) return;
    const text = this.apart(() => this.blocksIn(body))
      .map((block) => block.text)
      .join(' ');
    if (text !== '') this.add(` (${text})`);
  }

  private comment(node: XmlElement): void {
    const [first, ...others] = this.apart(() =>
      elements(node)
        .filter(({ name }) => name === 'p' || name === 'list')
        .flatMap((child) => this.blocksOf(child)),
    );
    if (first === undefined) return;
    const author = textIn(element(node, 'creator'));
    const label = author === '' ? 'Comment' : `Comment (${author})`;
    this.comments.push({ kind: 'paragraph', text: `${label}: ${first.text}` }, ...others);
  }

  private table(table: XmlElement): Block[] {
    return this.apart(() => blocksOfTable(this.rowsIn(table, false)));
  }

  private rowsIn(parent: XmlElement, isHeader: boolean): BlockRow[] {
    return elements(parent).flatMap((node): BlockRow[] => {
      if (node.name === 'table-row') {
        const isShown = !/^(?:collapse|filter)$/.test(attributeOf(node, 'table', 'visibility') ?? '');
        if (!isShown) return [];
        const row = { cells: this.cellsOf(node), isHeader };
        return this.repeated(row, node, 'number-rows-repeated', row.cells.map(({ blocks }) => blocks).flat());
      }
      if (!/^table-(?:header-rows|rows|row-group)$/.test(node.name)) return [];
      return this.rowsIn(node, isHeader || node.name === 'table-header-rows');
    });
  }

  private cellsOf(row: XmlElement): BlockCell[] {
    return elements(row, 'table-cell').flatMap((node) => {
      const span = (name: string): number => Math.max(1, Number(attributeOf(node, 'table', name) ?? 1) || 1);
      const cell = {
        blocks: this.blocksIn(node),
        columns: span('number-columns-spanned'),
        rows: span('number-rows-spanned'),
      };
      return this.repeated(cell, node, 'number-columns-repeated', cell.blocks);
    });
  }

  private repeated<T>(one: T, node: XmlElement, name: string, blocks: readonly Block[]): T[] {
    const times = Math.max(1, Number(attributeOf(node, 'table', name) ?? 1) || 1);
    const length = blocks.reduce((sum, { text }) => sum + text.length, 16);
    const more = Math.min(times - 1, Math.floor(this.room / length));
    this.room -= more * length;
    return Array.from({ length: more + 1 }, () => one);
  }
}

function textIn(node: XmlElement | undefined): string {
  return node === undefined ? '' : textOf(node).replace(/\s+/g, ' ').trim();
}

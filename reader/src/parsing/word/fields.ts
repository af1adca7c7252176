import { TICKED, UNTICKED } from '../check-boxes.js';
import { PAGE_NUMBER } from '../page-numbers.js';
import { element, elements, type XmlElement } from '../xml/xml-tree.js';
import { attr, childNumber, childSwitch, childValue } from './word-xml.js';

interface Field {
  instruction: string;
  isInResult: boolean;
  hasText: boolean;
  readonly form: XmlElement | undefined;
}

const MAX_INSTRUCTION = 4096;
const PAGE_FIELD = /^\s*(?:PAGE|NUMPAGES|SECTIONPAGES)\b/i;

export function isPageNumber(instruction: string): boolean {
  return PAGE_FIELD.test(instruction);
}

/**
 * The open fields at a position of the text (`w:fldChar`; ECMA-376 part 1, section 17.16). Only results are visible.
 * Fields may be nested, and a result may span paragraphs.
 */
export class Fields {
  private readonly open: Field[] = [];
  /** Number of open fields whose instruction has not ended. */
  private instructions = 0;

  /** @param marksPages whether to mark page numbers */
  constructor(private readonly marksPages = false) {}

  get isText(): boolean {
    return this.instructions === 0;
  }

  begin(mark: XmlElement): void {
    this.open.push({ instruction: '', isInResult: false, hasText: false, form: element(mark, 'ffData') });
    this.instructions += 1;
  }

  instruct(text: string): void {
    const field = this.open.at(-1);
    if (field !== undefined && field.instruction.length < MAX_INSTRUCTION) field.instruction += text;
  }

  /** Starts the result of the innermost field. Returns text to show before it. */
  separate(): string {
    const field = this.open.at(-1);
    if (field === undefined || field.isInResult) return '';
    field.isInResult = true;
    this.instructions -= 1;
    return this.marksPages && isPageNumber(field.instruction) ? PAGE_NUMBER : '';
  }

  hasText(): void {
    const field = this.open.at(-1);
    if (field !== undefined) field.hasText = true;
  }

  /** Ends the innermost field. Returns text to show in addition to its result. */
  end(): string {
    const field = this.open.pop();
    if (field === undefined) return '';
    if (!field.isInResult) this.instructions -= 1;
    const outer = this.open.at(-1);
    if (outer !== undefined && field.hasText) outer.hasText = true;
    if (field.hasText) return '';
    return this.marksPages && isPageNumber(field.instruction) ? PAGE_NUMBER : textWithoutResult(field);
  }

  /** Ends all instructions at the end of a paragraph, so that an unclosed field does not hide the following text. */
  endParagraph(): void {
    while (this.open.at(-1)?.isInResult === false) {
      this.open.pop();
      this.instructions -= 1;
    }
  }
}

/** Visible text of a form field or button without a result. */
function textWithoutResult({ instruction, form }: Field): string {
  const box = element(form, 'checkBox');
  if (box !== undefined) {
    const isTicked = childSwitch(box, 'checked') ?? childSwitch(box, 'default') ?? false;
    return isTicked ? TICKED : UNTICKED;
  }
  const list = element(form, 'ddList');
  if (list !== undefined) {
    const chosen = elements(list, 'listEntry')[
      childNumber(list, 'result') ?? childNumber(list, 'default') ?? 0
    ];
    return chosen === undefined ? '' : (attr(chosen, 'val') ?? '');
  }
  const text = childValue(element(form, 'textInput'), 'default');
  return text ?? /^\s*MACROBUTTON\s+\S+\s+([^]*)/i.exec(instruction)?.[1]?.trim() ?? '';
}

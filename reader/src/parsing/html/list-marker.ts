import { attribute, type HtmlElement, isElement } from './html-tree.js';

/** Printed numbers of list items: `3. `, `c. `, `iii. `. */
export class ListMarkers {
  private next: number;
  private readonly step: 1 | -1;

  constructor(private readonly list: HtmlElement) {
    const isReversed = attribute(list, 'reversed') !== undefined;
    const items = list.childNodes.filter((child) => isElement(child) && child.tagName === 'li').length;
    this.step = isReversed ? -1 : 1;
    this.next = integer(attribute(list, 'start')) ?? (isReversed ? items : 1);
  }

  markerOf(item: HtmlElement): string {
    if (this.list.tagName !== 'ol') return '- ';
    const number = integer(attribute(item, 'value')) ?? this.next;
    this.next = number + this.step;
    return `${numeral(number, attribute(item, 'type') ?? attribute(this.list, 'type') ?? '1')}. `;
  }
}

function integer(text: string | undefined): number | undefined {
  const number = Number.parseInt(text ?? '', 10);
  return Number.isSafeInteger(number) ? number : undefined;
}

function numeral(number: number, type: string): string {
  const written =
    number < 1
      ? undefined
      : type.toLowerCase() === 'a'
        ? letters(number)
        : type.toLowerCase() === 'i'
          ? roman(number)
          : undefined;
  if (written === undefined) return String(number);
  return type === type.toUpperCase() ? written.toUpperCase() : written;
}

/** a to z, aa, ab, ... */
function letters(number: number): string {
  let text = '';
  for (let rest = number; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    text = String.fromCharCode(97 + ((rest - 1) % 26)) + text;
  }
  return text;
}

const ROMAN = Object.entries({
  m: 1000,
  cm: 900,
  d: 500,
  cd: 400,
  c: 100,
  xc: 90,
  l: 50,
  xl: 40,
  x: 10,
  ix: 9,
  v: 5,
  iv: 4,
  i: 1,
});

const MAX_ROMAN = 3_999;

function roman(number: number): string | undefined {
  if (number > MAX_ROMAN) return undefined;
  let rest = number;
  let text = '';
  for (const [sign, value] of ROMAN) {
    for (; rest >= value; rest -= value) text += sign;
  }
  return text;
}

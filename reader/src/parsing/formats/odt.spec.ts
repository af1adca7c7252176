import { strToU8, zipSync } from 'fflate';
import { parseOdt } from './odt.js';

const NAMESPACES =
  'xmlns:office="o" xmlns:text="t" xmlns:draw="d" xmlns:xlink="x" xmlns:style="s" xmlns:svg="v" xmlns:table="tb" xmlns:form="f" xmlns:dc="dc"';

async function textOf(
  body: string,
  styles = '',
  others: Readonly<Record<string, string>> = {},
): Promise<string> {
  const content = `<office:document-content ${NAMESPACES}><office:automatic-styles>${styles}</office:automatic-styles><office:body><office:text>${body}</office:text></office:body></office:document-content>`;
  const parts = { 'content.xml': content, ...others };
  const bytes = zipSync(
    Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, strToU8(text)])),
  );
  const { text } = await parseOdt({
    bytes,
    text: null,
    encoding: null,
    contentType: '',
    filename: null,
    onProgress: () => undefined,
    allow: () => undefined,
    office: { convert: () => Promise.reject(new Error('LibreOffice is not needed')) },
    parseInner: () => Promise.reject(new Error('There is no file inside')),
  });
  return text;
}

const p = (content: string): string => `<text:p>${content}</text:p>`;
const span = (style: string, content: string): string =>
  `<text:span text:style-name="${style}">${content}</text:span>`;
const textStyle = (name: string, properties: string, parent = ''): string =>
  `<style:style style:name="${name}" style:family="text" ${parent}><style:text-properties ${properties}/></style:style>`;

describe('the text of an OpenDocument text', () => {
  const styles =
    textStyle('Up', 'style:text-position="super 58%"') +
    textStyle('Raised', 'style:text-position="33% 58%"') +
    textStyle('Down', 'style:text-position="-20% 58%"') +
    textStyle('Hidden', 'text:display="none"') +
    textStyle('Child', '', 'style:parent-style-name="Hidden"') +
    textStyle('Struck', 'style:text-line-through-style="solid"');

  it.each([
    ['powers', `10${span('Up', '6')} and 10${span('Raised', '9')}`, '10^6 and 10^9'],
    ['indexes', `CO${span('Down', '2')}`, 'CO_2'],
    ['hidden and struck text', `a${span('Hidden', 'b')}${span('Child', 'c')}${span('Struck', 'd')}e`, 'ae'],
    [
      'notes',
      'a<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>b</text:p></text:note-body></text:note>',
      'a (b)',
    ],
    [
      'ruby',
      '<text:ruby><text:ruby-base>鷺</text:ruby-base><text:ruby-text>さぎ</text:ruby-text></text:ruby>',
      '鷺(さぎ)',
    ],
    [
      'text boxes',
      'Title<draw:frame><draw:text-box><text:p>This</text:p></draw:text-box></draw:frame>',
      'Title\n\nThis',
    ],
    [
      'descriptions of pictures',
      '<draw:frame><draw:image/><svg:desc>A heron</svg:desc></draw:frame>',
      'A heron',
    ],
    [
      'comments',
      'a<office:annotation><dc:creator>Ann</dc:creator><dc:date>2024</dc:date><text:p>Why?</text:p></office:annotation>b',
      'ab\n\nComment (Ann): Why?',
    ],
  ])('contains %s', async (_, content, expected) => {
    expect(await textOf(p(content), styles)).toBe(expected);
  });

  it('contains formulas in their place', async () => {
    const object = '<draw:frame><draw:object xlink:href="./Object 1"/></draw:frame>';
    const math = '<math><mi>m</mi><msup><mi>c</mi><mn>2</mn></msup></math>';
    expect(await textOf(p(`E is ${object}.`), '', { 'Object 1/content.xml': math })).toBe('E is mc^2.');
  });

  it('distinguishes ticked boxes', async () => {
    const box = (id: string, state: string): string =>
      `<form:checkbox form:id="${id}" form:label="Bed" form:current-state="${state}"/>`;
    const forms = `<office:forms><form:form>${box('a', 'checked')}${box('b', 'unchecked')}</form:form></office:forms>`;
    const control = (id: string): string => p(`<draw:control draw:control="${id}"/>`);
    expect(await textOf(forms + control('a') + control('b'))).toBe('☒ Bed\n\n☐ Bed');
  });

  it('repeats a merged cell in every row that it covers', async () => {
    const cell = (text: string, more = ''): string =>
      `<table:table-cell ${more}>${p(text)}</table:table-cell>`;
    const row = (...cells: string[]): string => `<table:table-row>${cells.join('')}</table:table-row>`;
    const table = `<table:table>${row(cell('a'), cell('b'))}${row(cell('m', 'table:number-rows-spanned="2"'), cell('1'))}${row('<table:covered-table-cell/>', cell('2'))}</table:table>`;
    expect(await textOf(table)).toBe('| a | b |\n| --- | --- |\n| m | 1 |\n| m | 2 |');
  });

  it('limits the text added by repeated cells', async () => {
    const cell = `<table:table-cell table:number-columns-repeated="2000000000">${p('x')}</table:table-cell>`;
    const text = await textOf(`<table:table><table:table-row>${cell}</table:table-row></table:table>`);
    expect(text.length).toBeLessThan(2_000_000);
  });
});

describe('the numbers of an OpenDocument text', () => {
  const level = (number: number, format: string, more: string): string =>
    `<text:list-level-style-number text:level="${number}" style:num-format="${format}" ${more}/>`;
  const styles = `<text:list-style style:name="L">${level(1, '1', 'style:num-suffix="."')}${level(2, '1', 'text:display-levels="2"')}${level(3, 'a', 'style:num-prefix="(" style:num-suffix=")"')}</text:list-style>`;
  const item = (...content: string[]): string => `<text:list-item>${content.join('')}</text:list-item>`;
  const list = (content: string, more = 'text:style-name="L"'): string =>
    `<text:list ${more}>${content}</text:list>`;

  it('are as displayed', async () => {
    const inner = list(item(p('x'), list(item(p('y')) + item(p('z')), '')), '');
    expect(await textOf(list(item(p('a'), inner) + item(p('b'), list(item(p('c')), ''))), styles)).toBe(
      '1. a\n\n1.1 x\n\n(a) y\n\n(b) z\n\n2. b\n\n2.1 c',
    );
  });

  it('continue in another list only if that list continues them', async () => {
    const next = (more: string): string => list(item(p('x')), `text:style-name="L" ${more}`);
    expect(
      await textOf(
        next('xml:id="one"') + p('-') + next('text:continue-list="one"') + p('-') + next(''),
        styles,
      ),
    ).toBe('1. x\n\n-\n\n2. x\n\n-\n\n1. x');
  });

  it('of headings come from the outline', async () => {
    const outline = `<office:document-styles ${NAMESPACES}><text:outline-style><text:outline-level-style text:level="1" style:num-format="1"/><text:outline-level-style text:level="2" style:num-format="1" text:display-levels="2"/></text:outline-style></office:document-styles>`;
    const h = (depth: number, text: string, more = ''): string =>
      `<text:h text:outline-level="${depth}" ${more}>${text}</text:h>`;
    const body =
      h(1, 'Term') + h(2, 'Begin') + h(2, 'End') + h(1, 'Rent') + h(1, 'Annex', 'text:is-list-header="true"');
    expect(await textOf(body, '', { 'styles.xml': outline })).toBe(
      '# 1 Term\n\n## 1.1 Begin\n\n## 1.2 End\n\n# 2 Rent\n\n# Annex',
    );
  });
});

import {
  amount,
  between,
  code,
  day,
  money,
  paragraph,
  phrase,
  pick,
  sentence,
  time,
  times,
  title,
} from './content.mjs';

/**
 * Layouts of generated pages. Each returns `{ html, css, turned, head, foot }`. The elements of `html` stand in reading
 * order. A row is a `tr` or has the class `row`; its children are the cells. `turned` (90, 270): the page is printed on its side,
 * and its /Rotate turns it upright. `head` and `foot` stand on every page, and are no part of the truth.
 */

const heading = (random, level = 2) => `<h${level}>${title(random)}</h${level}>`;
const prose = (random, count = 1) => times(count, () => `<p>${paragraph(random)}</p>`).join('');
const cells = (tag, texts) => texts.map((text) => `<${tag}>${text}</${tag}>`).join('');
const tableOf = (head, rows, kind = '') =>
  `<table class="${kind}"><thead><tr>${cells('th', head)}</tr></thead><tbody>${rows
    .map((row) => `<tr>${cells('td', row)}</tr>`)
    .join('')}</tbody></table>`;
const row = (texts) => `<div class="row">${cells('span', texts)}</div>`;

function columns(count) {
  return (random) => ({
    html: `${heading(random, 1)}<div class="columns">${times(between(random, 2, 4), () => heading(random, 3) + prose(random, between(random, 1, 3))).join('')}</div>`,
    css: `.columns { column-count: ${count}; column-gap: ${between(random, 12, 28)}px; text-align: ${pick(random, ['left', 'justify'])}; }`,
  });
}

function shortColumns(random) {
  const count = between(random, 2, 4);
  return {
    html: `${heading(random, 1)}${prose(random)}<div class="short">${times(
      count,
      () => `<div><h3>${phrase(random, 1, 2)}</h3><p>${sentence(random, 10, 22)}</p></div>`,
    ).join('')}</div>${prose(random)}`,
    css: `.short { display: grid; grid-template-columns: repeat(${count}, 1fr); gap: ${between(random, 16, 30)}px; }`,
  };
}

function wrappedTable(random) {
  const head = ['Item', 'Description', 'Owner', 'Due'];
  const rows = times(between(random, 4, 9), () => [
    code(random),
    phrase(random, 5, 16),
    phrase(random, 1, 2),
    day(random),
  ]);
  return {
    html: `${heading(random, 1)}${prose(random)}${tableOf(head, rows, 'lined')}${prose(random)}`,
    css: '',
  };
}

function numbers(random) {
  const years = between(random, 2, 5);
  const head = ['In thousands', ...times(years, (index) => String(2019 + index))];
  const rows = times(between(random, 6, 16), () => [
    phrase(random, 2, 5),
    ...times(years, () => (random() < 0.15 ? `(${amount(random)})` : amount(random))),
  ]);
  return {
    html: `${heading(random, 1)}${prose(random)}${tableOf(head, rows, 'figures')}${prose(random)}`,
    css: '',
  };
}

function labels(random) {
  const pairs = times(between(random, 5, 10), () => [
    phrase(random, 1, 3),
    random() < 0.5 ? money(random) : day(random),
  ]);
  return {
    html: `${heading(random, 1)}${prose(random)}${pairs.map(row).join('')}${row(['Total due', money(random)])}${prose(random)}`,
    css: `.row { display: flex; justify-content: space-between; width: ${between(random, 45, 100)}%; }`,
  };
}

function turnedTable(random) {
  return { ...(random() < 0.5 ? numbers(random) : wrappedTable(random)), turned: pick(random, [90, 270]) };
}

function sidewaysTable(random) {
  const { html } = numbers(random);
  return {
    html: `<div class="sideways">${html}</div>`,
    css: `.sideways { writing-mode: ${pick(random, ['vertical-rl', 'vertical-rl; transform: rotate(180deg)'])}; height: 240mm; }`,
  };
}

function spaced(random) {
  return {
    html: times(
      3,
      () =>
        `<h2 class="spaced">${title(random, between(random, 1, 3)).replaceAll('\u00ad', '')}</h2>${prose(random)}`,
    ).join(''),
    css: `.spaced { letter-spacing: ${between(random, 20, 60) / 100}em; text-transform: ${pick(random, ['none', 'uppercase'])}; }`,
  };
}

function hyphenated(random) {
  return {
    html: `${heading(random, 1)}<div class="narrow">${prose(random, 3)}</div>`,
    css: `.narrow { width: ${between(random, 150, 260)}px; text-align: ${pick(random, ['left', 'justify'])}; }`,
  };
}

function running(random) {
  return {
    html: `${heading(random, 1)}${prose(random, 16)}`,
    css: '@page { margin: 26mm 22mm; }',
    head: `${title(random)}`,
    foot: 'Confidential draft of the board',
  };
}

function spanning(random) {
  return {
    html: `<div class="columns">${heading(random, 3)}${prose(random, 3)}<div class="all">${tableOf(
      ['Station', 'Opened', 'Cost'],
      times(4, () => [phrase(random, 1, 2), day(random), money(random)]),
      'figures',
    )}</div>${heading(random, 3)}${prose(random, 3)}</div>`,
    css: '.columns { column-count: 2; column-gap: 22px; } .all { column-span: all; margin: 12px 0; }',
  };
}

function grouped(random) {
  const rows = times(between(random, 3, 6), () => [phrase(random, 1, 3), ...times(4, () => amount(random))]);
  return {
    html: `${heading(random, 1)}${prose(random)}<table class="lined"><thead><tr><th></th><th colspan="2">First half</th><th colspan="2">Second half</th></tr><tr>${cells(
      'th',
      ['Region', 'Plan', 'Actual', 'Plan', 'Actual'],
    )}</tr></thead><tbody>${rows.map((one) => `<tr>${cells('td', one)}</tr>`).join('')}</tbody></table>${prose(random)}`,
    css: 'th { text-align: center; }',
  };
}

function sidebar(random) {
  return {
    html: `${heading(random, 1)}<div class="side"><div class="note"><h3>${phrase(random, 1, 2)}</h3>${times(4, () => `<p>${sentence(random, 6, 12)}</p>`).join('')}</div><div>${prose(random, 4)}</div></div>`,
    css: `.side { display: grid; grid-template-columns: ${between(random, 130, 190)}px 1fr; gap: 26px; } .note { font-size: 90%; }`,
  };
}

function lists(random) {
  const items = (count) => times(count, () => `<li>${sentence(random, 4, 24)}</li>`).join('');
  return {
    html: `${heading(random, 1)}${prose(random)}<ol>${items(4)}</ol>${heading(random)}<ul>${items(3)}<li><p>${sentence(random)}</p><ul>${items(3)}</ul></li></ul>${prose(random)}`,
    css: '',
  };
}

function tableInColumn(random) {
  return {
    html: `${heading(random, 1)}<div class="columns">${prose(random, 2)}${tableOf(
      ['Line', 'Riders', 'Share'],
      times(between(random, 4, 8), () => [
        phrase(random, 1, 2),
        amount(random),
        `${between(random, 1, 99)}%`,
      ]),
      'lined',
    )}${prose(random, 3)}</div>`,
    css: '.columns { column-count: 2; column-gap: 24px; } table { break-inside: avoid; }',
  };
}

function notes(random) {
  return {
    html: `${heading(random, 1)}${times(3, (index) => `<p>${sentence(random)} ${sentence(random).slice(0, -1)}<sup>${index + 1}</sup>. ${sentence(random)}</p>`).join('')}<hr>${times(3, (index) => `<p class="small"><sup>${index + 1}</sup> ${sentence(random)}</p>`).join('')}`,
    css: '.small { font-size: 70%; } sup { font-size: 60%; }',
  };
}

function invoice(random) {
  const address = () => `<div>${times(4, () => `<div>${phrase(random, 2, 3)}</div>`).join('')}</div>`;
  return {
    html: `<h1>Invoice</h1><div class="two">${address()}${address()}</div>${tableOf(
      ['Article', 'Quantity', 'Price', 'Amount'],
      times(between(random, 3, 8), () => [
        phrase(random, 2, 4),
        String(between(random, 1, 40)),
        money(random),
        money(random),
      ]),
      'figures',
    )}<div class="totals">${['Net', 'Tax', 'Total due'].map((label) => row([label, money(random)])).join('')}</div>${prose(random)}`,
    css: '.two { display: grid; grid-template-columns: 1fr 1fr; margin: 16px 0; } .totals { width: 40%; margin: 12px 0 12px auto; } .row { display: flex; justify-content: space-between; }',
  };
}

function bold(random) {
  return {
    html: times(
      3,
      () =>
        `<h2 class="bold">${title(random)}</h2>${prose(random)}<p class="small-caps">${sentence(random)}</p>`,
    ).join(''),
    css: '.bold { text-shadow: .4px 0 currentColor, -.4px 0 currentColor; } .small-caps { font-variant: small-caps; }',
  };
}

function timetable(random) {
  const head = ['Stop', ...times(between(random, 4, 7), () => code(random))];
  const rows = times(between(random, 6, 14), () => [
    phrase(random, 1, 2),
    ...head.slice(1).map(() => (random() < 0.1 ? '—' : time(random))),
  ]);
  return { html: `${heading(random, 1)}${tableOf(head, rows, 'centred')}${prose(random)}`, css: '' };
}

function quote(random) {
  return {
    html: `${heading(random, 1)}<div class="columns">${prose(random, 3)}<blockquote>${sentence(random)}</blockquote>${prose(random, 3)}</div>`,
    css: '.columns { column-count: 2; column-gap: 24px; } blockquote { font-size: 150%; margin: 12px 4px; break-inside: avoid; } p:first-child::first-letter { font-size: 140%; }',
  };
}

function career(random) {
  const from = () => between(random, 1990, 2010);
  return {
    html: `${heading(random, 1)}${times(4, () => `<div class="post"><div>${from()}–${from() + 15}</div><div><h3>${phrase(random, 2, 4)}</h3><p>${paragraph(random, 2)}</p></div></div>`).join('')}`,
    css: '.post { display: grid; grid-template-columns: 90px 1fr; gap: 20px; } h3 { margin: 0; }',
  };
}

function glossary(random) {
  return {
    html: `${heading(random, 1)}${times(7, () => `<div class="row"><span>${phrase(random, 1, 2)}</span><span>${sentence(random, 5, 9)}</span></div>`).join('')}${prose(random)}`,
    css: '.row { display: grid; grid-template-columns: 150px 1fr; gap: 18px; margin: 5px 0; }',
  };
}

function contents(random) {
  let page = 1;
  return {
    html: `<h1>Contents</h1>${times(between(random, 8, 14), () => {
      page += between(random, 1, 9);
      return `<div class="row"><span>${title(random)}</span><i>${' .'.repeat(60)}</i><span>${page}</span></div>`;
    }).join('')}${prose(random)}`,
    css: '.row { display: flex; } i { flex: 1; overflow: hidden; white-space: nowrap; height: 1.3em; }',
  };
}

function twoTables(random) {
  const small = () =>
    tableOf(
      ['Name', 'Value'],
      times(5, () => [phrase(random, 1, 2), amount(random)]),
      'lined',
    );
  return {
    html: `${heading(random, 1)}${prose(random)}<p>${sentence(random)}</p>${small()}<p>${sentence(random)}</p>${small()}${prose(random)}`,
    css: 'table { width: 60%; }',
  };
}

function longTable(random) {
  const rows = times(between(random, 40, 60), () => [
    code(random),
    phrase(random, 2, 5),
    amount(random),
    day(random),
  ]);
  return {
    html: `${heading(random, 1)}${tableOf(['Number', 'Name', 'Quantity', 'Date'], rows, 'lined')}`,
    css: '',
  };
}

function leaflet(random) {
  const panel = () =>
    `<section><h3>${title(random, 2)}</h3>${prose(random)}<ul>${times(3, () => `<li>${sentence(random, 4, 7)}</li>`).join('')}</ul></section>`;
  return {
    html: `<div class="leaflet">${panel()}${panel()}${panel()}</div>`,
    css: '.leaflet { display: grid; grid-template-columns: repeat(3, 1fr); gap: 34px; } ul { padding-left: 1.2em; }',
  };
}

function minutes(random) {
  return {
    html: `${heading(random, 1)}${times(
      3,
      () =>
        `<h3>${phrase(random, 2, 4)}</h3><div class="columns">${prose(random, 2)}</div>${tableOf(
          ['Task', 'Who', 'Until'],
          times(3, () => [phrase(random, 2, 6), phrase(random, 1, 2), day(random)]),
          'lined',
        )}`,
    ).join('')}`,
    css: '.columns { column-count: 2; column-gap: 20px; }',
  };
}

/** Layouts that the rules of the reader were tuned on. */
export const LAYOUTS = {
  'two columns': columns(2),
  'three columns': columns(3),
  'short columns': shortColumns,
  'table with wrapped cells': wrappedTable,
  'table of figures': numbers,
  'labels and values': labels,
  'turned page': turnedTable,
  'sideways text': sidewaysTable,
  'letter-spaced headings': spaced,
  'hyphenated text': hyphenated,
  'running headers': running,
  'table across columns': spanning,
  'grouped header': grouped,
  sidebar,
  lists,
  'table in a column': tableInColumn,
  footnotes: notes,
  invoice,
  'bold by shadow': bold,
  contents,
};

/** Layouts that are kept apart: no rule was tuned on them. */
export const KEPT_APART = {
  timetable,
  'quote in columns': quote,
  'dates beside text': career,
  glossary,
  'two tables': twoTables,
  'long table': longTable,
  leaflet,
  minutes,
};

/** Prints a sheet on its side, so that /Rotate turns it upright. The sheet is as wide as the page is high. */
const ON_ITS_SIDE = {
  90: '.sheet { width: 240mm; transform-origin: top left; transform: translateY(245mm) rotate(-90deg); }',
  270: '.sheet { width: 240mm; transform-origin: top left; transform: translateX(165mm) rotate(90deg); }',
};

/** The HTML of a page. */
export function pageOf(layout, random) {
  const { html, css, turned = 0, head, foot } = layout(random);
  const family = pick(random, ['DejaVu Sans, sans-serif', 'DejaVu Serif, serif', 'sans-serif', 'serif']);
  const size = between(random, 9, 14);
  return {
    turned,
    head,
    foot,
    html: `<!doctype html><meta charset="utf-8"><style>
      @page { size: A4; margin: ${between(random, 14, 24)}mm; }
      body { font: ${size}px/${between(random, 120, 150) / 100} ${family}; margin: 0; }
      table { border-collapse: collapse; width: 100%; margin: 12px 0; }
      th { text-align: left; }
      td, th { padding: ${between(random, 2, 6)}px ${between(random, 5, 12)}px; vertical-align: ${pick(random, ['top', 'middle'])}; }
      .lined td, .lined th { border: 1px solid #888; }
      .figures td:not(:first-child), .figures th:not(:first-child) { text-align: right; }
      .centred td, .centred th { text-align: center; }
      ${css} ${ON_ITS_SIDE[turned] ?? ''}</style><body><div class="sheet">${html}</div></body>`,
  };
}

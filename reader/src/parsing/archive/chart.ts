import { isDateFormat, isPercentFormat } from 'numfmt';
import { markdownTable } from '../markdown-table.js';
import { descendants, element, elements, parseXml, textOf, type XmlElement } from '../xml/xml-tree.js';
import type { Archive } from './archive.js';
import type { Relationship } from './office-open-xml.js';
import { isoDate } from './cell-format.js';

/** The data of a chart as tables. Series with the same categories share one table. */
export interface Chart {
  /** Title, with the titles of the value axes in parentheses; empty without a title. */
  readonly title: string;
  /** Rows of cells, starting with the header. */
  readonly tables: readonly (readonly (readonly string[])[])[];
}

interface Series {
  readonly name: string;
  readonly categories: Points;
  readonly values: Points;
}

type Points = ReadonlyMap<number, string>;

export async function chartsOf(
  archive: Archive,
  relationships: readonly Relationship[],
): Promise<Map<string, Chart>> {
  const charts = new Map<string, Chart>();
  for (const { id, type, target } of relationships) {
    if (type !== 'chart' && type !== 'chartEx') continue;
    const source = await archive.text(target);
    if (source !== undefined) charts.set(id, chartOf(parseXml(source)));
  }
  return charts;
}

export function markdownChart({ title, tables }: Chart): string {
  return [title, ...tables.map(markdownTable)].filter((block) => block !== '').join('\n\n');
}

/** Reads a chart part (ECMA-376 part 1, section 21.2), or a part of a newer kind (MS-ODRAWXML, section 2.24.3). */
function chartOf(space: XmlElement): Chart {
  const chart = element(space, 'chart');
  const data = element(space, 'chartData');
  const plot = chart === undefined ? undefined : (element(chart, 'plotArea') ?? chart);
  const found = plot === undefined ? [] : descendants(plot, data === undefined ? 'ser' : 'series');
  const series = found.map((one) => (data === undefined ? seriesOf(one) : newSeriesOf(one, data)));
  const axes = plot === undefined ? [] : elements(plot).filter(({ name }) => /(?:Ax|axis)$/.test(name));
  const titlesOf = (kind: RegExp): string[] =>
    axes
      .filter(({ name }) => kind.test(name))
      .map(titleOf)
      .filter((title) => title !== '');
  const [title, units] = [titleOf(chart), titlesOf(/^(?:valAx|axis)$/).join(', ')];
  return {
    title: units === '' ? title : `${title} (${units})`.trim(),
    tables: tablesOf(series, titlesOf(/^(?:catAx|dateAx|serAx)$/).join(', ')),
  };
}

function titleOf(parent: XmlElement | undefined): string {
  const title = element(parent, 'title');
  if (title === undefined) return '';
  const texts = [...descendants(title, 't'), ...descendants(title, 'v')];
  return texts.map(textOf).join('').replace(/\s+/g, ' ').trim();
}

function seriesOf(series: XmlElement): Series {
  const name = element(series, 'tx');
  return {
    name: name === undefined ? '' : [...pointsIn(name).values()].join(' '),
    categories: pointsOf(element(series, 'cat') ?? element(series, 'xVal')),
    values: pointsOf(element(series, 'val') ?? element(series, 'yVal')),
  };
}

function newSeriesOf(series: XmlElement, data: XmlElement): Series {
  const name = element(series, 'tx');
  const id = element(series, 'dataId')?.attributes['val'];
  const own = elements(data, 'data').find(({ attributes }) => attributes['id'] === id);
  return {
    name: name === undefined ? '' : descendants(name, 'v').map(textOf).join(' '),
    categories: pointsOf(element(own, 'strDim')),
    values: pointsOf(element(own, 'numDim')),
  };
}

/** Cached values of a reference, or literal values. */
function pointsOf(source: XmlElement | undefined): Points {
  if (source === undefined) return new Map();
  const levels = descendants(source, 'lvl');
  if (levels.length === 0) return pointsIn(source);
  const [inner = new Map<number, string>(), ...outer] = levels.map(pointsIn);
  return new Map(
    [...inner].map(([index, text]) => {
      const above = outer.map((level) => lastUpTo(level, index)).reverse();
      return [index, [...above, text].filter((part) => part !== '').join(' / ')];
    }),
  );
}

function pointsIn(source: XmlElement): Points {
  const format = descendants(source, 'formatCode').map(textOf)[0] ?? source.attributes['formatCode'] ?? '';
  const points = descendants(source, 'pt');
  if (points.length === 0) return new Map(descendants(source, 'v').map((value, i) => [i, textOf(value)]));
  return new Map(
    points.map((point) => {
      const value = element(point, 'v') ?? point;
      return [
        Number(point.attributes['idx']),
        printed(textOf(value), point.attributes['formatCode'] ?? format),
      ];
    }),
  );
}

/** Returns the group of a point. An outer category level names a group only at its first point. */
function lastUpTo(level: Points, index: number): string {
  const [, text = ''] = [...level].findLast(([first]) => first <= index) ?? [];
  return text;
}

/** Formats percentages and dates as displayed. Rounds other numbers, which hides binary fraction errors. */
function printed(value: string, format: string): string {
  const number = Number(value);
  if (value.trim() === '' || !Number.isFinite(number)) return value;
  if (isPercentFormat(format)) return `${exact(number * 100)}%`;
  return (isDateFormat(format) ? isoDate(number) : undefined) ?? exact(number);
}

function exact(number: number): string {
  return String(Number(number.toPrecision(15)));
}

function tablesOf(series: readonly Series[], categoryTitle: string): string[][][] {
  const groups = new Map<string, Series[]>();
  for (const one of series) {
    const key = JSON.stringify([...one.categories]);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()].map((group) => tableOf(group, categoryTitle)).filter((rows) => rows.length > 1);
}

function tableOf(group: readonly Series[], categoryTitle: string): string[][] {
  const categories = group[0]?.categories ?? new Map<number, string>();
  const indexes = new Set([...categories.keys(), ...group.flatMap(({ values }) => [...values.keys()])]);
  const rows = [...indexes]
    .sort((a, b) => a - b)
    .map((index) => [categories.get(index) ?? '', ...group.map(({ values }) => values.get(index) ?? '')]);
  return [[categoryTitle, ...group.map(({ name }) => name)], ...rows];
}

import { contentTypes, relationships, xml, zip } from './archives.mjs';

const MAIN = 'http://schemas.openxmlformats.org/drawingml/2006/main';
const CHART = 'http://schemas.openxmlformats.org/drawingml/2006/chart';
const NEW_CHART = 'http://schemas.microsoft.com/office/drawing/2014/chartex';
const RELATIONSHIPS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const WORD = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const COMPATIBILITY = 'http://schemas.openxmlformats.org/markup-compatibility/2006';

/** Documents with charts, and with ruby text. */
export function chartFiles() {
  return { 'charts.docx': docx(), 'charts.pptx': pptx() };
}

const points = (values, name = 'v') =>
  values
    .map((value, i) => (value === null ? '' : `<c:pt idx="${i}"><c:${name}>${value}</c:${name}></c:pt>`))
    .join('');
const numbers = (values, format = 'General') =>
  `<c:numRef><c:f>Sheet1!B2</c:f><c:numCache><c:formatCode>${format}</c:formatCode><c:ptCount val="${values.length}"/>${points(values)}</c:numCache></c:numRef>`;
const texts = (values) =>
  `<c:strRef><c:f>Sheet1!A2</c:f><c:strCache>${points(values)}</c:strCache></c:strRef>`;
const title = (text) =>
  `<c:title><c:tx><c:rich><a:p><a:r><a:t>${text}</a:t></a:r></a:p></c:rich></c:tx></c:title>`;
const series = (name, categories, values) =>
  `<c:ser><c:tx>${texts([name])}</c:tx><c:cat>${categories}</c:cat><c:val>${values}</c:val></c:ser>`;
const chart = (content) =>
  xml(`<c:chartSpace xmlns:c="${CHART}" xmlns:a="${MAIN}"><c:chart>${content}</c:chart></c:chartSpace>`);

/** Two series over the same categories. One value is missing, and one value has no exact binary form. */
const bars = chart(
  `${title('Nests &amp; eggs')}<c:plotArea><c:barChart>${series('Herons', texts(['North', 'South']), numbers([3, null]))}${series('Terns', texts(['North', 'South']), numbers([0.30000000000000004, 12]))}</c:barChart><c:catAx>${title('Shore')}</c:catAx><c:valAx>${title('per km')}</c:valAx></c:plotArea>`,
);

/** Dates and percentages. */
const lines = chart(
  `<c:plotArea><c:lineChart>${series('Share', numbers([45292, 45293.5], 'm/d/yyyy'), numbers([0.25, 0.5], '0%'))}</c:lineChart></c:plotArea>`,
);

/** Categories in two levels. */
const nested = chart(
  `${title('By year')}<c:plotArea><c:barChart>${series('Rain', `<c:multiLvlStrRef><c:multiLvlStrCache><c:lvl>${points(['Spring', 'Autumn', 'Spring'])}</c:lvl><c:lvl>${points(['2023', null, '2024'])}</c:lvl></c:multiLvlStrCache></c:multiLvlStrRef>`, numbers([1, 2, 3]))}</c:barChart></c:plotArea>`,
);

/** Points with two coordinates, in two series without a common coordinate. */
const scatter = chart(
  `<c:plotArea><c:scatterChart>${[
    ['Wading', [1, 2], [5, 6]],
    ['Diving', [3], [7]],
  ]
    .map(
      ([name, x, y]) =>
        `<c:ser><c:tx><c:v>${name}</c:v></c:tx><c:xVal>${numbers(x)}</c:xVal><c:yVal>${numbers(y)}</c:yVal></c:ser>`,
    )
    .join('')}</c:scatterChart></c:plotArea>`,
);

/** A chart type of Office 2016. */
const funnel = xml(
  `<cx:chartSpace xmlns:cx="${NEW_CHART}" xmlns:a="${MAIN}"><cx:chartData><cx:data id="0"><cx:strDim type="cat"><cx:lvl ptCount="2"><cx:pt idx="0">Eggs</cx:pt><cx:pt idx="1">Fledged</cx:pt></cx:lvl></cx:strDim><cx:numDim type="val"><cx:lvl ptCount="2" formatCode="General"><cx:pt idx="0">40</cx:pt><cx:pt idx="1">22</cx:pt></cx:lvl></cx:numDim></cx:data></cx:chartData><cx:chart><cx:title><cx:tx><cx:rich><a:p><a:r><a:t>Survival</a:t></a:r></a:p></cx:rich></cx:tx></cx:title><cx:plotArea><cx:plotAreaRegion><cx:series layoutId="funnel"><cx:tx><cx:txData><cx:v>Birds</cx:v></cx:txData></cx:tx><cx:dataId val="0"/></cx:series></cx:plotAreaRegion></cx:plotArea></cx:chart></cx:chartSpace>`,
);

/** Charts as [name of the part, content]. */
const parts = [
  ['chart1', bars],
  ['chart2', lines],
  ['chart3', nested],
  ['chart4', scatter],
  ['chartEx1', funnel],
];
const chartParts = (folder) =>
  Object.fromEntries(parts.map(([name, content]) => [`${folder}/charts/${name}.xml`, content]));
const chartRelationships = (path) =>
  relationships(
    ...parts.map(([name]) => [name.startsWith('chartEx') ? 'chartEx' : 'chart', `${path}charts/${name}.xml`]),
  );

function docx() {
  const run = (text) => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;
  const paragraph = (content) => `<w:p>${content}</w:p>`;
  const graphic = (id, kind = 'c') =>
    `<w:drawing><a:graphic><a:graphicData><${kind}:chart r:id="${id}"/></a:graphicData></a:graphic></w:drawing>`;
  const drawing = (id) => `<w:r>${graphic(id)}</w:r>`;
  const ruby = (base, reading) =>
    `<w:r><w:ruby><w:rubyPr><w:lid w:val="ja-JP"/></w:rubyPr><w:rt>${run(reading)}</w:rt><w:rubyBase>${run(base)}</w:rubyBase></w:ruby></w:r>`;
  const newChart = `<w:r><mc:AlternateContent><mc:Choice Requires="cx1">${graphic('rId5', 'cx')}</mc:Choice><mc:Fallback>${run('[a chart]')}</mc:Fallback></mc:AlternateContent></w:r>`;
  const cell = (content) => `<w:tc>${paragraph(content)}</w:tc>`;
  const body = [
    paragraph(run('Before &lt;the&gt; chart. ') + drawing('rId1') + run('After the chart.')),
    paragraph(drawing('rId2')),
    paragraph(drawing('rId3')),
    `<w:tbl><w:tr>${cell(run('In a table'))}${cell(drawing('rId4'))}</w:tr></w:tbl>`,
    paragraph(newChart),
    paragraph(run('The ') + ruby('鷺', 'さぎ') + run(' waits.')),
  ];
  return zip({
    '[Content_Types].xml': contentTypes({
      '/word/document.xml':
        'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml',
    }),
    '_rels/.rels': relationships(['officeDocument', 'word/document.xml']),
    'word/_rels/document.xml.rels': chartRelationships(''),
    ...chartParts('word'),
    'word/document.xml': xml(
      `<w:document xmlns:w="${WORD}" xmlns:a="${MAIN}" xmlns:c="${CHART}" xmlns:cx="${NEW_CHART}" xmlns:r="${RELATIONSHIPS}" xmlns:mc="${COMPATIBILITY}"><w:body>${body.join('')}</w:body></w:document>`,
    ),
  });
}

function pptx() {
  const names = `xmlns:a="${MAIN}" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:r="${RELATIONSHIPS}" xmlns:c="${CHART}" xmlns:cx="${NEW_CHART}" xmlns:mc="${COMPATIBILITY}"`;
  const shape = (text) => `<p:sp><p:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:txBody></p:sp>`;
  const frame = (id, kind = 'c') =>
    `<p:graphicFrame><a:graphic><a:graphicData><${kind}:chart r:id="${id}"/></a:graphicData></a:graphic></p:graphicFrame>`;
  const content = `${shape('Before the charts')}${frame('rId1')}${shape('Between the charts')}<mc:AlternateContent><mc:Choice>${frame('rId5', 'cx')}</mc:Choice><mc:Fallback>${shape('[a chart]')}</mc:Fallback></mc:AlternateContent>`;
  return zip({
    '[Content_Types].xml': contentTypes({}),
    '_rels/.rels': relationships(['officeDocument', 'ppt/presentation.xml']),
    'ppt/presentation.xml': xml(
      `<p:presentation ${names}><p:sldIdLst><p:sldId id="256" r:id="rId1"/></p:sldIdLst></p:presentation>`,
    ),
    'ppt/_rels/presentation.xml.rels': relationships(['slide', 'slides/slide1.xml']),
    'ppt/slides/_rels/slide1.xml.rels': chartRelationships('../../documents/'),
    ...chartParts('ppt'),
    'ppt/slides/slide1.xml': xml(`<p:sld ${names}><p:cSld><p:spTree>${content}</p:spTree></p:cSld></p:sld>`),
  });
}

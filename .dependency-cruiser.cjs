/**
 * The house of docs/project/architecture.md, enforced: imports run downwards only, there are no circles, and rooms on one floor
 * do not reach into each other but for the doors that are listed. `npm run lint` runs it.
 */

/** Lowest floor first. A room may import from its own folder and from every floor below. */
const FLOORS = [
  { name: 'bedrock', rooms: ['errors', 'json', 'lexical', 'request', 'telemetry'] },
  { name: 'settings', rooms: ['config'] },
  { name: 'ground', rooms: ['database', 'storage', 'metadata'] },
  { name: 'frame', rooms: ['access', 'auth', 'http', 'quotas'] },
  { name: 'models', rooms: ['models'] },
  {
    name: 'store and text',
    rooms: ['chunks', 'pages', 'corpus', 'filters', 'reading'],
  },
  { name: 'work', rooms: ['ingestion'] },
  { name: 'search', rooms: ['retrieval'] },
  { name: 'story', rooms: ['answering', 'chats'] },
  { name: 'doors', rooms: ['query', 'documents', 'folders', 'events', 'operations'] },
  { name: 'protocols', rooms: ['mcp', 'openai'] },
];

/** Open doors between neighbours on one floor: [who, may import, why]. */
const DOORS = [
  ['chats', 'answering', 'a stored turn holds the evidence of its answer'],
  ['folders', 'documents', 'a folder goes with its documents, and is shown with their records'],
  ['operations', 'documents', 'the documents and files of a person who is removed are deleted'],
  ['operations', 'folders', 'the folders of a person who is removed are deleted or left to others'],
  ['chunks', 'filters', 'a statement over chunks carries the compiled filter in its predicate'],
  ['pages', 'filters', 'a statement over pages carries the compiled filter in its predicate'],
  [
    'pages',
    'chunks',
    'pages are found by their passages, merged with them into one ranking, and indexed in the same vector space',
  ],
  ['pages', 'reading', 'an image as a question is drawn and recognised like a page'],
  ['corpus', 'filters', 'a listing carries the compiled filter in its predicate'],
  ['http', 'auth', 'requests carry the scope of their key'],
  ['http', 'access', 'a request acts for the end user of its key'],
  ['access', 'auth', 'the rule reads who the caller is from the scope of the key'],
  ['quotas', 'auth', 'a quota counts for the tenant and the end user of a key'],
  ['quotas', 'access', 'a count is about an end user'],
  ['auth', 'access', 'a token acts for the end user of its key'],
  ['storage', 'database', 'a store belongs to one database, and is compared with it'],
];

/** Shapes that neighbours may share: request and response bodies, types, and tables that others refer to. */
const SHARED_SHAPES = '\\.(dto|types|entity)\\.ts$';

/** Specs may wire any collaborator. */
const SPEC = '\\.spec\\.ts$';

const { existsSync, readFileSync } = require('node:fs');
const { join } = require('node:path');

/** The rooms above, those of the map in docs/project/architecture.md and the folders of src/ are the same. */
const rooms = FLOORS.flatMap((floor) => floor.rooms);
const map =
  readFileSync(join(__dirname, 'docs/project/architecture.md'), 'utf8').match(/^\| [^|]+ \| `[^|]+ \|/gm) ??
  [];
const mapped = [...map.join('').matchAll(/`(\w+)\/`/g)].map(([, room]) => room);
const lost = [
  ...rooms.filter((room) => !existsSync(join(__dirname, 'src', room))).map((room) => `no folder src/${room}`),
  ...rooms
    .filter((room) => !mapped.includes(room))
    .map((room) => `docs/project/architecture.md lacks ${room}/`),
  ...mapped.filter((room) => !rooms.includes(room)).map((room) => `no floor here has ${room}/`),
];
if (lost.length > 0) throw new Error(`The map of the house is not true: ${lost.join('; ')}`);

const DRAWERS = 'shared|common|util|utils|helper|helpers|misc';

const inRooms = (rooms) => `^src/(${rooms.join('|')})/`;

const downwardsOnly = FLOORS.slice(0, -1).map(({ name, rooms }, index) => ({
  name: `downwards-only: ${name}`,
  comment: `The floor "${name}" must not know the floors above it.`,
  severity: 'error',
  from: { path: inRooms(rooms), pathNot: SPEC },
  to: {
    path: [...FLOORS.slice(index + 1).map((floor) => inRooms(floor.rooms)), '^src/[^/]+\\.ts$'],
  },
}));

const WORK = FLOORS.findIndex(({ name }) => name === 'work');

const ABOVE_THE_WORK = [...FLOORS.slice(WORK + 1).map(({ rooms }) => inRooms(rooms)), '^src/[^/]+[.]ts$'];

const neighbours = FLOORS.flatMap(({ rooms }) =>
  rooms.map((room) => [room, rooms.filter((one) => one !== room)]),
)
  .map(([room, others]) => {
    const doors = DOORS.filter(([who]) => who === room).map(([, door]) => door);
    return [room, others.filter((one) => !doors.includes(one))];
  })
  .filter(([, closed]) => closed.length > 0)
  .map(([room, closed]) => ({
    name: `closed-door: ${room}`,
    comment: `${room}/ must not import ${closed.join('/, ')}/ (shared DTO and type files aside).`,
    severity: 'error',
    from: { path: inRooms([room]), pathNot: SPEC },
    to: { path: inRooms(closed), pathNot: SHARED_SHAPES },
  }));

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-circles',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    ...downwardsOnly,
    ...neighbours,
    {
      name: 'doors-know-no-edge',
      comment: 'Nothing but the start knows the wiring.',
      severity: 'error',
      from: { path: inRooms(FLOORS.at(-1).rooms), pathNot: SPEC },
      to: { path: '^src/[^/]+\\.ts$' },
    },
    {
      name: 'known-rooms-only',
      comment:
        'A new folder under src/ belongs on a floor: write it into this file and into docs/project/architecture.md.',
      severity: 'error',
      from: {
        path: '^src/[^/]+/',
        pathNot: FLOORS.map(({ rooms }) => inRooms(rooms)),
      },
      to: {},
    },
    {
      name: 'server-stands-alone',
      comment:
        'The other workspaces stand on the server, on its client or on each other, never the other way round.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(maintenance|cli|clients|evaluation|web)/' },
    },
    {
      name: 'reader-stands-alone',
      comment: 'The reader is a package of its own: bytes in, text out, without a framework or a database.',
      severity: 'error',
      from: { path: '^reader/' },
      to: { path: ['^(src|cli|clients|evaluation|web)/', 'node_modules/(@nestjs|typeorm)/'] },
    },
    {
      name: 'reader-by-the-front-door',
      severity: 'error',
      from: { path: '^(src|maintenance|cli|web|evaluation)/' },
      to: { path: '^reader/', pathNot: '^reader/src/(index|formats)[.]ts$' },
    },
    {
      name: 'commands-by-the-front-doors',
      comment:
        'The commands know of the server what index.ts (light) and parts.ts (everything that works) export, and its start.',
      severity: 'error',
      from: { path: '^cli/' },
      to: { path: '^src/', pathNot: '^src/(index|parts|main)[.]ts$' },
    },
    {
      name: 'maintenance-above-the-work',
      comment:
        'It stands on the stored data and the queue, not on what answers requests or starts the server.',
      severity: 'error',
      from: { path: '^maintenance/', pathNot: SPEC },
      to: {
        path: ['^(cli|clients|evaluation|web)/', ...ABOVE_THE_WORK],
      },
    },
    {
      name: 'maintenance-by-the-front-door',
      severity: 'error',
      from: { path: '^cli/' },
      to: { path: '^maintenance/', pathNot: '^maintenance/index[.]ts$' },
    },
    {
      name: 'evaluation-is-pure',
      comment: 'It computes and draws, on the command line and in browsers alike.',
      severity: 'error',
      from: { path: '^evaluation/', pathNot: SPEC },
      to: {
        path: ['^(src|cli|clients|web)/', '^node:'],
        dependencyTypes: ['core', 'local', 'aliased-workspace'],
      },
    },
    {
      name: 'playground-takes-pure-functions',
      comment:
        'The playground runs in browsers: of the service it takes what is listed here, and calls the rest by HTTP.',
      severity: 'error',
      from: { path: '^web/' },
      to: {
        path: '^(src|reader|clients)/',
        pathNot: '^src/lexical/[^/]+[.]ts$|^reader/src/formats[.]ts$|^clients/typescript/src/index[.]ts$',
      },
    },
    {
      name: 'playground-api-in-one-place',
      severity: 'error',
      from: { path: '^web/src/', pathNot: '^web/src/api/' },
      to: { path: '^clients/' },
    },
    {
      name: 'no-drawers',
      comment: 'A shared drawer has no owner. Put the code where its subject lives.',
      severity: 'error',
      from: {},
      to: { path: `/(${DRAWERS})(/|[.]ts$)`, pathNot: 'node_modules' },
    },
    {
      name: 'onnxruntime-in-one-place',
      comment: 'models/embedding/local/onnx-runtime.ts turns its telemetry off before it loads it.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/models/embedding/local/onnx-runtime[.]ts$' },
      to: { path: 'node_modules/onnxruntime-node/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'tracing-sdk-in-one-place',
      comment:
        'telemetry/otlp.ts is loaded only when tracing is on; everybody else makes spans by telemetry/spans.ts.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/telemetry/(otlp|spans)[.]ts$' },
      to: { path: 'node_modules/@opentelemetry/' },
    },
    {
      name: 'tracing-sdk-on-demand',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^src/telemetry/otlp[.]ts$', dependencyTypesNot: ['dynamic-import'] },
    },
    {
      name: 'product-knows-no-tests',
      severity: 'error',
      from: { path: '^(src|reader|maintenance)/', pathNot: SPEC },
      to: { path: ['^test/', '^bench/', SPEC] },
    },
    {
      name: 'no-development-packages-in-the-product',
      severity: 'error',
      from: { path: '^(src|reader|maintenance)/', pathNot: SPEC },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'resolvable',
      comment: 'A package of types has nothing to resolve.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^@schummar/icu-type-parser$' },
    },
    {
      name: 'declared-packages-only',
      comment: 'A package that comes with another one may go with it too.',
      severity: 'error',
      from: { path: '^(src|reader|maintenance)/', pathNot: '^reader/.*[.]spec[.]ts$' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'undetermined'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@lectern/source', 'import', 'node', 'default'],
    },
  },
};

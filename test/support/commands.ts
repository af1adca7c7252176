/** The commands of `lectern`, as its help lists them. */
export const COMMANDS = [
  'serve',
  'demo',
  'ingest',
  'ask',
  'search',
  'eval',
  'keys',
  'import',
  'mcp',
  'doctor',
  'reindex',
  'migrate',
  'distribute',
  'export',
  'restore',
  'start',
];

/** The commands of `lectern`, in the order of its usage. */
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

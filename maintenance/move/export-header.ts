import { validate as isUuid } from 'uuid';
import { MAX_SHARDS } from '../../src/auth/scope.js';
import { CHUNKS, PAGES, type Space } from '../../src/chunks/vectors/vector-space.js';
import { isJsonObject } from '../../src/json/exact-json.js';
import { RefusedExport, type ExportHeader, type MovedTenant, type SectionHead } from './format.js';

const MAX_NAME = 1_000;
const MAX_DIMENSIONS = 16_000;
const MAX_COUNT = 2_147_483_647;

/**
 * More revisions than an installation ever assigns. New jobs of the receiving installation continue after it, and must
 * stay below the maximum of a bigint.
 */
const REVISION = /^\d{1,15}$/;
const TIMESTAMP = /^\d{4,6}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?[+-]\d\d(:?\d\d){0,2}$/;
const CONTROL = /\p{Cc}/u;

/** Validates the header of an export. @throws RefusedExport */
export function checkedHeader(value: unknown): ExportHeader {
  if (!isJsonObject(value)) throw refused('it is not an object');
  const { id, version, schema, createdAt, tenants, spaces, revision } = value;
  if (!isUuid(id)) throw refused('"id" is not a UUID');
  if (!Array.isArray(tenants) || !isJsonObject(spaces)) throw refused('"tenants" or "spaces" is missing');
  if (typeof revision !== 'string' || !REVISION.test(revision)) {
    throw refused('"revision" is not a number of jobs');
  }
  const listed = tenants.map(tenant);
  if (new Set(listed.map(({ appId }) => appId)).size < listed.length)
    throw refused('a tenant is listed twice');
  return {
    id: String(id),
    version: text(version, 'version'),
    schema: text(schema, 'schema'),
    createdAt: text(createdAt, 'createdAt'),
    tenants: listed,
    spaces: { [CHUNKS.space]: space(spaces[CHUNKS.space]), [PAGES.space]: space(spaces[PAGES.space]) },
    revision,
  };
}

/** Validates the line of a section. @throws RefusedExport */
export function checkedHead({ section, bytes, file, rows }: Readonly<Record<string, unknown>>): SectionHead {
  const head = { section: Number(section), bytes: Number(bytes) };
  if (isJsonObject(file) && typeof file['appId'] === 'string' && typeof file['key'] === 'string') {
    return { ...head, file: { appId: file['appId'], key: file['key'] } };
  }
  if (isJsonObject(rows)) {
    const { table, columns, count } = rows;
    if (typeof table === 'string' && isTexts(columns) && isCount(count)) {
      return { ...head, rows: { table, columns, count } };
    }
  }
  throw new RefusedExport(`section ${head.section} contains neither a file nor rows`);
}

function tenant(value: unknown): MovedTenant {
  if (!isJsonObject(value)) throw refused('a tenant is not an object');
  const { appId, name, shards, createdAt, tokenVersion } = value;
  if (!isCount(shards) || shards < 1 || shards > MAX_SHARDS) {
    throw refused(`a tenant has no number of parts from 1 to ${MAX_SHARDS}`);
  }
  if (typeof createdAt !== 'string' || !TIMESTAMP.test(createdAt)) throw refused('a tenant has no time');
  if (!isCount(tokenVersion)) throw refused('a tenant has no number of key rotations');
  return { appId: text(appId, 'appId'), name: text(name, 'name'), shards, createdAt, tokenVersion };
}

function space(value: unknown): Space | null {
  if (value === undefined || value === null) return null;
  const { model, dimensions } = isJsonObject(value) ? value : {};
  if (!isCount(dimensions) || dimensions < 1 || dimensions > MAX_DIMENSIONS) {
    throw refused('a vector space has no number of dimensions');
  }
  return { model: text(model, 'model'), dimensions };
}

/** Control characters are refused, because the separator of shard ids is one, and a terminal obeys others. */
function text(value: unknown, name: string): string {
  if (typeof value === 'string' && value !== '' && value.length <= MAX_NAME && !CONTROL.test(value))
    return value;
  throw refused(`"${name}" is not a text of 1 to ${MAX_NAME} printable characters`);
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MAX_COUNT;
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function refused(reason: string): RefusedExport {
  return new RefusedExport(`its header is not valid (${reason})`);
}

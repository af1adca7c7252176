import { existsSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { DataSource } from 'typeorm';
import { FolderInUse, localUrl, StartRefused, type Settings } from '../../../src/index.js';
import {
  clusterStatus,
  ConfigModule,
  ConfiguredModel,
  connectDatabase,
  Embedder,
  EmbeddingModule,
  inDataFolder,
  inEnvironment,
  isDistributed,
  knownModel,
  remedyOf,
  NoLanguageModel,
  objectKey,
  ObjectStore,
  recentTexts,
  requireMigrated,
  requireVectorExtension,
  RuntimeModelRepository,
  SigningSecret,
  StorageModule,
  StoreOwnership,
  type StoreAccess,
  languageWarning,
} from '../../../src/parts.js';
import { calibrate } from './calibration.js';
import { fail, ok, warn, type Check, type Finding } from './finding.js';
import { modelOfService, pingAt, portRemedy } from './running-service.js';

/** Checks database, models and object store through the service's own modules. */
export function partChecks(settings: Settings): Check[] {
  return [
    {
      name: 'database',
      mend:
        settings.DATABASE_URL === undefined
          ? 'Set DATA_DIR (--data of lectern serve) to the folder of the embedded database, or DATABASE_URL to a PostgreSQL server'
          : 'Set DATABASE_URL to a reachable PostgreSQL server with pgvector 0.8 or later',
      look: () => refusedAs(() => database(settings)),
    },
    ...(settings.DATABASE_URL === undefined
      ? []
      : [
          {
            name: 'cluster',
            mend: 'Check the cluster against docs/operate/scale.md; "lectern distribute" runs the remaining steps',
            look: () => cluster(settings),
          },
        ]),
    {
      name: 'embedding model',
      mend:
        settings.EMBEDDING_MODEL === 'local'
          ? 'Reinstall Lectern (npm ci), or set EMBEDDING_MODEL to a model of a provider'
          : 'Check EMBEDDING_MODEL, EMBEDDING_API_BASE, EMBEDDING_API_KEY and EMBEDDING_DIMENSIONS',
      look: () => embedding(settings),
    },
    {
      name: 'object store',
      mend:
        settings.STORAGE === 's3'
          ? 'Check S3_ENDPOINT, S3_BUCKET, S3_REGION, S3_ACCESS_KEY and S3_SECRET_KEY'
          : 'Set DATA_DIR (--data of lectern serve) to another folder',
      look: () => refusedAs(() => inDataFolder(settings, () => storage(settings))),
    },
    {
      name: 'language model',
      mend: 'Check LLM_MODEL, LLM_API_BASE and LLM_API_KEY, or the page Settings, and that the provider is running',
      look: () => languageModel(settings),
    },
  ];
}

/** Reports a refusal without the remedy of the check, because its message names one. */
async function refusedAs(look: () => Promise<Finding>): Promise<Finding> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof StartRefused) return fail(error.message);
    throw error;
  }
}

/** @throws the error of the file system, unless it says that there is no such folder */
async function isThere(folder: string): Promise<boolean> {
  try {
    await access(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

async function database(settings: Settings): Promise<Finding> {
  const embedded = settings.DATABASE_URL === undefined;
  const folder = embeddedFolder(settings);
  if (embedded && !(await inDataFolder(settings, () => isThere(folder)))) {
    return ok(`embedded, will be created in ${folder} at the first start`);
  }
  let source;
  try {
    source = await inDataFolder(settings, () => connectDatabase(settings));
  } catch (error) {
    // A running service locks its embedded database. If the service answers, the database works.
    if (!(error instanceof FolderInUse)) throw error;
    if (await pingAt(localUrl(settings))) return ok('embedded, in use by the running service');
    return warn(`embedded, and in use: ${error.message}. If it is the service, ${portRemedy(settings)}`);
  }
  try {
    const [row] = await source.query<{ server_version: string }[]>('show server_version');
    const version = await requireVectorExtension(source);
    const outdated = await schemaProblem(source);
    if (outdated !== null) return fail(outdated);
    const versions = `PostgreSQL ${row?.server_version ?? 'of unknown version'}, pgvector ${version}`;
    return ok(embedded ? `embedded, ${versions}` : versions);
  } finally {
    await source.destroy();
  }
}

/** Checks the distribution of tenants over the nodes of a cluster. */
async function cluster(settings: Settings): Promise<Finding> {
  const status = await withStored(settings, async (source) =>
    (await isDistributed(source)) ? await clusterStatus(source) : null,
  );
  if (status === undefined || status === null) return ok('not distributed: all tenants are on one server');
  const nodes = status.nodes.map(
    ({ address, tenants, chunks }) =>
      `${address} has ${counted(tenants, 'tenant')} with ${counted(chunks, 'chunk')}`,
  );
  const found = `${counted(nodes.length, 'node')}: ${nodes.join(', ')}`;
  return status.problems.length === 0 ? ok(found) : warn([found, ...status.problems].join('. '));
}

function counted(count: number | null, what: string): string {
  return `${count ?? 'an unknown number of'} ${what}${count === 1 ? '' : 's'}`;
}

function embedding(settings: Settings): Promise<Finding> {
  return withPart(settings, EmbeddingModule, Embedder, async (embedder) => {
    await embedder.embedDocuments(['A text that tests the embedding model.']);
    const found = `${embedder.model}, ${embedder.dimensions} dimensions`;
    const advice = await withStored(
      settings,
      async (source) =>
        (await languageWarning(await recentTexts(source), embedder)) ??
        (await scaleAdvice(settings, source, embedder)),
    );
    return advice ? warn(`${found}. ${advice}`) : ok(found);
  });
}

/**
 * Proposes a value for EMBEDDING_COSINE_FLOOR. Returns null if no proposal is needed (the setting has a value, the
 * value for this model is known, or the current value is right) or if the sample is too small.
 */
async function scaleAdvice(
  { EMBEDDING_COSINE_FLOOR: set }: Settings,
  source: DataSource,
  embedder: Embedder,
): Promise<string | null> {
  if (set !== undefined || knownModel(embedder.model).cosineFloor !== undefined) return null;
  const measured = await calibrate(source, embedder);
  if (measured === undefined || measured.floor === embedder.cosineFloor) return null;
  const [unrelated, related, floor] = [measured.unrelated, measured.related, measured.floor].map((value) =>
    value.toFixed(2),
  );
  return (
    `The mean cosine of unrelated texts is ${unrelated ?? ''} with this model, and of two halves of one text ${related ?? ''}: ` +
    `set EMBEDDING_COSINE_FLOOR=${floor ?? ''}`
  );
}

async function storage(settings: Settings): Promise<Finding> {
  const { STORAGE, DATA_DIR } = settings;
  if (STORAGE === 'local' && !existsSync(resolve(DATA_DIR)))
    return ok('local, will be created at the first start');
  return withPart(settings, StorageModule, ObjectStore, async (store) => {
    const found =
      STORAGE === 'local' ? `local, ${resolve(DATA_DIR, 'files')}` : `${STORAGE}, ${store.bucket}`;
    const access = await accessOf(settings, store);
    if (access?.kind === 'foreign') return fail(`${found}. ${access.reason}. ${remedyOf(access)}`);
    if (settings.STORAGE_READ_ONLY) {
      await store.readNote();
      return ok(`${found}, read only`);
    }
    // The key is always the same, and the object is deleted even if the write fails. A slow store may complete a failed
    // write later, and the objects of several runs must not accumulate.
    const key = objectKey('doctor', 'probe');
    await store.put(key, Buffer.from('probe')).finally(() => store.delete(key));
    return ok(found);
  });
}

/** Whether the store belongs to this installation; undefined if the database cannot be read, see {@link withStored}. */
function accessOf(settings: Settings, store: ObjectStore): Promise<StoreAccess | undefined> {
  return withStored(settings, (source) => new StoreOwnership(settings, source, store).compare());
}

/**
 * Reads from the database; undefined if the database is unavailable, no service has created its tables, or they are of
 * another version.
 */
async function withStored<T>(
  settings: Settings,
  find: (source: DataSource) => Promise<T>,
): Promise<T | undefined> {
  if (settings.DATABASE_URL === undefined && !existsSync(embeddedFolder(settings))) return undefined;
  let source;
  try {
    source = await connectDatabase(settings);
  } catch {
    return undefined; // the database check reports the error
  }
  try {
    const isUsable = (await hasTables(source)) && (await schemaProblem(source)) === null;
    return isUsable ? await find(source) : undefined;
  } finally {
    await source.destroy();
  }
}

/** Whether a service has created its tables. */
async function hasTables(source: DataSource): Promise<boolean> {
  const [table] = await source.query<{ found: boolean }[]>(
    `select to_regclass('service_state') is not null as found`,
  );
  return table?.found === true;
}

/** Returns why this version cannot use the tables, with the remedy; null: it can, or there are none. */
async function schemaProblem(source: DataSource): Promise<string | null> {
  if (!(await hasTables(source))) return null;
  try {
    await requireMigrated(source);
    return null;
  } catch (error) {
    if (error instanceof StartRefused) return error.message;
    throw error;
  }
}

const embeddedFolder = ({ DATA_DIR }: Settings): string => join(resolve(DATA_DIR), 'postgres');

async function languageModel(settings: Settings): Promise<Finding> {
  const stored = await withStored(settings, async (source) => {
    const secret = await SigningSecret.load(settings);
    return new ConfiguredModel(settings, new RuntimeModelRepository(source, secret)).get();
  });
  if (stored === undefined && settings.DATABASE_URL === undefined) {
    const running = await modelOfService(settings); // the running service locks the embedded database
    if (running !== undefined) return running;
  }
  const { model, problem, source } = stored ?? inEnvironment(settings);
  await model.check();
  const name = model instanceof NoLanguageModel ? `${model.name}: best passages` : model.name;
  const found = source === 'runtime' ? `${name}, connected on the page Settings` : name;
  return problem === null ? ok(found) : warn(`${found}. ${problem}`);
}

@Module({})
class PartOnly {
  static with(settings: Settings, part: Type): DynamicModule {
    return { module: PartOnly, imports: [ConfigModule.with(settings), part] };
  }
}

/** Starts one module of the service for the duration of `work`. */
async function withPart<T>(
  settings: Settings,
  part: Type,
  token: (abstract new (...given: never[]) => T) & object,
  work: (part: T) => Promise<Finding>,
): Promise<Finding> {
  const context = await NestFactory.createApplicationContext(PartOnly.with(settings, part), {
    logger: false,
    abortOnError: false,
  });
  try {
    return await work(context.get<T>(token));
  } finally {
    await context.close(); // the threads of the bundled model would keep the process alive
  }
}

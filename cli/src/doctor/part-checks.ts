import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { DataSource } from 'typeorm';
import { localUrl, StartRefused, type Settings } from '../../../src/index.js';
import {
  clusterStatus,
  ConfigModule,
  connectDatabase,
  Embedder,
  EmbeddingModule,
  isDistributed,
  knownModel,
  LanguageModel,
  LlmModule,
  remedyOf,
  NoLanguageModel,
  objectKey,
  ObjectStore,
  recentTexts,
  requireVectorExtension,
  StorageModule,
  StoreOwnership,
  type StoreAccess,
  languageWarning,
} from '../../../src/parts.js';
import { calibrate } from './calibration.js';
import { fail, ok, warn, type Check, type Finding } from './finding.js';
import { pingAt } from './running-service.js';

/** The database, the models and the store of files, each as the service itself uses it. */
export function partChecks(settings: Settings): Check[] {
  return [
    {
      name: 'database',
      mend:
        settings.DATABASE_URL === undefined
          ? 'DATA_DIR (--data of lectern serve) names the folder of the embedded one, DATABASE_URL a PostgreSQL server instead'
          : 'Set DATABASE_URL to a PostgreSQL server with pgvector 0.8 or later that is reached from here',
      look: () => database(settings),
    },
    ...(settings.DATABASE_URL === undefined
      ? []
      : [
          {
            name: 'cluster',
            mend: 'docs/operate/scale.md says how a cluster is to be; "lectern distribute" takes what steps are left',
            look: () => cluster(settings),
          },
        ]),
    {
      name: 'embedding model',
      mend:
        settings.EMBEDDING_MODEL === 'local'
          ? 'Install Lectern anew (npm ci), or set EMBEDDING_MODEL to a model behind an address'
          : 'Check EMBEDDING_MODEL, EMBEDDING_API_BASE, EMBEDDING_API_KEY and EMBEDDING_DIMENSIONS',
      look: () => embedding(settings),
    },
    {
      name: 'store of files',
      mend:
        settings.STORAGE === 's3'
          ? 'Check S3_ENDPOINT, S3_BUCKET, S3_REGION, S3_ACCESS_KEY and S3_SECRET_KEY'
          : 'Let this user write to DATA_DIR, and see that its disk has room',
      look: () => storage(settings),
    },
    {
      name: 'language model',
      mend: 'Check LLM_MODEL, LLM_API_BASE and LLM_API_KEY, and that the provider runs',
      look: () => languageModel(settings),
    },
  ];
}

async function database(settings: Settings): Promise<Finding> {
  const embedded = settings.DATABASE_URL === undefined;
  const folder = embeddedFolder(settings);
  if (embedded && !existsSync(folder)) return ok(`embedded, made in ${folder} at the first start`);
  let source;
  try {
    source = await connectDatabase(settings);
  } catch (error) {
    // It belongs to one process, which answers for it.
    const isHeld = embedded && error instanceof StartRefused && (await pingAt(localUrl(settings)));
    if (isHeld) return ok('embedded, in use by the running service');
    throw error;
  }
  try {
    const [row] = await source.query<{ server_version: string }[]>('show server_version');
    const version = await requireVectorExtension(source);
    const versions = `PostgreSQL ${row?.server_version ?? 'of unknown version'}, pgvector ${version}`;
    return ok(embedded ? `embedded, ${versions}` : versions);
  } finally {
    await source.destroy();
  }
}

/** How tenants lie over the nodes of a distributed database. */
async function cluster(settings: Settings): Promise<Finding> {
  const status = await withStored(settings, async (source) =>
    (await isDistributed(source)) ? await clusterStatus(source) : null,
  );
  if (status === undefined || status === null) return ok('none: all tenants are on one server');
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
    await embedder.embedDocuments(['A text to see whether it embeds.']);
    const found = `${embedder.model}, ${embedder.dimensions} dimensions`;
    const advice = await withStored(
      settings,
      async (source) =>
        languageWarning(await recentTexts(source), embedder) ??
        (await scaleAdvice(settings, source, embedder)),
    );
    return advice ? warn(`${found}. ${advice}`) : ok(found);
  });
}

/** Of a model whose cosines nobody has measured. */
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
    `Different texts have a cosine of ${unrelated ?? ''} with this model, halves of one text ${related ?? ''}: ` +
    `EMBEDDING_COSINE_FLOOR=${floor ?? ''} fits it`
  );
}

async function storage(settings: Settings): Promise<Finding> {
  const { STORAGE, DATA_DIR } = settings;
  if (STORAGE === 'local' && !existsSync(resolve(DATA_DIR))) return ok('local, made at the first start');
  return withPart(settings, StorageModule, ObjectStore, async (store) => {
    const found =
      STORAGE === 'local' ? `local, ${resolve(DATA_DIR, 'files')}` : `${STORAGE}, ${store.bucket}`;
    const access = await accessOf(settings, store);
    if (access?.kind === 'foreign') return fail(`${found}. ${access.reason}. ${remedyOf(access)}`);
    if (settings.STORAGE_READ_ONLY) {
      await store.readNote();
      return ok(`${found}, read only`);
    }
    // One key, and a deletion also after a failure: what a store that was slow takes in later does not pile up.
    const key = objectKey('doctor', 'probe');
    await store.put(key, Buffer.from('probe')).finally(() => store.delete(key));
    return ok(found);
  });
}

/** Whose the store is; undefined when the database cannot be asked, or is older than the question. */
function accessOf(settings: Settings, store: ObjectStore): Promise<StoreAccess | undefined> {
  return withStored(settings, (source) => new StoreOwnership(settings, source, store).compare());
}

/** What is found in the database; undefined when it cannot be asked, or no service has started on it. */
async function withStored<T>(
  settings: Settings,
  find: (source: DataSource) => Promise<T>,
): Promise<T | undefined> {
  if (settings.DATABASE_URL === undefined && !existsSync(embeddedFolder(settings))) return undefined;
  let source;
  try {
    source = await connectDatabase(settings);
  } catch {
    return undefined; // said where the database is looked at
  }
  try {
    const [table] = await source.query<{ found: boolean }[]>(
      `select to_regclass('service_state') is not null as found`,
    );
    return table?.found === true ? await find(source) : undefined;
  } finally {
    await source.destroy();
  }
}

const embeddedFolder = ({ DATA_DIR }: Settings): string => join(resolve(DATA_DIR), 'postgres');

function languageModel(settings: Settings): Promise<Finding> {
  return withPart(settings, LlmModule, LanguageModel, async (model) => {
    await model.check();
    return ok(model instanceof NoLanguageModel ? `${model.name}: best passages` : model.name);
  });
}

@Module({})
class PartOnly {
  static with(settings: Settings, part: Type): DynamicModule {
    return { module: PartOnly, imports: [ConfigModule.with(settings), part] };
  }
}

/** One part of the service, wired as there, for as long as `work` takes. */
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
    await context.close(); // threads of the bundled model keep the process alive
  }
}

import 'reflect-metadata';
import { Module, type DynamicModule, type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { loadTokenizer, printContext, titleContext, titleOf } from '#reader';
import { ChunkReindexer, type Contexts, PageReindexer } from './reindexer.js';
import { PageSpace } from '../src/chunks/vectors/vector-space.js';
import { chunkBudget } from '../src/config/combinations.js';
import { ConfigModule } from '../src/config/config.module.js';
import { inDataFolder } from '../src/config/data-folder.js';
import type { Settings } from '../src/config/settings.js';
import { openMigrated } from '../src/database/open-database.js';
import { Embedder } from '../src/models/embedding/embedder.js';
import { EmbeddingModule } from '../src/models/embedding/embedding.module.js';
import { chooseTokenizer } from '../src/models/embedding/tokenizer-choice.js';
import { MultivectorModule } from '../src/models/multivector/multivector.module.js';
import { PageEmbedder } from '../src/models/multivector/page-embedder.js';
import { ObjectStore } from '../src/storage/object-store.js';
import { StorageModule } from '../src/storage/storage.module.js';

export interface ReindexObserver {
  moved(done: number, total: number, what: 'chunks' | 'pages'): void;
  /** @param model name of the model that made the new vectors */
  ended(what: 'chunks' | 'pages', model: string): void;
}

@Module({})
class ModelsOnly {
  static with(settings: Settings): DynamicModule {
    return {
      module: ModelsOnly,
      imports: [ConfigModule.with(settings), EmbeddingModule, MultivectorModule, StorageModule],
    };
  }
}

/**
 * Rebuilds all chunk vectors with the model of EMBEDDING_MODEL. Also rebuilds the page vectors if MULTIVECTOR selects a
 * different model from the one that made them. With a PostgreSQL server, the service can keep running with the old
 * model meanwhile. Restart the service with the new model afterwards.
 */
export async function reindex(settings: Settings, observer: ReindexObserver): Promise<void> {
  const context = await inDataFolder(settings, () =>
    NestFactory.createApplicationContext(ModelsOnly.with(settings), {
      logger: ['error', 'warn'],
      abortOnError: false,
    }),
  );
  try {
    await rebuild(settings, context, observer);
  } finally {
    await context.close(); // otherwise the threads of the bundled model would keep the process alive
  }
}

async function rebuild(
  settings: Settings,
  context: INestApplicationContext,
  observer: ReindexObserver,
): Promise<void> {
  const embedder = context.get(Embedder);
  const pageEmbedder = context.get<PageEmbedder | null>(PageEmbedder);
  // Statements that read or index all vectors have no deadline.
  const database = await inDataFolder(settings, () =>
    openMigrated({ ...settings, DATABASE_STATEMENT_TIMEOUT_MS: 0 }),
  );
  try {
    await new ChunkReindexer(database, embedder, await contextsOf(settings)).reindex((done, total) => {
      observer.moved(done, total, 'chunks');
    });
    observer.ended('chunks', embedder.model);
    if (pageEmbedder === null || !(await new PageSpace(database, pageEmbedder).hasOthers())) return;
    await new PageReindexer(database, pageEmbedder, context.get(ObjectStore)).reindex((done, total) => {
      observer.moved(done, total, 'pages');
    });
    observer.ended('pages', pageEmbedder.model);
  } finally {
    await database.destroy();
  }
}

/**
 * Returns how contexts are computed. A chunk that has a context keeps it. A chunk without a context gets the title of
 * its document. Only a new ingestion of the document would find the headings.
 */
async function contextsOf(settings: Settings): Promise<Contexts> {
  const { context: tokens } = chunkBudget(settings);
  const budget = { counter: await loadTokenizer(chooseTokenizer(settings)), tokens };
  return {
    name: settings.CHUNK_CONTEXT,
    contextOf: (chunk) => {
      const {
        content,
        context,
        filename,
        own_title: own,
        has_pages: hasPages,
        head,
        head_type: contentType,
      } = chunk;
      if (tokens > 0 && printContext(context) !== '') return context;
      return titleContext(content, titleOf({ own, head, contentType, hasPages, filename }), budget);
    },
  };
}

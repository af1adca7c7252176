import 'reflect-metadata';
import { Module, type DynamicModule, type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type Contexts, Reindexer } from '../../src/chunks/reindexer.js';
import { chunkBudget } from '../../src/config/combinations.js';
import { ConfigModule } from '../../src/config/config.module.js';
import { inDataFolder } from '../../src/config/data-folder.js';
import { readSettings } from '../../src/config/read-settings.js';
import type { Settings } from '../../src/config/settings.js';
import { openDatabase } from '../../src/database/open-database.js';
import { Embedder } from '../../src/embedding/embedder.js';
import { EmbeddingModule } from '../../src/embedding/embedding.module.js';
import { MultivectorModule } from '../../src/multivector/multivector.module.js';
import { PageEmbedder } from '../../src/multivector/page-embedder.js';
import { PageReindexer } from '../../src/pages/page-reindexer.js';
import { printContext } from '../../src/lexical/chunk-context.js';
import { titleContext } from '../../src/splitting/context.js';
import { titleOf } from '../../src/splitting/title.js';
import { chooseTokenizer, createTokenCounter } from '../../src/splitting/token-counter.js';
import { ObjectStore } from '../../src/storage/object-store.js';
import { StorageModule } from '../../src/storage/storage.module.js';
import { parseReindexCommand, USAGE } from './reindex/reindex-command.js';
import { reportFailure } from './report-failure.js';
import { requireDatabase } from './require-database.js';

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
 * `npm run reindex`: rebuilds all vectors with the model of EMBEDDING_MODEL, and those of pages where MULTIVECTOR has
 * another one than they are of. On a server the service may go on with the
 * old model meanwhile; it is to be restarted with the new one when this ends.
 */
async function main(args: readonly string[]): Promise<void> {
  parseReindexCommand(args);
  const settings = readSettings(process.env);
  await requireDatabase(settings);
  const context = await inDataFolder(settings, () =>
    NestFactory.createApplicationContext(ModelsOnly.with(settings), {
      logger: ['error', 'warn'],
      abortOnError: false,
    }),
  );
  try {
    await reindex(settings, context);
  } finally {
    await context.close(); // the threads of the bundled model keep the process alive
  }
}

async function reindex(settings: Settings, context: INestApplicationContext): Promise<void> {
  const embedder = context.get(Embedder);
  const pageEmbedder = context.get<PageEmbedder | null>(PageEmbedder);
  // Reading and building all vectors takes what it takes.
  const database = await inDataFolder(settings, () =>
    openDatabase({ ...settings, DATABASE_STATEMENT_TIMEOUT_MS: 0 }),
  );
  try {
    const contexts = await contextsOf(settings);
    await new Reindexer(database, embedder, contexts).reindex((done, total) => {
      process.stderr.write(`\r${done} of ${total} chunks`);
    });
    console.error(
      `\nAll vectors are of ${embedder.model} now; (re)start the service with this EMBEDDING_MODEL`,
    );
    if (pageEmbedder === null) return;
    const pages = new PageReindexer(database, pageEmbedder, context.get(ObjectStore));
    const isChanged = await pages.reindex((done, total) => {
      process.stderr.write(`\r${done} of ${total} pages`);
    });
    if (isChanged) console.error(`\nThe vectors of all pages are of ${pageEmbedder.model} now`);
  } finally {
    await database.destroy();
  }
}

/**
 * Chunks keep the contexts that they have; one that has none gets the title of its document. The headings above it are
 * found again when its document is ingested anew.
 */
async function contextsOf(settings: Settings): Promise<Contexts> {
  const { context: tokens } = chunkBudget(settings);
  const budget = { counter: await createTokenCounter(chooseTokenizer(settings)), tokens };
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

main(process.argv.slice(2)).catch((error: unknown) => {
  reportFailure(error, { usage: USAGE });
});

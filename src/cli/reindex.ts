import 'reflect-metadata';
import { Module, type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type Embedding, Reindexer } from '../chunks/reindexer.js';
import { chunkBudget } from '../config/combinations.js';
import { ConfigModule } from '../config/config.module.js';
import { readSettings } from '../config/read-settings.js';
import type { Settings } from '../config/settings.js';
import { openDatabase } from '../database/open-database.js';
import { Embedder } from '../embedding/embedder.js';
import { EmbeddingModule } from '../embedding/embedding.module.js';
import { embeddedText, retitled } from '../splitting/context.js';
import { titleOf } from '../splitting/title.js';
import { chooseTokenizer, createTokenCounter } from '../splitting/token-counter.js';
import { reportFailure } from './report-failure.js';

@Module({})
class ModelsOnly {
  static with(settings: Settings): DynamicModule {
    return { module: ModelsOnly, imports: [ConfigModule.with(settings), EmbeddingModule] };
  }
}

/**
 * `npm run reindex`: rebuilds all vectors with the model of EMBEDDING_MODEL. On a server the service may go on with the
 * old model meanwhile; it is to be restarted with the new one when this ends.
 */
async function main(): Promise<void> {
  const settings = readSettings(process.env);
  const context = await NestFactory.createApplicationContext(ModelsOnly.with(settings), {
    logger: ['error', 'warn'],
    abortOnError: false,
  });
  try {
    await reindex(settings, context.get(Embedder));
  } finally {
    await context.close(); // the threads of the bundled model keep the process alive
  }
}

async function reindex(settings: Settings, embedder: Embedder): Promise<void> {
  // Reading and building all vectors takes what it takes.
  const database = await openDatabase({ ...settings, DATABASE_STATEMENT_TIMEOUT_MS: 0 });
  try {
    const contexts = await contextsOf(settings);
    await new Reindexer(database, embedder, contexts).reindex((done, total) => {
      process.stderr.write(`\r${done} of ${total} chunks`);
    });
    console.error(
      `\nAll vectors are of ${embedder.model} now; (re)start the service with this EMBEDDING_MODEL`,
    );
  } finally {
    await database.destroy();
  }
}

/**
 * Chunks keep the contexts that they have; one that has none gets the title of its document. The headings above it are
 * found again when its document is ingested anew.
 */
async function contextsOf(settings: Settings): Promise<Embedding> {
  const { context: tokens } = chunkBudget(settings);
  const budget = { counter: await createTokenCounter(chooseTokenizer(settings)), tokens };
  return {
    name: settings.CHUNK_CONTEXT,
    textOf: embeddedText,
    contextOf: ({ content, context, filename, own_title: own, has_pages: hasPages, head }) => {
      if (tokens === 0) return '';
      return context === ''
        ? retitled({ content, context }, titleOf({ own, head, hasPages, filename }), budget)
        : context;
    },
  };
}

main().catch((error: unknown) => {
  reportFailure(error);
});

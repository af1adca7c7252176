/** The parts of the server for commands that start it, look at it, or work on what it has stored. */
import 'reflect-metadata';

export { AppModule } from './app.module.js';
export { ApiKeyEntity } from './auth/api-key.entity.js';
export { AppEntity } from './auth/app.entity.js';
export { KeyRepository } from './auth/key.repository.js';
export { KeyService } from './auth/key.service.js';
export { SigningSecret } from './auth/signing-secret.js';
export { recentTexts } from './chunks/recent-texts.js';
export { ConfigModule } from './config/config.module.js';
export { inDataFolder } from './config/data-folder.js';
export { requireVectorExtension } from './database/migrate.js';
export { connectDatabase, openDatabase } from './database/open-database.js';
export { Embedder } from './embedding/embedder.js';
export { EmbeddingModule } from './embedding/embedding.module.js';
export { knownModel } from './embedding/known-models.js';
export { unreadAdvice } from './embedding/unread-language.js';
export { createHttpApplication } from './http/create-http-application.js';
export { LanguageModel } from './llm/language-model.js';
export { LlmModule } from './llm/llm.module.js';
export { NoLanguageModel } from './llm/no-language-model.js';
export { findOffice } from './parsing/office/find-program.js';
export { reindex } from './reindex.js';
export { start } from './start.js';
export { objectKey } from './storage/object-key.js';
export { ObjectStore } from './storage/object-store.js';
export { StorageModule } from './storage/storage.module.js';
export { mendOf, StoreOwnership, type Standing } from './storage/store-ownership.js';

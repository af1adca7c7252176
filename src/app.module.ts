import { Module, type DynamicModule } from '@nestjs/common';
import { AuthModule } from './auth/auth.module.js';
import { ConfigModule } from './config/config.module.js';
import type { Settings } from './config/settings.js';
import { DatabaseModule } from './database/database.module.js';
import { DocumentsModule } from './documents/documents.module.js';
import { entities } from './entities.js';
import { EventsModule } from './events/events.module.js';
import { FoldersModule } from './folders/folders.module.js';
import { HttpModule } from './http/http.module.js';
import { ChatsModule } from './chats/chats.module.js';
import { McpModule } from './mcp/mcp.module.js';
import { ModelListModule } from './models/list/model-list.module.js';
import { ModelSettingsModule } from './models/settings/model-settings.module.js';
import { ChatCompletionsModule } from './openai/chat-completions/chat-completions.module.js';
import { OpenAiModule } from './openai/openai.module.js';
import { ResponsesModule } from './openai/responses/responses.module.js';
import { OperationsModule } from './operations/operations.module.js';
import { QuotasModule } from './quotas/quotas.module.js';
import { QueryModule } from './query/query.module.js';
import { RetrievalModule } from './retrieval/retrieval.module.js';

/**
 * The whole service. AuthModule guards every route. HttpModule parses input and maps errors. These modules have routes:
 * - Documents, which uses ChunksModule (chunks), CorpusModule (documents, texts, folders) and IngestionModule;
 * - Retrieval, which uses ChunksModule and CorpusModule;
 * - Query and Chats: answers by AnsweringModule (retrieval, prompt, model, citations), stored as turns of chats;
 * - ModelList and ModelSettings: the models to choose from, and the one that an operator connects;
 * - Folders, MCP, ChatCompletions, OpenAi (its files and vector stores) and Responses, which use the modules above;
 * - Events: what happens to documents, for those who wait for it;
 * - Operations, for operators.
 *
 * The filter compiler (filters/) has no state. Therefore it has no module, and repositories call its functions.
 */
@Module({})
export class AppModule {
  static with(settings: Settings): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.with(settings),
        DatabaseModule.with(settings, entities),
        AuthModule,
        QuotasModule,
        HttpModule,
        ModelListModule,
        ModelSettingsModule,
        OperationsModule,
        DocumentsModule,
        EventsModule,
        FoldersModule,
        RetrievalModule,
        ChatsModule,
        QueryModule,
        McpModule,
        ChatCompletionsModule,
        OpenAiModule,
        ResponsesModule,
      ],
    };
  }
}

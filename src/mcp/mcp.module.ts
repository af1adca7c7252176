import { Module } from '@nestjs/common';
import { DocumentsModule } from '../documents/documents.module.js';
import { QueryModule } from '../query/query.module.js';
import { RetrievalModule } from '../retrieval/retrieval.module.js';
import { McpController } from './mcp.controller.js';
import { McpService } from './mcp.service.js';
import { McpTools } from './mcp-tools.js';

/** Exposes the documents as tools of a model (Model Context Protocol). */
@Module({
  imports: [DocumentsModule, QueryModule, RetrievalModule],
  controllers: [McpController],
  providers: [McpService, McpTools],
})
export class McpModule {}

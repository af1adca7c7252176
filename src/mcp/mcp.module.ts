import { Module } from '@nestjs/common';
import { DocumentsModule } from '../documents/documents.module.js';
import { HttpModule } from '../http/http.module.js';
import { QueryModule } from '../query/query.module.js';
import { RetrievalModule } from '../retrieval/retrieval.module.js';
import { McpController } from './mcp.controller.js';
import { McpService } from './mcp.service.js';
import { McpTools } from './mcp-tools.js';

/** Gives models access to the documents as tools (Model Context Protocol). */
@Module({
  imports: [DocumentsModule, HttpModule, QueryModule, RetrievalModule],
  controllers: [McpController],
  providers: [McpService, McpTools],
})
export class McpModule {}

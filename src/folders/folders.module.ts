import { Module } from '@nestjs/common';
import { ChunksModule } from '../chunks/chunks.module.js';
import { CorpusModule } from '../corpus/corpus.module.js';
import { DocumentsModule } from '../documents/documents.module.js';
import { FolderDetailsService } from './folder-details.service.js';
import { FolderTreeService } from './folder-tree.service.js';
import { FolderService } from './folder.service.js';
import { FoldersController } from './folders.controller.js';
import { LeftFoldersService } from './left-folders.service.js';

@Module({
  imports: [ChunksModule, CorpusModule, DocumentsModule],
  controllers: [FoldersController],
  providers: [FolderDetailsService, FolderService, FolderTreeService, LeftFoldersService],
  exports: [FolderTreeService, LeftFoldersService],
})
export class FoldersModule {}

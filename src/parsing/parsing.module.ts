import { Module } from '@nestjs/common';
import { DocumentReader } from './document-reader.js';
import { PageRenderer } from './pages/page-renderer.js';
import { Readers } from './reader/readers.js';

@Module({ providers: [DocumentReader, PageRenderer, Readers], exports: [DocumentReader, PageRenderer] })
export class ParsingModule {}

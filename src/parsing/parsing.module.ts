import { Module } from '@nestjs/common';
import { DocumentReader } from './document-reader.js';
import { LibreOffice } from './office/libre-office.js';
import { PageRenderer } from './pages/page-renderer.js';

@Module({ providers: [DocumentReader, LibreOffice, PageRenderer], exports: [DocumentReader, PageRenderer] })
export class ParsingModule {}

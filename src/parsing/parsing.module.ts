import { Module } from '@nestjs/common';
import { DocumentReader } from './document-reader.js';
import { LibreOffice } from './office/libre-office.js';

@Module({ providers: [DocumentReader, LibreOffice], exports: [DocumentReader] })
export class ParsingModule {}

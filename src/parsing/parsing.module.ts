import { Module } from '@nestjs/common';
import { DocumentReader } from './document-reader.js';

@Module({ providers: [DocumentReader], exports: [DocumentReader] })
export class ParsingModule {}

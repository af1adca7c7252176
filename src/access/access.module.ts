import { Module } from '@nestjs/common';
import { GroupRepository } from './group.repository.js';
import { HandOuts } from './hand-outs.js';

/** Who may see and change what. The rules are functions; the module provides what needs the database. */
@Module({ providers: [GroupRepository, HandOuts], exports: [GroupRepository, HandOuts] })
export class AccessModule {}

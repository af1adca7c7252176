import { Module } from '@nestjs/common';
import { GroupRepository } from './group.repository.js';

/** Who may see and change what. The rules are functions; the module provides the groups. */
@Module({ providers: [GroupRepository], exports: [GroupRepository] })
export class AccessModule {}

import { Initial1700000030000 } from './1700000030000-initial.js';
import { Audit1700000032000 } from './1700000032000-audit.js';
import { Feedback1700000033000 } from './1700000033000-feedback.js';
import { FileOwners1700000034000 } from './1700000034000-file-owners.js';
import { FileSums1700000035000 } from './1700000035000-file-sums.js';
import { Access1700000040000 } from './1700000040000-access.js';
import { Spelling1700000041000 } from './1700000041000-spelling.js';
import { DetachedFiles1700000041100 } from './1700000041100-detached-files.js';
import { Talk1700000042000 } from './1700000042000-talk.js';
import { SharedStatistics1700000043000 } from './1700000043000-shared-statistics.js';
import { GroupedNumbers1700000044500 } from './1700000044500-grouped-numbers.js';
import { DeletedItems1700000044600 } from './1700000044600-deleted-items.js';
import { TurnVersions1700000045000 } from './1700000045000-turn-versions.js';
import { FolderParents1700000046000 } from './1700000046000-folder-parents.js';
import { Quotas1700000046100 } from './1700000046100-quotas.js';
import { ReplacedRows1700000047000 } from './1700000047000-replaced-rows.js';
import { AuditChain1700000048300 } from './1700000048300-audit-chain.js';
import { TalkBounds1700000048400 } from './1700000048400-talk-bounds.js';
import { Events1700000048500 } from './1700000048500-events.js';
import { PeopleWhoSignIn1700000048600 } from './1700000048600-people-who-sign-in.js';
import { DocumentSums1700000049000 } from './1700000049000-document-sums.js';
import { IdempotentAnswers1700000049100 } from './1700000049100-idempotent-answers.js';
import { Webhooks1700000049200 } from './1700000049200-webhooks.js';
import { LastUsed1700000049500 } from './1700000049500-last-used.js';
import { KeptChats1700000049700 } from './1700000049700-kept-chats.js';
import { ChatLinks1700000049800 } from './1700000049800-chat-links.js';
import { ProviderRoles1700000049900 } from './1700000049900-provider-roles.js';
import { ProviderDetails1700000049950 } from './1700000049950-provider-details.js';
import { EndedAccess1700000049960 } from './1700000049960-ended-access.js';

/** All migrations in order, for embedded and native PostgreSQL. */
export const migrations = [
  Initial1700000030000,
  Audit1700000032000,
  Feedback1700000033000,
  FileOwners1700000034000,
  FileSums1700000035000,
  Access1700000040000,
  Spelling1700000041000,
  DetachedFiles1700000041100,
  Talk1700000042000,
  SharedStatistics1700000043000,
  GroupedNumbers1700000044500,
  DeletedItems1700000044600,
  TurnVersions1700000045000,
  FolderParents1700000046000,
  Quotas1700000046100,
  ReplacedRows1700000047000,
  AuditChain1700000048300,
  TalkBounds1700000048400,
  Events1700000048500,
  PeopleWhoSignIn1700000048600,
  DocumentSums1700000049000,
  IdempotentAnswers1700000049100,
  Webhooks1700000049200,
  LastUsed1700000049500,
  KeptChats1700000049700,
  ChatLinks1700000049800,
  ProviderRoles1700000049900,
  ProviderDetails1700000049950,
  EndedAccess1700000049960,
];

/** Name of the last migration of this version, whether or not a database has it. */
export const LAST_MIGRATION = migrations.at(-1)?.name ?? '';

import { Initial1700000000000 } from './1700000000000-initial.js';
import { Chats1700000001000 } from './1700000001000-chats.js';
import { Idempotency1700000002000 } from './1700000002000-idempotency.js';
import { FilenameSearch1700000003000 } from './1700000003000-filename-search.js';
import { MetadataOrder1700000004000 } from './1700000004000-metadata-order.js';
import { ChunksByDocument1700000005000 } from './1700000005000-chunks-by-document.js';
import { DocumentSample1700000006000 } from './1700000006000-document-sample.js';
import { MetadataHashes1700000007000 } from './1700000007000-metadata-hashes.js';
import { DocumentsById1700000008000 } from './1700000008000-documents-by-id.js';
import { GeneratedColumns1700000010000 } from './1700000010000-generated-columns.js';
import { ChunkContext1700000012000 } from './1700000012000-chunk-context.js';
import { Pages1700000013000 } from './1700000013000-pages.js';
import { PageSearch1700000014000 } from './1700000014000-page-search.js';
import { Summaries1700000015000 } from './1700000015000-summaries.js';
import { DocumentsInFolders1700000016000 } from './1700000016000-documents-in-folders.js';
import { Tenants1700000017000 } from './1700000017000-tenants.js';
import { FairQueues1700000018000 } from './1700000018000-fair-queues.js';
import { PagesWithoutVectors1700000020000 } from './1700000020000-pages-without-vectors.js';

/** In the order they run. The same list on embedded and native PostgreSQL. */
export const migrations = [
  Initial1700000000000,
  Chats1700000001000,
  Idempotency1700000002000,
  FilenameSearch1700000003000,
  MetadataOrder1700000004000,
  ChunksByDocument1700000005000,
  DocumentSample1700000006000,
  MetadataHashes1700000007000,
  DocumentsById1700000008000,
  GeneratedColumns1700000010000,
  ChunkContext1700000012000,
  Pages1700000013000,
  PageSearch1700000014000,
  Summaries1700000015000,
  DocumentsInFolders1700000016000,
  Tenants1700000017000,
  FairQueues1700000018000,
  PagesWithoutVectors1700000020000,
];

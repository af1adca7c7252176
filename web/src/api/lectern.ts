/** The one way to the service: its TypeScript client, as other programs use it. */
export { IngestionError, LecternClient, LecternError } from '@lectern/client';
export type {
  Chat,
  ChatTurn,
  Chunk,
  Completion,
  DocumentPages,
  DocumentRecord,
  DocumentStatus,
  FolderCount,
  GroupedChunks,
  IssuedKey,
  Key,
  KeyUsage,
  ListedDocument,
  QueryRequest,
  RetrieveChunksRequest,
  ValidationProblem,
} from '@lectern/client';

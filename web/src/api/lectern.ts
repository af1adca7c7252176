/** All requests go through the service's public TypeScript client. */
export { IngestionError, LecternClient, LecternError } from '@lectern/client';
export type {
  Chat,
  ChatTurn,
  Chunk,
  Completion,
  DocumentPages,
  DocumentRecord,
  DocumentStatus,
  Feedback,
  FolderCount,
  GroupedChunks,
  InstalledModel,
  IssuedKey,
  Key,
  KeyUsage,
  ListedDocument,
  ModelTest,
  QueryRequest,
  Rating,
  RetrieveChunksRequest,
  ValidationProblem,
} from '@lectern/client';

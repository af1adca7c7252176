export { Answer, type AnswerProps } from './answer.js';
export { SourcePage, type SourcePageProps } from './source-page.js';
export { Sources, type SourcesProps } from './sources.js';
export { useAnswer, type Asking, type UsedAnswer } from './use-answer.js';
export { useChat, type AskedExchange, type ChatOptions, type UsedChat } from './use-chat.js';
export { useDocuments, type UsedDocuments } from './use-documents.js';
export { useFacets, type UsedFacets } from './use-facets.js';
export { useUpload, type UsedUploads } from './use-upload.js';
export {
  citedSource,
  ENGLISH,
  inWords,
  partsOf,
  placeName,
  type AnswerPart,
  type AnswerRequest,
  type AnswerState,
  type Citation,
  type DocumentListOptions,
  type Exchange,
  type Facet,
  type FacetsOptions,
  type FacetValue,
  type ShownDocument,
  type ShownUpload,
  type Source,
  type SourcePlace,
  type UploadOptions,
  type Words,
} from '@lectern/client/ui';

export { isRunning, type AnswerRequest, type AnswerState, type ShownAnswer } from './answer.js';
export { citedSource, partsOf, type AnswerPart } from './answer-parts.js';
export { AnswerStore } from './answer-store.js';
export { ChatStore, type Exchange, type ShownChat } from './chat-store.js';
export {
  DocumentListStore,
  type DocumentListOptions,
  type ShownDocument,
  type ShownDocumentList,
} from './document-list-store.js';
export {
  FacetStore,
  type Facet,
  type FacetsOptions,
  type FacetValue,
  type ShownFacets,
} from './facet-store.js';
export {
  markedText,
  SourceStore,
  type ShownSource,
  type SourcePlace,
  type TextPart,
} from './source-store.js';
export type { Store } from './store.js';
export type { Citation, Source } from '../types.js';
export { UploadStore, type ShownUpload, type ShownUploads, type UploadOptions } from './upload-store.js';
export { ENGLISH, inWords, placeName, type Words } from './words.js';

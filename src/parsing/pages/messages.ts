import type { FailureMessage } from '../reader/messages.js';
import type { PageImage } from './page-image.js';

/** What page images are made of directly. */
export type DrawnType = 'pdf' | 'picture';

/** Asks the drawing process for the next page. */
export const NEXT = 'next';

/** What it answers: a page, the end of the file, or why there will be none. */
export type DrawingReply =
  { readonly kind: 'page'; readonly page: PageImage } | { readonly kind: 'end' } | FailureMessage;

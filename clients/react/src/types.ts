export type { Citation, Source } from '@lectern/client';

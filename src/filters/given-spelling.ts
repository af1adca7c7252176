import { raw } from 'sql-template-tag';

/**
 * File name and metadata of the document `d` as they were given. The columns `filename` and `metadata` have the one
 * spelling that is compared (`composed`), for filters, searches and their indexes.
 */
export const GIVEN_FILENAME = raw('coalesce(d.given_filename, d.filename)');
export const GIVEN_METADATA = raw('d.metadata || d.given_metadata');

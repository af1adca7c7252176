import type { Conversion } from './office/libre-office.js';

/** Formats of which LibreOffice makes one that is read here. */
export const CONVERSIONS: Readonly<Record<string, Conversion>> = {
  'application/msword': { from: 'doc', to: 'docx' },
  'application/rtf': { from: 'rtf', to: 'docx' },
  'application/vnd.ms-excel': { from: 'xls', to: 'xlsx' },
  'application/vnd.oasis.opendocument.spreadsheet': { from: 'ods', to: 'xlsx' },
  'application/vnd.ms-powerpoint': { from: 'ppt', to: 'pptx' },
  'application/vnd.oasis.opendocument.presentation': { from: 'odp', to: 'pptx' },
};

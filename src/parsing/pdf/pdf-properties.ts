import type { PDFDocumentProxy } from 'pdfjs-dist';

/** What the file says of itself; an entry of another type than text is no property. */
export async function pdfProperties(pdf: PDFDocumentProxy): Promise<Record<string, unknown>> {
  const { info } = await pdf.getMetadata();
  const entries = info as Record<string, unknown>;
  const text = (name: string): string | undefined => {
    const value = entries[name];
    return typeof value === 'string' ? value : undefined;
  };
  return {
    title: text('Title'),
    author: text('Author'),
    subject: text('Subject'),
    keywords: text('Keywords'),
    language: text('Language'),
    producer: text('Producer'),
    created_at: isoDate(text('CreationDate')),
    modified_at: isoDate(text('ModDate')),
  };
}

/** `D:YYYYMMDDHHmmSSOHH'mm'` (ISO 32000-2, 7.9.4) as ISO 8601; undefined when it is not such a date. */
function isoDate(date: string | undefined): string | undefined {
  const parts = /^D:(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:([+-])(\d\d)'?(\d\d)?|Z)?/.exec(date ?? '');
  if (parts === null) return undefined;
  const [
    ,
    year,
    month = '01',
    day = '01',
    hour = '00',
    minute = '00',
    second = '00',
    sign,
    zoneHour,
    zoneMinute,
  ] = parts;
  const zone = sign === undefined ? 'Z' : `${sign}${zoneHour ?? '00'}:${zoneMinute ?? '00'}`;
  const parsed = new Date(`${year ?? ''}-${month}-${day}T${hour}:${minute}:${second}${zone}`);
  return Number.isNaN(parsed.getTime()) ? undefined : parsed.toISOString();
}

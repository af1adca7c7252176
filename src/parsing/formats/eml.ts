import PostalMime, { type Address, type Attachment, type Email } from 'postal-mime';
import { htmlToMarkdown } from '../html/html-to-markdown.js';
import { ParseFailure } from '../parse-failure.js';
import type { Parser, Source } from '../parser.js';

/** A message: its header, its text, and the attachments that are documents themselves, each under a heading. */
export const parseEml: Parser = async ({ bytes, parseInner }) => {
  const email = await PostalMime.parse(bytes);
  const attached = await Promise.all(
    email.attachments.filter(isDocument).map((attachment) => textOfAttachment(attachment, parseInner)),
  );
  const parts = [headerOf(email), bodyOf(email), ...attached.map(({ text }) => text)];
  return {
    text: parts.filter((part) => part !== '').join('\n\n'),
    textType: 'text/markdown',
    pages: [],
    pageCount: null,
    properties: {
      title: email.subject,
      author: names([email.from]),
      to: names(email.to),
      created_at: email.date,
      message_id: email.messageId,
      attachments: attached.map(({ facts }) => facts),
    },
  };
};

function headerOf(email: Email): string {
  const lines = [
    ['From', names([email.from])],
    ['To', names(email.to)],
    ['Cc', names(email.cc)],
    ['Date', email.date ?? ''],
    ['Subject', email.subject ?? ''],
  ] as const;
  return lines
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
}

function names(addresses: readonly (Address | undefined)[] = []): string {
  return addresses
    .flatMap((address) => (address === undefined ? [] : (address.group ?? [address])))
    .map(({ name, address }) => (name === '' ? address : `${name} <${address}>`))
    .join(', ');
}

function bodyOf({ text, html }: Email): string {
  const plain = text?.trim() ?? '';
  return plain === '' && html !== undefined ? htmlToMarkdown(html).markdown : plain;
}

/** Pictures that belong to the HTML of the message are decoration. */
function isDocument({ disposition, related, mimeType }: Attachment): boolean {
  return !((disposition === 'inline' || related === true) && mimeType.startsWith('image/'));
}

interface Attached {
  readonly text: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

/** An attachment that cannot be read leaves its reason in the properties; the message is read all the same. */
async function textOfAttachment(attachment: Attachment, parseInner: Source['parseInner']): Promise<Attached> {
  const { filename, mimeType, content } = attachment;
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : new Uint8Array(content);
  const facts = { filename, content_type: mimeType, size: bytes.byteLength };
  try {
    const { text, contentType } = await parseInner(bytes, { filename, declaredType: mimeType });
    return {
      text: `## Attachment: ${filename ?? contentType}\n\n${text}`,
      facts: { ...facts, content_type: contentType },
    };
  } catch (error) {
    if (!(error instanceof ParseFailure)) throw error;
    return { text: '', facts: { ...facts, error: error.message } };
  }
}

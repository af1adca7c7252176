import { decode, encode, encodingExists } from 'iconv-lite';
import PostalMime, { type Address, type Attachment } from 'postal-mime';
import { mailbox, messageBody, messageContent } from '../mail/message.js';
import type { Parser } from '../parser.js';

/** A message in the format of internet mail (RFC 5322). */
export const parseEml: Parser = async ({ bytes, text, encoding, parseInner }) => {
  const isWide = encoding !== null && /^utf-(?:16|32)/.test(encoding);
  const email = await PostalMime.parse(isWide ? narrowed(text ?? '') : bytes);
  return messageContent(
    {
      subject: email.subject && withWindowsPunctuation(email.subject),
      from: names([email.from]),
      to: names(email.to),
      cc: names(email.cc),
      date: email.date,
      messageId: email.messageId,
      body: withWindowsPunctuation(messageBody(email.text?.trim() ?? '', email.html ?? '')),
      attachments: email.attachments.filter(isDocument).map(({ filename, mimeType, content }) => ({
        filename,
        mimeType,
        bytes: typeof content === 'string' ? new TextEncoder().encode(content) : new Uint8Array(content),
      })),
    },
    parseInner,
  );
};

/**
 * Re-encodes a message that was saved in UTF-16 or UTF-32, because transfer encodings work on single bytes. The result
 * has the encoding that all parts declare, or UTF-8 if the declarations differ.
 */
function narrowed(text: string): Uint8Array {
  const declared = Array.from(text.matchAll(/charset="?([\w.:-]+)/gi), ([, label = '']) =>
    label.toLowerCase(),
  );
  const [label = 'utf-8', ...others] = new Set(declared);
  return encode(text, others.length === 0 && encodingExists(label) ? label : 'utf-8');
}

/** Decodes Windows-1252 punctuation, which the library reads as the control characters of Latin-1. */
function withWindowsPunctuation(text: string): string {
  return text.replace(/[\u0080-\u009f]+/g, (run) => decode(Buffer.from(run, 'latin1'), 'windows-1252'));
}

function names(addresses: readonly (Address | undefined)[] = []): string {
  return addresses
    .flatMap((address) => (address === undefined ? [] : (address.group ?? [address])))
    .map(({ name, address }) => mailbox(name, address))
    .join(', ');
}

/** Whether an attachment is a document. Pictures in the HTML of the message are not documents. */
function isDocument({ disposition, related, mimeType }: Attachment): boolean {
  return !((disposition === 'inline' || related === true) && mimeType.startsWith('image/'));
}

import PostalMime, { type Address, type Attachment } from 'postal-mime';
import { messageBody } from '../mail/message-body.js';
import { mailbox, messageContent, type Attachment as MessageAttachment } from '../mail/message.js';
import { messageInUtf8, type Utf8Message } from '../mail/message-in-utf8.js';
import type { Parser } from '../parser.js';

/** A message in the format of internet mail (RFC 5322). */
export const parseEml: Parser = async ({ bytes, text, encoding, parseInner }) => {
  // Transfer encodings work on single bytes.
  const isWide = encoding !== null && /^utf-(?:16|32)/.test(encoding);
  const message = messageInUtf8(isWide ? Buffer.from(text ?? '') : bytes);
  const email = await PostalMime.parse(message.bytes);
  const content = await messageContent(
    {
      subject: email.subject,
      from: names([email.from]),
      to: names(email.to),
      cc: names(email.cc),
      date: email.date,
      messageId: email.messageId,
      body: messageBody(email.text?.trim() ?? '', email.html ?? ''),
      attachments: withoutCopies(email.attachments.filter(isDocument).map(attachmentOf)),
    },
    parseInner,
  );
  return { ...content, properties: { ...content.properties, ...encodingsOf(message) } };
};

function attachmentOf({ filename, mimeType, content }: Attachment): MessageAttachment {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : new Uint8Array(content);
  return { filename, mimeType, bytes };
}

/** An invitation is often both a part of the message and a file with a name. */
function withoutCopies(attachments: readonly MessageAttachment[]): MessageAttachment[] {
  const named = attachments.filter(({ filename }) => filename !== null);
  return attachments.filter(
    ({ filename, bytes }) => filename !== null || !named.some((other) => isSameText(other.bytes, bytes)),
  );
}

function isSameText(one: Uint8Array, other: Uint8Array): boolean {
  const text = (bytes: Uint8Array): string =>
    Buffer.from(bytes).toString('utf8').replace(/\r/g, '').trimEnd();
  return Math.abs(one.length - other.length) <= one.length / 2 && text(one) === text(other);
}

/** The encodings of the texts that are not plain UTF-8. */
function encodingsOf({ decoded }: Utf8Message): Record<string, unknown> {
  const replaced = decoded.reduce((sum, text) => sum + text.replaced, 0);
  return {
    encoding: [...new Set(decoded.map(({ encoding }) => encoding))].join(', '),
    encoding_guessed: decoded.some(({ isGuessed }) => isGuessed) || undefined,
    replaced_characters: replaced === 0 ? undefined : replaced,
  };
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

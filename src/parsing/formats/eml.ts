import PostalMime, { type Address, type Attachment } from 'postal-mime';
import { mailbox, messageBody, messageContent } from '../mail/message.js';
import type { Parser } from '../parser.js';

/** A message in the format of internet mail (RFC 5322). */
export const parseEml: Parser = async ({ bytes, parseInner }) => {
  const email = await PostalMime.parse(bytes);
  return messageContent(
    {
      subject: email.subject,
      from: names([email.from]),
      to: names(email.to),
      cc: names(email.cc),
      date: email.date,
      messageId: email.messageId,
      body: messageBody(email.text?.trim() ?? '', email.html ?? ''),
      attachments: email.attachments.filter(isDocument).map(({ filename, mimeType, content }) => ({
        filename,
        mimeType,
        bytes: typeof content === 'string' ? new TextEncoder().encode(content) : new Uint8Array(content),
      })),
    },
    parseInner,
  );
};

function names(addresses: readonly (Address | undefined)[] = []): string {
  return addresses
    .flatMap((address) => (address === undefined ? [] : (address.group ?? [address])))
    .map(({ name, address }) => mailbox(name, address))
    .join(', ');
}

/** Pictures that belong to the HTML of the message are decoration. */
function isDocument({ disposition, related, mimeType }: Attachment): boolean {
  return !((disposition === 'inline' || related === true) && mimeType.startsWith('image/'));
}

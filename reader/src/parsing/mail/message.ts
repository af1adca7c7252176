import { ParseFailure } from '../parse-failure.js';
import type { ParsedContent, Source } from '../parser.js';

/** A message of any mail format. Missing fields are empty strings. */
interface Message {
  readonly subject: string | undefined;
  /** Formatted addresses: `Jane Bennet <jane@longbourn.example>, aunt@london.example`. */
  readonly from: string;
  readonly to: string;
  readonly cc: string;
  /** ISO 8601. */
  readonly date: string | undefined;
  readonly messageId: string | undefined;
  readonly body: string;
  /** Attachments that are documents; inline pictures are excluded. */
  readonly attachments: readonly Attachment[];
}

export interface Attachment {
  readonly filename: string | null;
  readonly mimeType: string;
  readonly bytes: Uint8Array;
}

/** The text of a message: header, body, and attachments, each under a heading. */
export async function messageContent(
  message: Message,
  parseInner: Source['parseInner'],
): Promise<ParsedContent> {
  const attached = await Promise.all(
    message.attachments.map((attachment) => textOfAttachment(attachment, parseInner)),
  );
  const parts = [headerOf(message), message.body, ...attached.map(({ text }) => text)];
  return {
    text: parts.filter((part) => part !== '').join('\n\n'),
    textType: 'text/markdown',
    properties: {
      title: message.subject,
      author: message.from,
      to: message.to,
      created_at: message.date,
      message_id: message.messageId,
      attachments: attached.map(({ facts }) => facts),
    },
  };
}

/** `Jane Bennet <jane@longbourn.example>`, or only the name or address that is known. */
export function mailbox(name: string, address: string): string {
  if (name === '' || address === '') return name + address;
  return name === address ? address : `${name} <${address}>`;
}

function headerOf({ from, to, cc, date, subject }: Message): string {
  const lines = [
    ['From', from],
    ['To', to],
    ['Cc', cc],
    ['Date', date ?? ''],
    ['Subject', subject ?? ''],
  ] as const;
  return lines
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
}

interface Attached {
  readonly text: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

/**
 * Reads the text of an attachment. If it cannot be parsed, the reason is added to the properties, and the message is
 * still read.
 */
async function textOfAttachment(attachment: Attachment, parseInner: Source['parseInner']): Promise<Attached> {
  const { filename, mimeType, bytes } = attachment;
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

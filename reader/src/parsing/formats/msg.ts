import { decompressRTF } from '@kenjiuno/decompressrtf';
import msgreader, { type FieldsData } from '@kenjiuno/msgreader';
import { encodingExists } from 'iconv-lite';
import { messageBody } from '../mail/message-body.js';
import { mailbox, messageContent, type Attachment } from '../mail/message.js';
import { ParseFailure } from '../parse-failure.js';
import type { Parser, Source } from '../parser.js';
import { decodeText, likelyEncoding } from '../sniff/decode-text.js';

const { default: MsgReader } = msgreader;
type Reader = InstanceType<typeof MsgReader>;

/** An Outlook message (MS-OXMSG). */
export const parseMsg: Parser = async ({ bytes, parseInner }) => {
  const { reader, fields } = readFields(new Uint8Array(bytes).buffer);
  const { body, error } = await bodyOf(fields, parseInner);
  const { properties, ...content } = await messageContent(
    {
      subject: fields.subject,
      from: mailbox(fields.senderName ?? '', senderAddress(fields)),
      to: recipients(fields, 'to'),
      cc: recipients(fields, 'cc'),
      date: dateOf(fields),
      messageId: fields.messageId,
      body,
      attachments: (fields.attachments ?? []).filter(isDocument).map((one) => attachmentOf(reader, one)),
    },
    parseInner,
  );
  return { ...content, properties: { ...properties, body_error: error } };
};

/** Property type (the low half of the tag) of text in the author's code page. */
const CODE_PAGE_TEXT = 0x001e;

/** The declared code page is often wrong, so the encoding is detected from the bytes as for any text. */
function readFields(buffer: ArrayBuffer): { reader: Reader; fields: FieldsData } {
  const texts: Uint8Array[] = [];
  const reader = new MsgReader(buffer);
  reader.parserConfig = {
    propertyObserver(_fields, tag, raw) {
      if ((tag & 0xffff) === CODE_PAGE_TEXT && raw !== null) texts.push(raw);
    },
  };
  const fields = reader.getFileData();
  if (texts.length === 0) return { reader, fields };
  const decoding = new MsgReader(buffer);
  decoding.parserConfig = { ansiEncoding: encodingForReader(Buffer.concat(texts)) };
  return { reader: decoding, fields: decoding.getFileData() };
}

/** Returns the likeliest encoding that the library can decode. Binary values among the properties have NUL bytes. */
function encodingForReader(text: Uint8Array): string {
  const likely = likelyEncoding(text.filter((byte) => byte !== 0));
  return encodingExists(likely) ? likely : 'windows-1252';
}

function senderAddress({ senderSmtpAddress, senderAddressType, senderEmail }: FieldsData): string {
  return senderSmtpAddress ?? (senderAddressType === 'EX' ? '' : (senderEmail ?? ''));
}

function recipients({ recipients: all = [] }: FieldsData, kind: 'to' | 'cc'): string {
  return all
    .filter(({ recipType }) => recipType === kind)
    .map(({ name = '', smtpAddress, addressType, email = '' }) =>
      mailbox(name, smtpAddress ?? (addressType === 'EX' ? '' : email)),
    )
    .join(', ');
}

function dateOf({ clientSubmitTime, messageDeliveryTime, creationTime }: FieldsData): string | undefined {
  const date = new Date(clientSubmitTime ?? messageDeliveryTime ?? creationTime ?? '');
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** Matches formatting of Rich Text that plain text loses: raised, lowered and struck text. */
const BEYOND_PLAIN = /\\(?:super|sub|striked?1?|up\d+|dn\d+)(?![a-z\d])/;

/**
 * The body of a message. The same text may exist in three formats. Rich Text needs LibreOffice. It is read only if
 * there is no other format, or if the plain text lost its formatting; `error` tells why it could not be read then.
 */
async function bodyOf(
  fields: FieldsData,
  parseInner: Source['parseInner'],
): Promise<{ readonly body: string; readonly error?: string }> {
  const plain = (fields.body ?? '').replace(/\r\n?/g, '\n').trim();
  const html = fields.bodyHtml ?? (fields.html === undefined ? null : decodeText(fields.html)?.text) ?? '';
  const body = messageBody(plain, html);
  if (fields.compressedRtf === undefined) return { body };
  try {
    const rtf = decompressed(fields.compressedRtf);
    const hasMore = html === '' && BEYOND_PLAIN.test(Buffer.from(rtf).toString('latin1'));
    if (body !== '' && !hasMore) return { body };
    const { text } = await parseInner(rtf, { filename: 'body.rtf', allowNoText: true });
    return { body: text === '' ? body : text };
  } catch (error) {
    if (body === '' || !(error instanceof ParseFailure)) throw error;
    return { body, error: error.message };
  }
}

function decompressed(compressed: Uint8Array): Uint8Array {
  try {
    return Uint8Array.from(decompressRTF(Array.from(compressed)));
  } catch (cause) {
    throw new ParseFailure('The Rich Text of the message is damaged.', { cause });
  }
}

function isDocument({ attachmentHidden, pidContentId, attachMimeTag, extension }: FieldsData): boolean {
  const isPicture =
    attachMimeTag?.startsWith('image/') === true || /^\.(?:png|jpe?g|gif)$/i.test(extension ?? '');
  return !(isPicture && (attachmentHidden === true || (pidContentId ?? '') !== ''));
}

function attachmentOf(reader: Reader, attachment: FieldsData): Attachment {
  const { fileName, content } = reader.getAttachment(attachment);
  return {
    filename: fileName,
    mimeType: attachment.attachMimeTag ?? 'application/octet-stream',
    bytes: content,
  };
}

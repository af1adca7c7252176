import { Invalid, type Location, violation } from '../../errors/index.js';
import type { Parse } from '../../http/input/input.pipe.js';
import { isJsonObject } from '../../json/exact-json.js';
import type { ChatMessage, ContentPart } from '../../models/llm/language-model.js';

/** Matches data URLs of images in the formats that providers read. */
const IMAGE_DATA = /^data:image\/(?:png|jpe?g|gif|webp);base64,[A-Za-z0-9+/]/;

/**
 * Returns the data URL of an image.
 * @throws Invalid for the address of an image, because the service does not fetch images.
 */
export function imageData(url: unknown, loc: Location): string {
  if (typeof url === 'string' && IMAGE_DATA.test(url)) return url;
  throw Invalid.at(
    loc,
    'Value error, must be a data URL of a PNG, JPEG, GIF or WebP image in base64; addresses and file ids are not fetched',
  );
}

/** Reads the content of a message: a string, or text and image parts. A part of another type is an error. */
export const messageContent: Parse = (value, loc): ChatMessage['content'] => {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) {
    throw Invalid.at(loc, 'Input should be a valid string or a list of parts', 'string_type');
  }
  const parts = value.map((part, index) => partIn(part, [...loc, index]));
  if (parts.some(({ type }) => type === 'image')) return parts;
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
};

function partIn(part: unknown, loc: Location): ContentPart {
  if (isJsonObject(part) && part['type'] === 'text' && typeof part['text'] === 'string') {
    return { type: 'text', text: part['text'] };
  }
  if (isJsonObject(part) && part['type'] === 'image_url') {
    const at = [...loc, 'image_url'];
    const image = part['image_url'];
    if (!isJsonObject(image)) throw violation(at, 'isObject');
    return { type: 'image', dataUri: imageData(image['url'], [...at, 'url']) };
  }
  throw Invalid.at(loc, 'Value error, supported parts: text, image_url');
}

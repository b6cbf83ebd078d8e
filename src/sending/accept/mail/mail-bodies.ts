/** Finds the text, the HTML and the files of a message that an application submits, for display and for tracking. */
import { MAX_CONTENT_BYTES } from '../../../contract/emails.ts';
import type { BodyRange, FileRange, MessageLayout } from '../../../model/message-layout.ts';
import { unwrapIfFlowed } from '../../../rfc/message/flowed.ts';
import { decodeText, decodeWholeText, type Entity, partRole } from '../../../rfc/mime/index.ts';
import { nameOf, splitMessage } from '../../../store/parts/body-parts.ts';
import { decodedSize } from '../../../store/parts/part-bytes.ts';

export interface MailBodies extends Pick<MessageLayout, 'html' | 'text' | 'files'> {
  /** As shown. Empty if the message has no such part. */
  shownHtml: string;
  shownText: string;
  /** The parts whose octets are not in the shown texts. */
  others: readonly Entity[];
  /** Whether the shown texts are all that the message contains. */
  isComplete: boolean;
}

const MAX_FILES = 100;
const MAX_NAME = 255;
const ENCODINGS = new Set(['7bit', '8bit', 'binary', 'base64', 'quoted-printable']);
/** The longest encoded text that can have `MAX_CONTENT_BYTES` octets: quoted-printable with soft line breaks. */
const MAX_ENCODED = 4 * MAX_CONTENT_BYTES;
/** Multipart types whose parts can be changed separately. A signature, for example, covers the octets of the parts beside it. */
const CONTAINERS = new Set(['multipart/alternative', 'multipart/mixed', 'multipart/related']);

/** Never throws. @param message all line ends are CRLF */
export function readMailBodies(raw: Buffer, message: Entity): MailBodies {
  const { sections, attached, calendar } = splitMessage(message);
  const html = sections.find((section) => section.html !== null)?.html ?? null;
  const text = sections.find((section) => section.text !== null)?.text ?? null;
  const others = sections.flatMap((section) => [section.html, section.text].filter((part) => part !== null));
  const files = [...new Set([...others, ...attached.map(({ entity }) => entity), calendar?.entity])].filter(
    (part): part is Entity =>
      part !== undefined && (part === html || part === text ? isNamed(part, message) : true),
  );
  const [ofHtml, ofText] = [shownOf(raw, html), shownOf(raw, text)];
  const separate = separateParts(message);
  const rangeOf = (part: Entity | null, { isExact }: Shown): BodyRange | null =>
    part !== null && isExact && separate.has(part) ? { start: part.start, end: part.end } : null;
  const rest = leavesOf(message).filter(
    (part) => !(part === html && ofHtml.isExact) && !(part === text && ofText.isExact),
  );
  return {
    shownHtml: ofHtml.shown,
    shownText: ofText.shown,
    html: rangeOf(html, ofHtml),
    text: rangeOf(text, ofText),
    files: files.slice(0, MAX_FILES).map(fileOf),
    others: rest,
    isComplete: rest.length === 0 && files.length === 0 && isSimple(message),
  };
}

interface Shown {
  shown: string;
  /** Whether the text was decoded as a whole and without guessing. */
  isExact: boolean;
}

function shownOf(raw: Buffer, part: Entity | null): Shown {
  if (part === null) return { shown: '', isExact: true };
  const isShort = part.end - part.bodyStart <= MAX_ENCODED;
  const whole = isShort && ENCODINGS.has(part.transferEncoding) ? decodeWholeText(raw, part) : null;
  const decoded = whole ?? decodeText(raw, part, MAX_ENCODED);
  const isUnwrapped = part.type === 'text/plain' && decoded.length <= MAX_CONTENT_BYTES;
  const text = isUnwrapped ? unwrapIfFlowed(decoded, part.parameters) : decoded;
  const cut = Buffer.byteLength(text) > MAX_CONTENT_BYTES ? cutOff(text) : text;
  // PostgreSQL stores no NUL.
  const shown = cut.replaceAll('\0', '\ufffd').toWellFormed();
  return { shown, isExact: whole !== null && shown === text };
}

/** The beginning of a text with at most `MAX_CONTENT_BYTES` octets. */
function cutOff(text: string): string {
  const octets = Buffer.from(text);
  let end = MAX_CONTENT_BYTES;
  while (((octets[end] as number) & 0xc0) === 0x80) end--;
  return octets.toString('utf8', 0, end);
}

/** Whether a part that is shown is a file too. */
function isNamed(part: Entity, message: Entity): boolean {
  return part !== message && partRole(part, 'multipart/mixed').name !== '';
}

function fileOf(part: Entity): FileRange {
  const { type, bodyStart: start, end, transferEncoding } = part;
  return {
    name: nameOf(part).slice(0, MAX_NAME).replaceAll('\0', '').toWellFormed(),
    type: type.slice(0, MAX_NAME).replaceAll('\0', '').toWellFormed(),
    octets: decodedSize({ start, end, transferEncoding }),
    start,
    end,
    transferEncoding: ENCODINGS.has(transferEncoding) ? transferEncoding : 'binary',
  };
}

function leavesOf(entity: Entity): Entity[] {
  return entity.parts.length === 0 ? [entity] : entity.parts.flatMap(leavesOf);
}

/** The parts that can be changed without making another part invalid. */
function separateParts(message: Entity): Set<Entity> {
  const found = new Set<Entity>();
  const walk = (entity: Entity): void => {
    if (entity.parts.length === 0 && !entity.type.startsWith('multipart/')) found.add(entity);
    if (CONTAINERS.has(entity.type) && !entity.truncated) entity.parts.forEach(walk);
  };
  walk(message);
  return found;
}

/** Whether the structure has no meaning beyond its texts. */
function isSimple(entity: Entity): boolean {
  if (entity.truncated) return false;
  return entity.parts.length === 0
    ? !entity.type.startsWith('multipart/')
    : CONTAINERS.has(entity.type) && entity.parts.every(isSimple);
}

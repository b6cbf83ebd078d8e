/** Reads the content of a message from its bytes. Runs in the worker thread. */
import { flowedFormat } from '../../rfc/message/flowed.ts';
import { htmlToText } from '../../rfc/message/html-to-text.ts';
import {
  decodeEncodedWords,
  decodeText,
  type Entity,
  type HeaderField,
  readEntity,
} from '../../rfc/mime/index.ts';
import { escapeHtml } from '../../rfc/html/write-shown.ts';
import { LIMITS } from '../../store/facts/message-facts.ts';
import { isTooMuch, MAX_HTML } from './html/size.ts';
import { LinkWarnings } from './links/link-warnings.ts';
import { contentIdOf, nameOf, type BodySection, splitMessage } from '../../store/parts/body-parts.ts';
import { fileName } from '../../store/parts/file-name.ts';
import { type TextBlocks, textBlocks } from './text/text-blocks.ts';
import { TOO_MUCH } from './too-much.ts';

/** The position, name and type of a part. */
export interface ReadPart {
  part: string;
  name: string;
  warning: string | null;
  /** The declared type, in lower case. */
  type: string;
  charset: string;
  transferEncoding: string;
  /** The Content-ID, without angle brackets. */
  contentId: string | null;
  start: number;
  end: number;
}

export interface ReadMessage {
  /** The HTML, not yet sanitized. Null if the message has no HTML, or if the HTML is too large. */
  html: string | null;
  /** The reason why the HTML is not shown. Null if the HTML is shown, or if the message has no HTML. */
  htmlProblem: string | null;
  text: TextBlocks;
  /** Warnings about the links in the text. */
  textProblems: string[];
  attached: ReadPart[];
  calendar: ReadPart | null;
  /** The first 200 header fields, decoded. */
  fields: HeaderField[];
}

const MAX_FIELDS = 200;
const MAX_VALUE = 4_000;
const MAX_TYPE = 100;
const MAX_ENCODED = 8 * 1_048_576;
/** Never throws. Takes time proportional to the size of the message. */
export function readMessage(raw: Buffer): ReadMessage {
  const message = readEntity(raw, LIMITS);
  const { sections, attached, calendar } = splitMessage(message);
  const read = (entity: Entity): string => decodeText(raw, entity, MAX_ENCODED);
  const texts = sections.map((section) => textOf(section, read));
  const flowed = sections.length === 1 ? (sections[0]?.text ?? null) : null;
  const { html, htmlProblem } = htmlOf(sections, read);
  const text = textBlocks(texts.join('\n\n'), {
    ...flowedFormat(flowed?.parameters),
  });
  return {
    html,
    htmlProblem,
    text,
    textProblems: problemsOf(text),
    attached: attached.map(({ entity, part }) => partOf(entity, part)),
    calendar: calendar === null ? null : partOf(calendar.entity, calendar.part),
    fields: message.fields.slice(0, MAX_FIELDS).map(({ name, value }) => ({
      name,
      value: decodeEncodedWords(value).slice(0, MAX_VALUE).toWellFormed(),
    })),
  };
}

function problemsOf({ blocks }: TextBlocks): string[] {
  const warnings = new LinkWarnings();
  for (const { href, text } of blocks.flatMap(({ spans }) => spans))
    if (href !== undefined) warnings.add(href, text);
  return warnings.sentences;
}

/** The text of a section, from its HTML if it has no text. */
export function textOf({ text, html }: BodySection, read: (entity: Entity) => string): string {
  if (text !== null) {
    const said = read(text);
    // If the text part is empty, the text is generated from the HTML.
    if (said.trim() !== '' || html === null) return said;
  }
  return html === null ? '' : htmlToText(read(html).slice(0, MAX_HTML));
}

function htmlOf(
  sections: readonly BodySection[],
  read: (entity: Entity) => string,
): Pick<ReadMessage, 'html' | 'htmlProblem'> {
  if (!sections.some(({ html }) => html !== null)) return { html: null, htmlProblem: null };
  let length = 0;
  const pieces: string[] = [];
  for (const { html, text } of sections) {
    const piece = html !== null ? read(html) : text === null ? '' : preformatted(read(text));
    if (piece.trim() === '') continue;
    length += piece.length;
    if (length > MAX_HTML) return { html: null, htmlProblem: TOO_MUCH };
    pieces.push(piece);
  }
  if (pieces.length === 0) return { html: null, htmlProblem: null };
  // The pieces are checked together, because elements left open in one piece continue in the next piece.
  const html = pieces.join('<hr>');
  return isTooMuch(html) ? { html: null, htmlProblem: TOO_MUCH } : { html, htmlProblem: null };
}

/** Text as HTML. */
export function preformatted(text: string): string {
  return `<pre style="white-space:pre-wrap">${escapeHtml(text)}</pre>`;
}

/** Describes a part, with a safe name and type. */
export function partOf(entity: Entity, part: string): ReadPart {
  const { bodyStart: start, end, transferEncoding } = entity;
  const type = /^[a-z0-9!#$&^_.+-]{1,60}\/[a-z0-9!#$&^_.+-]{1,60}$/.test(entity.type)
    ? entity.type.slice(0, MAX_TYPE)
    : 'application/octet-stream';
  return {
    part,
    ...fileName(nameOf(entity), type, part),
    type,
    charset: (entity.parameters.get('charset') ?? '').slice(0, 60),
    transferEncoding: transferEncoding.slice(0, 60),
    contentId: contentIdOf(entity),
    start,
    end,
  };
}

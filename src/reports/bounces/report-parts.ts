import { htmlToText } from '../../rfc/message/html-to-text.ts';
import { decodeText, type Entity, fieldValue, type HeaderField, readHeader } from '../../rfc/mime/index.ts';
import { findAddresses } from './addresses.ts';
import { announcesOriginal } from './markers.ts';
import type { OriginalMessage } from './report.ts';

export interface ReportParts {
  fields: readonly HeaderField[];
  /** The human-readable text, without the original message. */
  text: string;
  /** The texts of delivery-status parts. */
  statuses: string[];
  /** The text of the feedback-report part. */
  feedback: string | null;
  hasDisposition: boolean;
  /** Whether the message declares itself a delivery report, even if its parts are missing. */
  isDeclared: boolean;
  /** The original message. Null if the report does not contain its header. */
  original: OriginalMessage | null;
  /** Whether the original message is a separate part, not quoted in the text. */
  hasAttachedOriginal: boolean;
}

const MAX_TEXT = 131_072;
/** The number of octets decoded from all parts together. It is limited because decoding blocks the event loop. */
const MAX_DECODED = 8 * MAX_TEXT;
const MAX_LINES = 4_000;

/** Never throws. Decodes at most 128 KiB of each part and 1 MiB in all. */
export function takeApart(raw: Buffer, message: Entity): ReportParts {
  const parts: ReportParts = {
    fields: message.fields,
    text: '',
    statuses: [],
    feedback: null,
    hasDisposition: false,
    isDeclared: message.parameters.get('report-type')?.toLowerCase() === 'delivery-status',
    original: null,
    hasAttachedOriginal: false,
  };
  let originalFields: readonly HeaderField[] = [];
  const plain: string[] = [];
  const html: string[] = [];
  let decoded = 0;
  for (const leaf of leaves(message)) {
    const text = (): string => {
      const octets = Math.min(MAX_TEXT, MAX_DECODED - decoded, leaf.end - leaf.bodyStart);
      decoded += octets;
      return decodeText(raw, leaf, octets);
    };
    if (leaf.type === 'message/delivery-status' || leaf.type === 'message/global-delivery-status') {
      parts.statuses.push(text());
    } else if (leaf.type === 'message/feedback-report') {
      parts.feedback ??= text();
    } else if (
      leaf.type === 'message/disposition-notification' ||
      leaf.type === 'message/global-disposition-notification'
    ) {
      parts.hasDisposition = true;
    } else if (IS_ORIGINAL.has(leaf.type)) {
      if (!parts.hasAttachedOriginal) originalFields = headerOf(text());
      parts.hasAttachedOriginal = true;
    } else if (leaf.type === 'text/html') {
      html.push(text());
    } else if (leaf.type.startsWith('text/') || leaf === message) {
      plain.push(text());
    }
  }
  const joined = plain.join('\n\n').trim();
  const whole = (joined === '' ? htmlToText(html.join('\n').slice(0, MAX_TEXT)) : joined).slice(0, MAX_TEXT);
  const { text, original } = splitAtOriginal(whole);
  parts.text = text;
  if (originalFields.length === 0 && original !== '') originalFields = headerOf(original);
  parts.original = describeOriginal(originalFields);
  return parts;
}

const IS_ORIGINAL = new Set([
  'message/rfc822',
  'message/global',
  'message/partial',
  'text/rfc822-headers',
  'message/rfc822-headers',
  'message/global-headers',
]);

function* leaves(entity: Entity): Generator<Entity> {
  if (entity.parts.length === 0) yield entity;
  for (const part of entity.parts) yield* leaves(part);
}

const MAX_RECIPIENTS = 100;

function describeOriginal(fields: readonly HeaderField[]): OriginalMessage | null {
  if (fields.length === 0) return null;
  const returnPath = /^<?([^<>\s]{1,320})>?/.exec(fieldValue(fields, 'return-path') ?? '')?.[1];
  return {
    messageId: fieldValue(fields, 'message-id'),
    returnPath: returnPath ?? null,
    rcptTo: findAddresses(fieldValue(fields, 'to') ?? '', MAX_RECIPIENTS),
    fields,
  };
}

function headerOf(text: string): readonly HeaderField[] {
  const octets = Buffer.from(dedent(text));
  return readHeader(octets, 0, octets.length).fields;
}

/** Removes indentation and quote marks, which reports put in front of the header that they repeat. */
function dedent(text: string): string {
  const trimmed = text.replace(/^(?:[ \t]*\n)+/, '');
  const indent = /^[> \t]*/.exec(trimmed)?.[0] ?? '';
  if (indent === '') return trimmed;
  return trimmed
    .split('\n', MAX_LINES)
    .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line))
    .join('\n');
}

const FIRST_FIELD = /^[> \t]*(?:received|return-path|dkim-signature):[ \t]/i;

/** Splits a text where the original message begins. */
function splitAtOriginal(whole: string): { text: string; original: string } {
  const lines = whole.split('\n', MAX_LINES);
  for (const [at, line] of lines.entries()) {
    const isMarker = announcesOriginal(line);
    if (!isMarker && !FIRST_FIELD.test(line)) continue;
    const text = lines.slice(0, at).join('\n');
    if (isMarker && text.trim() === '') continue;
    return { text, original: lines.slice(isMarker ? at + 1 : at).join('\n') };
  }
  return { text: lines.join('\n'), original: '' };
}

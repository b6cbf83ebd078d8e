/** Reads request bodies: JSON (RFC 8259), or no body at all. Refuses whatever no field may hold. */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError, validationError } from '../../model/app-error.ts';

export const MAX_BODY_BYTES = 6 * 1024 * 1024;

/** Valid requests nest 3 levels at most. */
const MAX_DEPTH = 64;
/** Attack: six megabytes of members, elements or brackets take a second to parse. The largest valid body has 3,100 values. */
const MAX_VALUES = 10_000;
/** Smaller bodies have no room for what costs anything. */
const SCANNED_FROM_LENGTH = 4_096;
const MAX_SHOWN_LENGTH = 100;

/**
 * Leaves the bytes to the operation, which knows what they should be. A body of no bytes is no body, whatever its type: many
 * clients send the header with every method.
 * @param read gives the bytes of a body
 */
export function keepBodies(
  app: FastifyInstance,
  read: (request: FastifyRequest, payload: IncomingMessage) => Promise<Buffer>,
): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', async (request: FastifyRequest, payload: IncomingMessage) => {
    const bytes = await read(request, payload);
    return bytes.length === 0 ? undefined : bytes;
  });
  app.addContentTypeParser('*', async (request: FastifyRequest, payload: IncomingMessage) => {
    const bytes = await read(request, payload);
    if (bytes.length > 0)
      throw new AppError('unsupported-media-type', 'Send the body as Content-Type: application/json.');
  });
}

/** Leaves bodies unread: operations take them from the request. */
export function leaveBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  const leave = async (): Promise<void> => {};
  app.addContentTypeParser('application/json', leave);
  app.addContentTypeParser('*', leave);
}

/** A hook. Fastify refuses a malformed type before it looks for a body. Parameters of the type mean nothing here. */
export function normalizeContentType(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  const { headers } = request;
  const type = headers['content-type'];
  if (type !== undefined && type !== 'application/json') {
    headers['content-type'] = /^\s*application\/json\s*(?:;|$)/i.test(type) ? 'application/json' : undefined;
  }
  done();
}

/**
 * Looks at the structure of a body before anything is made of it. The text need not be JSON.
 * @returns how many values it holds, or some more; 0 for a body too small to hold many
 * @throws AppError malformed-json: too deep; bad-request: too many values
 */
export function scanJson(text: string): number {
  const end = text.length;
  if (end < SCANNED_FROM_LENGTH) return 0;
  let values = 1;
  let depth = 0;
  for (let at = 0; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
      if (at === -1) break;
    } else if (code === 0x2c) values += 1;
    else if (code === 0x5b || code === 0x7b) {
      values += 1;
      depth += 1;
      if (depth > MAX_DEPTH) {
        throw new AppError('malformed-json', `The body nests deeper than ${MAX_DEPTH} levels.`);
      }
    } else if (code === 0x5d || code === 0x7d) depth -= 1;
    if (values > MAX_VALUES) throw new AppError('bad-request', TOO_MANY_VALUES);
  }
  return values;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The index of the quotation mark that ends what the one at `start` begins; -1 when nothing does. */
function endOfString(text: string, start: number): number {
  let end = start;
  let escapes: number;
  do {
    end = text.indexOf('"', end + 1);
    escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes += 1;
  } while (end !== -1 && escapes % 2 === 1);
  return end;
}

const TOO_MANY_VALUES = `The body holds more than ${MAX_VALUES.toLocaleString('en')} fields and elements of lists; send fewer. No field takes as many.`;

/**
 * The value of a body. The last of duplicate names wins; `__proto__` is a name like any other.
 * @throws AppError malformed-json; bad-request; validation-failed for NUL or half of a surrogate pair in any string
 */
export function parseJson(bytes: Buffer): unknown {
  const text = textOf(bytes);
  scanJson(text);
  return parseScanned(text);
}

/** @throws AppError malformed-json */
export function textOf(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new AppError('malformed-json', 'The body is not UTF-8.');
  return bytes.toString();
}

/** As `parseJson`, of a text that `scanJson` has let pass. */
export function parseScanned(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new AppError(
      'malformed-json',
      `The body is not JSON: ${error instanceof Error ? error.message : ''}`,
    );
  }
  // JSON has no raw NUL, and UTF-8 no half of a surrogate pair: both can only come as an escape.
  if (text.includes('\\u')) refuseBadText(value);
  return value;
}

/** What is wrong with a text that no field, name or parameter may hold; null when nothing is. */
export function textFault(text: string): string | null {
  if (text.includes('\0')) return 'must not contain the character NUL';
  if (!text.isWellFormed()) return 'must not contain half of a surrogate pair';
  return null;
}

/** A name that the caller made up, short enough to be repeated in an answer. */
export function shownName(name: string): string {
  return name.length <= MAX_SHOWN_LENGTH ? name : `${name.slice(0, MAX_SHOWN_LENGTH).toWellFormed()}…`;
}

function refuseBadText(root: unknown): void {
  // Without recursion: a small body may still nest thousands of levels.
  const open: { field: string; value: object }[] = [];
  const visit = (field: string, value: unknown) => {
    if (typeof value === 'string') refuse(field, value);
    else if (typeof value === 'object' && value !== null) open.push({ field, value });
  };
  visit('body', root);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { field, value } = next;
    if (Array.isArray(value)) {
      for (const element of value) visit(field, element);
      continue;
    }
    for (const name of Object.keys(value)) {
      refuse(field, name);
      visit(value === root ? shownName(name) : field, (value as Record<string, unknown>)[name]);
    }
  }
}

function refuse(field: string, text: string): void {
  const fault = textFault(text);
  if (fault !== null) throw validationError({ [field]: fault });
}

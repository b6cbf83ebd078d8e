/** Reads request bodies, which are JSON (RFC 8259) or empty. Rejects text that no field may contain. */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError, validationError } from '../../model/app-error.ts';

export const MAX_BODY_BYTES = 6 * 1024 * 1024;

/** Maximum levels of nesting in a body. Valid requests have at most 3 levels. */
const MAX_DEPTH = 64;
/**
 * Attack: a body of six megabytes full of members, elements or brackets takes a second to parse. The largest valid body has 3,100 values.
 */
const MAX_VALUES = 10_000;
/** Smaller bodies are not scanned, because they cannot contain enough values to be expensive. */
const SCANNED_FROM_LENGTH = 4_096;
const MAX_SHOWN_LENGTH = 100;

/**
 * Keeps bodies as bytes. The operation parses the bytes, because it has the schema. An empty body counts as no body, whatever the
 * Content-Type, because many clients send this header with every method.
 * @param read reads the bytes of a body
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

/** Leaves bodies unread. Operations read the body from the request. */
export function leaveBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  const leave = async (): Promise<void> => {};
  app.addContentTypeParser('application/json', leave);
  app.addContentTypeParser('*', leave);
}

/**
 * A hook that removes every Content-Type except JSON, because Fastify rejects a malformed type before it checks whether there is a body.
 * Parameters of the media type are ignored.
 */
export function normalizeContentType(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  const { headers } = request;
  const type = headers['content-type'];
  if (type !== undefined && type !== 'application/json') {
    headers['content-type'] = /^\s*application\/json\s*(?:;|$)/i.test(type) ? 'application/json' : undefined;
  }
  done();
}

/**
 * Checks the structure of a body before the body is parsed. The text may be invalid JSON.
 * @returns an upper bound on the number of values in the body; 0 for a body too small to contain many values
 * @throws AppError malformed-json if the nesting is too deep; bad-request if there are too many values
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
        throw new AppError(
          'malformed-json',
          `The body has more than ${MAX_DEPTH} levels of nesting. Send a flatter object.`,
        );
      }
    } else if (code === 0x5d || code === 0x7d) depth -= 1;
    if (values > MAX_VALUES) throw new AppError('bad-request', TOO_MANY_VALUES);
  }
  return values;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The index of the closing quotation mark of the string that opens at `start`. -1 if the string has no closing quotation mark. */
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

const TOO_MANY_VALUES = `The body has more than ${MAX_VALUES.toLocaleString('en')} fields and list elements. Split it into several requests.`;

/**
 * Parses a body. If an object has duplicate names, the last one wins. `__proto__` is an ordinary name.
 * @throws AppError malformed-json if the body is not JSON; bad-request if it has too many values; validation-failed if a string contains
 * NUL or a lone surrogate
 */
export function parseJson(bytes: Buffer): unknown {
  const text = textOf(bytes);
  scanJson(text);
  return parseScanned(text);
}

/** @throws AppError malformed-json if the bytes are not UTF-8 */
export function textOf(bytes: Buffer): string {
  if (!isUtf8(bytes))
    throw new AppError('malformed-json', 'The body is not valid UTF-8. Encode it as UTF-8.');
  return bytes.toString();
}

/** Parses a text that passed `scanJson`. Otherwise like `parseJson`. */
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
  // An unescaped NUL is invalid in JSON, and an unescaped lone surrogate is invalid in UTF-8, so both can occur only as escapes.
  if (text.includes('\\u')) refuseBadText(value);
  return value;
}

/** The reason why a text is invalid in any field, name or parameter. Null if the text is valid. */
export function textFault(text: string): string | null {
  if (text.includes('\0')) return 'must not contain the character NUL';
  if (!text.isWellFormed()) return 'must not contain a lone surrogate';
  return null;
}

/** A name chosen by the caller, shortened for use in a response. */
export function shownName(name: string): string {
  return name.length <= MAX_SHOWN_LENGTH ? name : `${name.slice(0, MAX_SHOWN_LENGTH).toWellFormed()}…`;
}

function refuseBadText(root: unknown): void {
  // Iterative, because even a small body can have thousands of nesting levels.
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

/** Reads request bodies: JSON (RFC 8259), or no body at all. Refuses whatever no field may hold. */
import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError, validationError } from '../../model/app-error.ts';

export const MAX_BODY_BYTES = 6 * 1024 * 1024;

/** Valid requests nest 3 levels at most. */
const MAX_DEPTH = 64;
/** Smaller bodies cannot nest deep enough to cost anything. Six megabytes of `[` take a second to parse. */
const DEPTH_MATTERS_FROM_BYTES = 16_384;
const MAX_SHOWN_LENGTH = 100;

/** A body of no bytes is no body, whatever its type: many clients send the header with every method. */
export function parseBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, bytes: Buffer, done) => {
    done(null, bytes.length === 0 ? undefined : parseJson(bytes));
  });
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, bytes: Buffer, done) => {
    if (bytes.length === 0) done(null, undefined);
    else done(new AppError('unsupported-media-type', 'Send the body as Content-Type: application/json.'));
  });
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
 * The value of a body. The last of duplicate names wins; `__proto__` is a name like any other.
 * @throws AppError malformed-json; validation-failed for NUL or half of a surrogate pair in any string
 */
export function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new AppError('malformed-json', 'The body is not UTF-8.');
  if (bytes.length >= DEPTH_MATTERS_FROM_BYTES && isTooDeep(bytes)) {
    throw new AppError('malformed-json', `The body nests deeper than ${MAX_DEPTH} levels.`);
  }
  const text = bytes.toString();
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

function isTooDeep(bytes: Buffer): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (inString) {
      if (byte === 0x5c) at += 1;
      else if (byte === 0x22) inString = false;
    } else if (byte === 0x22) inString = true;
    else if (byte === 0x5b || byte === 0x7b) {
      depth += 1;
      if (depth > MAX_DEPTH) return true;
    } else if (byte === 0x5d || byte === 0x7d) depth -= 1;
  }
  return false;
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

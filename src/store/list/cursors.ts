/** Where a page of messages ends, as whoever asks for the next one brings it back. */
import { validationError } from '../../model/app-error.ts';
import type { ListPlace } from './conversation-page.ts';

/** By the time at which a message was received, in microseconds since 1970, then by its id. */
export interface MessagePlace {
  micros: string;
  id: string;
}

const MICROS = /^-?\d{1,18}$/;
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
const MAX_NUMBER = 2 ** 31 - 1;

/** @returns null where it is none */
function partsOf(cursor: string, count: number): string[] | null {
  const octets = Buffer.from(cursor, 'base64url');
  const parts = octets.toString('latin1').split(' ');
  return parts.length === count && octets.toString('base64url') === cursor ? parts : null;
}

function pack(...parts: (string | number)[]): string {
  return Buffer.from(parts.join(' '), 'latin1').toString('base64url');
}

function bad(): Error {
  return validationError({ cursor: 'is none that a page of this list had as next or previous' });
}

export function encodeCursor({ micros, id }: MessagePlace): string {
  return pack(micros, id);
}

/** @throws AppError validation-failed */
export function decodeCursor(cursor: string): MessagePlace {
  const [micros = '', id = ''] = partsOf(cursor, 2) ?? [];
  if (!MICROS.test(micros) || !UUID.test(id)) throw bad();
  return { micros, id };
}

/** Which way the page lies from there. */
export type ListCursor = { olderThan: ListPlace } | { newerThan: ListPlace };

export function encodeListCursor(cursor: ListCursor): string {
  const [way, { newestAt, newestUid, row }] =
    'olderThan' in cursor ? (['o', cursor.olderThan] as const) : (['n', cursor.newerThan] as const);
  return pack(way, newestAt, newestUid, row);
}

/** @throws AppError validation-failed */
export function decodeListCursor(cursor: string): ListCursor {
  const [way, newestAt = '', uid, row] = partsOf(cursor, 4) ?? [];
  const [newestUid, at] = [numberOf(uid), numberOf(row)];
  if ((way !== 'o' && way !== 'n') || !MICROS.test(newestAt) || newestUid === null || at === null)
    throw bad();
  const place = { newestAt, newestUid, row: at };
  return way === 'o' ? { olderThan: place } : { newerThan: place };
}

function numberOf(text = ''): number | null {
  return /^\d{1,10}$/.test(text) && Number(text) <= MAX_NUMBER ? Number(text) : null;
}

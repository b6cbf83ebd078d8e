/** How what is done in turns goes on: a text that whoever asked brings back. Whoever makes one up could as well ask for the rest alone. */
import { validationError } from '../../model/app-error.ts';
import type { FolderPlace } from './find-places.ts';

const UUID = '[\\da-f]{8}(?:-[\\da-f]{4}){3}-[\\da-f]{12}';
const PLACE = new RegExp(`^(${UUID}) (\\d{1,10})$`);
const INSIDE = new RegExp(`^(${UUID}) (${UUID}) (\\d{1,10}) ([\\w-]{0,150})$`);

/** A conversation with more messages than a turn has, in the middle of what a search finds. */
export interface InsideSearch {
  threadId: string;
  after: FolderPlace;
  /** Of the search behind it; null: it ends there. */
  cursor: string | null;
}

/** @param after the last message of this turn */
export function writePlace({ folderId, uid }: FolderPlace): string {
  return Buffer.from(`${folderId} ${uid}`).toString('base64url');
}

/** @throws AppError validation-failed */
export function readPlace(text: string): FolderPlace {
  const [, folderId = '', uid] = PLACE.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  if (uid === undefined || Number(uid) >= 2 ** 31)
    throw validationError({ continue: 'is none that an answer had' });
  return { folderId, uid: Number(uid) };
}

export function writeInside({ threadId, after, cursor }: InsideSearch): string {
  return Buffer.from(`${threadId} ${after.folderId} ${after.uid} ${cursor ?? ''}`).toString('base64url');
}

/** Null: it is a cursor of the search alone. */
export function readInside(text: string): InsideSearch | null {
  const [, threadId = '', folderId = '', uid, cursor] =
    INSIDE.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  if (uid === undefined || Number(uid) >= 2 ** 31) return null;
  return { threadId, after: { folderId, uid: Number(uid) }, cursor: cursor || null };
}

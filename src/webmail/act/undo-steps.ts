/**
 * Undo texts: the steps that undo an action, which the client passes back. The texts are not signed, because actions already let the client
 * do everything that a forged text could do.
 */
import { AppError } from '../../model/app-error.ts';
import * as clock from '../../model/clock.ts';
import { FLAG, MUTED, PINNED } from '../../store/flags.ts';
import { labelKeyword } from '../labels/keywords.ts';
import { MAX_UID, type UidRange } from '../../store/uid-ranges.ts';

/** Adds or removes a flag or a keyword. */
export type MarkStep = { folderId: string; ranges: readonly UidRange[]; op: 'add' | 'remove' } & (
  | { flag: number }
  | { keyword: string }
);

/** Moves messages to another folder, or marks them. */
export type ActionStep = { folderId: string; ranges: readonly UidRange[]; toFolderId: string } | MarkStep;

/** How long an action can be undone. After that, users no longer remember the action. */
const VALID_MS = 10 * 60_000;
const MAX_STEPS = 2_000;
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
const MARKS: readonly number[] = [FLAG.seen, FLAG.flagged];

/** `[folder, ranges, to]` or `[folder, ranges, '+' or '-', flag or keyword]`, with ranges as a flat list of first and last UIDs. */
type Packed = [folderId: string, uids: number[], toOrOp: string, mark?: number | string];

/** @param steps in the order in which they must run */
export function packUndo(steps: readonly ActionStep[]): string {
  const packed = steps.map((step): Packed => {
    const uids = step.ranges.flatMap(({ first, last }) => [first, last]);
    return 'toFolderId' in step
      ? [step.folderId, uids, step.toFolderId]
      : [step.folderId, uids, step.op === 'add' ? '+' : '-', 'flag' in step ? step.flag : step.keyword];
  });
  return Buffer.from(JSON.stringify([clock.nowMs() + VALID_MS, packed])).toString('base64url');
}

/** @throws AppError bad-request if the text is invalid or has expired */
export function unpackUndo(text: string): ActionStep[] {
  const value: unknown = parsed(Buffer.from(text, 'base64url').toString());
  if (!Array.isArray(value) || value.length !== 2) throw notUndone();
  const [until, packed] = value as [unknown, unknown];
  if (typeof until !== 'number' || !Array.isArray(packed) || packed.length > MAX_STEPS) throw notUndone();
  if (until < clock.nowMs()) throw notUndone();
  return packed.map(stepOf);
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}

function stepOf(value: unknown): ActionStep {
  if (!Array.isArray(value)) throw notUndone();
  const [folderId, uids, to, mark] = value as [unknown, unknown, unknown, unknown];
  if (typeof folderId !== 'string' || !UUID.test(folderId) || !Array.isArray(uids)) throw notUndone();
  const of = { folderId, ranges: rangesOf(uids) };
  if (to === '+' || to === '-') {
    const op = to === '+' ? 'add' : 'remove';
    if (typeof mark === 'number' && MARKS.includes(mark)) return { ...of, op, flag: mark };
    if (typeof mark === 'string' && isMark(mark)) return { ...of, op, keyword: mark };
    throw notUndone();
  }
  if (typeof to === 'string' && UUID.test(to)) return { ...of, toFolderId: to };
  throw notUndone();
}

function isMark(keyword: string): boolean {
  return keyword === PINNED || keyword === MUTED || labelKeyword(keyword) === keyword;
}

function rangesOf(uids: readonly unknown[]): UidRange[] {
  const isUid = (uid: unknown): uid is number =>
    typeof uid === 'number' && Number.isInteger(uid) && uid > 0 && uid < MAX_UID;
  const ranges: UidRange[] = [];
  for (let at = 0; at < uids.length; at += 2) {
    const [first, last] = [uids[at], uids[at + 1]];
    if (!isUid(first) || !isUid(last) || first > last) throw notUndone();
    ranges.push({ first, last });
  }
  return ranges;
}

function notUndone(): AppError {
  return new AppError('bad-request', 'This action can no longer be undone.');
}

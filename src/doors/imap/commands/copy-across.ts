/** COPY and MOVE between the own account and shared accounts, and between shared accounts. */
import type { NewMessage } from '../../../store/append.ts';
import type { OriginalMessage } from '../../../store/move-across.ts';
import { rangesAbove, rangesOf, type UidRange } from '../../../store/uid-ranges.ts';
import { copyUid } from '../mailbox-responses.ts';
import { type TaggedResponse, no, ok } from '../responses.ts';
import type { MailboxFolder } from '../selected-folder.ts';
import type { FolderSession } from '../session.ts';
import { appendRefusal } from './append.ts';
import { sendExpunged } from './expunge.ts';

/** How many messages are stored in one transaction. Each is parsed, because the other mailbox has its own index. */
const SLICE = 100;
/** How many octets are in memory at a time, beyond the first message. */
const SLICE_OCTETS = 8 * 1024 * 1024;
/** The limit on messages in one COPY between accounts, which deletes the copies again after an error. */
const MAX_COPIES = 10_000;

const TOO_MANY = no(
  'LIMIT',
  `At most ${MAX_COPIES} messages can be copied to another mailbox with one command`,
);
const LOST = no('UNAVAILABLE', 'A message cannot be read; try again later');

interface ReadMessage {
  uid: number;
  message: NewMessage;
}

export function isAcross({ selected }: FolderSession, target: MailboxFolder): boolean {
  return selected.key.mailboxId !== target.key.mailboxId;
}

/**
 * Copies slice by slice. After an error, the copies of earlier slices are deleted. If they cannot be deleted, because the database fails or
 * the process is killed, they remain.
 */
export async function copyAcross(
  session: FolderSession,
  ranges: readonly UidRange[],
  target: MailboxFolder,
): Promise<TaggedResponse> {
  if (session.selected.countIn(ranges) > MAX_COPIES) return TOO_MANY;
  const { store } = session.services;
  const uids: { from: number; to: number }[] = [];
  const undo = async (): Promise<void> => {
    if (uids.length === 0) return;
    const copies = rangesOf(uids.map(({ to }) => to));
    await store.expunge(target.key, { ranges: copies, isDeletedOnly: false });
  };
  try {
    for await (const slice of readSlices(session, ranges, target)) {
      const refusal = slice === null || session.isOver ? LOST : await copySlice(session, slice, uids);
      if (refusal === null) continue;
      await undo();
      return refusal;
    }
  } catch (error) {
    await undo();
    throw error;
  }
  return ok('Copied', copyUid({ uidValidity: target.uidValidity, uids }));
}

/** @returns null if all messages of the slice were stored; their UIDs are added to `uids` */
async function copySlice(
  { services }: FolderSession,
  slice: readonly ReadMessage[],
  uids: { from: number; to: number }[],
): Promise<TaggedResponse | null> {
  const results = await services.store.appendWhole(slice.map(({ message }) => message));
  for (const [at, result] of results.entries()) {
    if (result.outcome !== 'stored') return refused(services, slice, result.outcome);
    uids.push({ from: slice[at]?.uid ?? 0, to: result.uid });
  }
  return null;
}

/** Moves slice by slice. After a failure, earlier slices stay moved. */
export async function moveAcross(
  session: FolderSession,
  ranges: readonly UidRange[],
  target: MailboxFolder,
): Promise<TaggedResponse> {
  const { services, selected } = session;
  for await (const slice of readSlices(session, ranges, target)) {
    if (slice === null || session.isOver) return LOST;
    const result = await services.store.moveAcross(selected.key, slice);
    selected.noteChange();
    if (result.outcome !== 'moved') return refused(services, slice, result.outcome);
    const code = copyUid(result);
    if (code !== null) session.untagged(`OK [${code}] Moved`);
    if (!(await session.output.drained())) break;
  }
  return sendExpunged(session, 'Moved');
}

/** Attack: rejected messages fill the disk with large objects. */
async function refused(
  { blobs }: FolderSession['services'],
  slice: readonly ReadMessage[],
  outcome: Parameters<typeof appendRefusal>[0],
): Promise<TaggedResponse> {
  for (const { message } of slice) await blobs.discard(message.blob).catch(() => {});
  return appendRefusal(outcome);
}

/** @yields messages of the selected folder for the target; null if the bytes of a message are missing */
async function* readSlices(
  session: FolderSession,
  ranges: readonly UidRange[],
  target: MailboxFolder,
): AsyncGenerator<ReadMessage[] | null, void, void> {
  const { selected, services } = session;
  for (let rest = ranges; ; ) {
    const originals = await services.store.originals(selected.key, rest, SLICE);
    const last = originals.at(-1);
    if (last === undefined) return;
    let slice: ReadMessage[] = [];
    let octets = 0;
    for (const original of originals) {
      const message = await copyOf(session, original, target);
      if (message === null) return yield null;
      slice.push({ uid: original.uid, message });
      octets += original.octets;
      if (octets < SLICE_OCTETS) continue;
      yield slice;
      [slice, octets] = [[], 0];
    }
    if (slice.length > 0) yield slice;
    rest = rangesAbove(rest, last.uid);
    if (rest.length === 0) return;
  }
}

async function copyOf(
  { services, selected }: FolderSession,
  { digest, flags, keywords, internalDate, authentication, spam }: OriginalMessage,
  target: MailboxFolder,
): Promise<NewMessage | null> {
  const { projectId } = selected.key;
  const bytes = (await (await services.blobs.open(projectId, digest))?.read()) ?? null;
  if (bytes === null) return null;
  const facts = await services.facts.read(bytes);
  return {
    ...target.account.key,
    folder: { id: target.id },
    blob: await services.blobs.prepare(projectId, bytes, digest),
    facts,
    flags,
    keywords,
    internalDate,
    // The copy shows the same warnings about its sender.
    authentication,
    spam,
  };
}

/**
 * Bodies take turns at being read. Left alone, each connection with bytes to read has two megabytes of them read before the event
 * loop goes on: of a thousand such connections everybody else would wait for seconds.
 */
import type { IncomingMessage } from 'node:http';

/** How much of a body is read in one turn. */
const TURN_BYTES = 32 * 1024;
/** What a piece costs on top of its bytes: in chunked coding one may have a single byte. */
const PIECE_BYTES = 64;
/** Bodies that are read in a turn of the event loop, and those that are dropped. */
const READ_AT_ONCE = 16;
const DROPPED_AT_ONCE = 2;

const toRead: IncomingMessage[] = [];
const toDrop: IncomingMessage[] = [];
const dropped = new WeakSet<IncomingMessage>();
let isScheduled = false;

/** Hands on what arrives of a body. @returns ends that: what arrives later waits */
export function readInTurns(payload: IncomingMessage, onPiece: (piece: Buffer) => void): () => void {
  return listen(payload, toRead, onPiece);
}

/**
 * Reads what is left of a body that nobody wants any more. Closing the connection in place of that would keep the answer from a
 * client that still sends.
 */
export function drop(payload: IncomingMessage): void {
  if (payload.complete || dropped.has(payload)) return;
  dropped.add(payload);
  listen(payload, toDrop, () => {});
}

function listen(
  payload: IncomingMessage,
  line: IncomingMessage[],
  onPiece: (piece: Buffer) => void,
): () => void {
  let bytes = 0;
  const onData = (piece: Buffer): void => {
    bytes += piece.length + PIECE_BYTES;
    if (bytes >= TURN_BYTES) {
      bytes = 0;
      payload.pause();
      line.push(payload);
      schedule();
    }
    onPiece(piece);
  };
  payload.on('data', onData);
  payload.resume();
  return () => {
    payload.off('data', onData);
    payload.pause();
  };
}

function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  setImmediate(() => {
    isScheduled = false;
    for (const payload of toRead.splice(0, READ_AT_ONCE)) payload.resume();
    for (const payload of toDrop.splice(0, DROPPED_AT_ONCE)) payload.resume();
    if (toRead.length > 0 || toDrop.length > 0) schedule();
  });
}

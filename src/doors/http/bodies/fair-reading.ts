/** Bodies take turns at being read (`ReadingLine`). */
import type { IncomingMessage } from 'node:http';
import { ReadingLine } from '../../tcp/reading-line.ts';

/** How much of a body is read in one turn. */
const TURN_BYTES = 32 * 1024;
/** What a piece costs on top of its bytes: in chunked coding one may have a single byte. */
const PIECE_BYTES = 64;
/** Bodies that are read in a turn of the event loop. */
const READ_AT_ONCE = 16;
/** What is dropped may take its time, and little of ours: up to fifty megabytes a second, of all connections together. */
const DROPPED_AT_ONCE = 4;
const DROP_INTERVAL_MS = 5;

const toRead = new ReadingLine({ later: setImmediate, atOnce: () => READ_AT_ONCE });
const toDrop = new ReadingLine({
  later: (callback) => setTimeout(callback, DROP_INTERVAL_MS),
  atOnce: () => DROPPED_AT_ONCE,
});
const dropped = new WeakSet<IncomingMessage>();

/** Hands on what arrives of a body. @returns ends that: what arrives later waits */
export function readFairly(payload: IncomingMessage, onPiece: (piece: Buffer) => void): () => void {
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

function listen(payload: IncomingMessage, line: ReadingLine, onPiece: (piece: Buffer) => void): () => void {
  let bytes = 0;
  const onData = (piece: Buffer): void => {
    bytes += piece.length + PIECE_BYTES;
    if (bytes >= TURN_BYTES) {
      bytes = 0;
      payload.pause();
      line.join(() => payload.resume());
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

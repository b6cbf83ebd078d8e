/** Reads bodies round-robin, with a `ReadQueue`. */
import type { IncomingMessage } from 'node:http';
import { ReadQueue } from '../../tcp/read-queue.ts';

/** How many bytes to read from one body before other bodies are read. */
const SLICE_BYTES = 32 * 1024;
/** Each chunk counts as this many bytes in addition to its length. Attack: a client sends a body in chunks of one byte. */
const PIECE_BYTES = 64;
/** How many bodies to read from in each iteration of the event loop. */
const READ_AT_ONCE = 16;
/**
 * How many bodies to discard data from in each interval. Data that is discarded may arrive slowly, but must cost little work. These
 * limits allow 50 MB per second over all connections.
 */
const DROPPED_AT_ONCE = 4;
const DROP_INTERVAL_MS = 5;

const toRead = new ReadQueue({ schedule: setImmediate, batchSize: () => READ_AT_ONCE });
const toDrop = new ReadQueue({
  schedule: (callback) => setTimeout(callback, DROP_INTERVAL_MS),
  batchSize: () => DROPPED_AT_ONCE,
});
const dropped = new WeakSet<IncomingMessage>();

/**
 * Calls `onPiece` with the chunks of a body as they arrive. @returns a function that stops reading; data that arrives later stays unread
 */
export function readFairly(payload: IncomingMessage, onPiece: (piece: Buffer) => void): () => void {
  return listen(payload, toRead, onPiece);
}

/**
 * Reads and discards the rest of a body. If the connection were closed instead, a client that is still sending would not receive the
 * response.
 */
export function drop(payload: IncomingMessage): void {
  if (payload.complete || dropped.has(payload)) return;
  dropped.add(payload);
  listen(payload, toDrop, () => {});
}

function listen(payload: IncomingMessage, line: ReadQueue, onPiece: (piece: Buffer) => void): () => void {
  let bytes = 0;
  const onData = (piece: Buffer): void => {
    bytes += piece.length + PIECE_BYTES;
    if (bytes >= SLICE_BYTES) {
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

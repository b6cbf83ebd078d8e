/**
 * Brings a file to the service in pieces (tus 1.0): where the service says that it has come to, it goes on. Whatever interrupts it
 * (the network, a restart of the service, a computer that sleeps) it asks again where it stands, and never ends by itself for that.
 */

import { crc32 } from './crc32.ts';

/** What the service answered, whatever it was. */
export interface TusResponse {
  status: number;
  /** How much it has: `Upload-Offset`; null: it does not say. */
  offset: number | null;
  /** CRC-32 of what it has, of HEAD; null: it does not say. */
  crc32: number | null;
  /** What it says of a refusal. */
  detail: string | null;
}

export interface TusRequest {
  method: 'HEAD' | 'PATCH';
  /** Of PATCH: what comes next, and where it belongs. */
  piece?: { bytes: Blob; offset: number; checksum: string | null };
  signal: AbortSignal;
  /** How much of the piece has left. */
  onSent?(octets: number): void;
}

/** @throws Error when there is no answer */
export type TusTransport = (request: TusRequest) => Promise<TusResponse>;

export interface SendFileOptions {
  file: Blob;
  transport: TusTransport;
  signal: AbortSignal;
  /** It was chosen again: nobody knows yet whether its beginning is what has arrived. */
  isChosenAgain?: boolean;
  /** How much of that was compared. */
  onCompared?(octets: number): void;
  /** What has arrived, and what is on the line. */
  onProgress(octets: number): void;
  /** It does not get through at the moment; null: it does again. */
  onTrouble(why: string | null): void;
  /** Ends sooner when there is a network again. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  pieceBytes?: number;
}

/** It will never get there: the service has said so, or the file has changed. */
export class UploadRejected extends Error {
  override readonly name = 'UploadRejected';
}

/** The file has another beginning than the one that has arrived: the rest of it would make a file that never was. */
export class AnotherFile extends UploadRejected {}

/** Long enough that a fast line is hardly idle between two. Proxies let 64 MB through (docs/operate/install.md). */
const PIECE_BYTES = 60 * 1024 * 1024;
/** With its checksum all of a piece counts or nothing. So one takes about as long as this, by the speed of the one before, and little is sent twice. */
const PIECE_MS = 2_000;
const LEAST_PIECE_BYTES = 1024 * 1024;
/** Compared at once: in between it is the turn of the page. */
const COMPARED_BYTES = 1024 * 1024;
const WAITS_MS = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000];

/** Resolves when the service has all of it. @throws UploadRejected; the reason of the signal */
export async function sendFile(options: SendFileOptions): Promise<void> {
  const { file, signal, onProgress, onTrouble, wait } = options;
  let failures = 0;
  let furthest = -1;
  let isCompared = options.isChosenAgain !== true;
  while (true) {
    signal.throwIfAborted();
    try {
      const answer = await options.transport({ method: 'HEAD', signal });
      const begin = offsetOf(answer, file.size);
      // A service of a version before says nothing of it.
      if (!isCompared && answer.crc32 !== null) await compare(begin, answer.crc32, options);
      isCompared = true;
      await sendFrom(begin, options, (offset) => {
        onProgress(offset);
        // Only what the service has is a sign that it gets through.
        if (offset <= furthest) return;
        furthest = offset;
        failures = 0;
        onTrouble(null);
      });
      return;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof UploadRejected) throw error;
      // Browsers say no more of it than that there is no connection.
      if (!(await isReadable(file)))
        throw new UploadRejected('The file was changed, moved or deleted meanwhile. Add it again.');
      onTrouble(error instanceof Error ? error.message : 'No connection.');
      await wait(WAITS_MS[Math.min(failures++, WAITS_MS.length - 1)] ?? 0, signal);
    }
  }
}

/** @throws AnotherFile */
async function compare(
  end: number,
  expected: number,
  { file, signal, onCompared }: SendFileOptions,
): Promise<void> {
  let crc = 0;
  for (let at = 0; at < end; at += COMPARED_BYTES) {
    signal.throwIfAborted();
    const bytes = await file.slice(at, Math.min(end, at + COMPARED_BYTES)).arrayBuffer();
    crc = crc32(new Uint8Array(bytes), crc);
    onCompared?.(at + bytes.byteLength);
  }
  if (crc !== expected)
    throw new AnotherFile(
      'That is another file, or it has changed since: it does not begin with what has arrived. Choose the one from before, or remove the link and add this file anew.',
    );
}

function isReadable(file: Blob): Promise<boolean> {
  return file
    .slice(0, 1)
    .arrayBuffer()
    .then(
      () => true,
      () => false,
    );
}

async function sendFrom(
  begin: number,
  { file, transport, signal, onProgress, pieceBytes = PIECE_BYTES }: SendFileOptions,
  arrived: (offset: number) => void,
): Promise<void> {
  let offset = begin;
  let octets = Math.min(LEAST_PIECE_BYTES, pieceBytes);
  arrived(offset);
  while (offset < file.size) {
    const at = offset;
    const beganMs = performance.now();
    const piece = { ...(await checked(file.slice(at, at + octets))), offset: at };
    const answer = await transport({
      method: 'PATCH',
      piece,
      signal,
      onSent: (octets) => onProgress(at + octets),
    });
    offset = offsetOf(answer, file.size);
    if (offset <= at) throw new Error('The server took nothing of it.');
    arrived(offset);
    const perMs = (offset - at) / Math.max(1, performance.now() - beganMs);
    octets = Math.min(pieceBytes, Math.max(LEAST_PIECE_BYTES, Math.round(perMs * PIECE_MS)));
  }
}

/** What is sent are the bytes that were summed up. Browsers do so only over https, and on this machine: elsewhere they go without. */
async function checked(bytes: Blob): Promise<{ bytes: Blob; checksum: string | null }> {
  if (!('subtle' in crypto)) return { bytes, checksum: null };
  const read = await bytes.arrayBuffer();
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', read));
  // Of a blob no copy goes through the browser's own tools, which are slower than most lines.
  return { bytes: new Blob([read]), checksum: `sha256 ${btoa(String.fromCharCode(...digest))}` };
}

function offsetOf({ status, offset, detail }: TusResponse, size: number): number {
  if (status >= 200 && status < 300 && offset !== null && offset <= size) return offset;
  if (status === 404 || status === 410)
    throw new UploadRejected('The server does not have the beginning of this file any more. Add it again.');
  // Somebody else writes the same file, there is too much to do, a bit was turned over on the way, or it asks who is there: later it may be another answer.
  const isTriedAgain = status >= 500 || [401, 403, 408, 409, 423, 425, 429, 460].includes(status);
  const words = detail ?? `The server answered ${status}.`;
  throw isTriedAgain ? new Error(words) : new UploadRejected(words);
}

/**
 * Uploads a file in pieces (tus 1.0), always continuing at the offset that the service reports. After an interruption
 * (a network failure, a service restart, or a sleeping computer), the upload requests the offset again. An interruption
 * never ends the upload.
 */

import { crc32 } from './crc32.ts';

/** A response from the service, whatever its status. */
export interface TusResponse {
  status: number;
  /** The number of bytes that the service has: `Upload-Offset`; null if the response has none. */
  offset: number | null;
  /** The CRC-32 of the bytes that the service has, in a response to HEAD; null if the response has none. */
  crc32: number | null;
  /** The explanation of an error response; null if the response has none. */
  detail: string | null;
}

export interface TusRequest {
  method: 'HEAD' | 'PATCH';
  /** The next piece and its offset, for a PATCH request. */
  piece?: { bytes: Blob; offset: number; checksum: string | null };
  signal: AbortSignal;
  /** Called with the number of bytes that have been sent from the piece so far. */
  onSent?(octets: number): void;
}

/** Sends a request. @throws Error if the service does not respond */
export type TusTransport = (request: TusRequest) => Promise<TusResponse>;

export interface SendFileOptions {
  file: Blob;
  transport: TusTransport;
  signal: AbortSignal;
  /** Whether the user chose the file again. The file's beginning is then compared with the bytes that the service has. */
  isChosenAgain?: boolean;
  /** Called with the number of bytes compared so far. */
  onCompared?(octets: number): void;
  /** Called with the number of bytes received and in flight. */
  onProgress(octets: number): void;
  /** Called with the reason when sending fails temporarily, and with null when sending works again. */
  onTrouble(why: string | null): void;
  /** Waits for a time, or until the network is back. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  pieceBytes?: number;
}

/** The upload can never succeed, because the service rejected it permanently or the file has changed. */
export class UploadRejected extends Error {
  override readonly name = 'UploadRejected';
}

/** The file does not begin with the bytes that the service has, so appending the rest of the file would produce a corrupt file. */
export class AnotherFile extends UploadRejected {}

/**
 * The maximum size of a piece, large enough that a fast connection is rarely idle between two pieces. Proxies accept
 * 64 MB (docs/operate/install.md).
 */
const PIECE_BYTES = 60 * 1024 * 1024;
/**
 * The service accepts a piece with a checksum completely or not at all. To limit the bytes that are sent twice, each
 * piece is sized to take about this time, estimated from the previous piece.
 */
const PIECE_MS = 2_000;
const LEAST_PIECE_BYTES = 1024 * 1024;
/** How many bytes to compare before letting the page handle other events. */
const COMPARED_BYTES = 1024 * 1024;
const WAITS_MS = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000];

/** Resolves when the service has the whole file. @throws UploadRejected; the abort reason of the signal */
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
      // An older version of the service sends no CRC-32.
      if (!isCompared && answer.crc32 !== null) await compare(begin, answer.crc32, options);
      isCompared = true;
      await sendFrom(begin, options, (offset) => {
        onProgress(offset);
        // An accepted piece counts as recovery only if the service then has more bytes than ever before.
        if (offset <= furthest) return;
        furthest = offset;
        failures = 0;
        onTrouble(null);
      });
      return;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof UploadRejected) throw error;
      // For a network error and for an unreadable file, browsers report the same error.
      if (!(await isReadable(file)))
        throw new UploadRejected('The file was changed, moved or deleted during the upload. Add it again.');
      onTrouble(error instanceof Error ? error.message : 'No connection.');
      await wait(WAITS_MS[Math.min(failures++, WAITS_MS.length - 1)] ?? 0, signal);
    }
  }
}

/** @throws AnotherFile if the file differs from the received bytes */
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
      'This is a different file, or it has changed since. Choose the original file, or remove the link and add this file as a new one.',
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
    if (offset <= at) throw new Error('The server did not accept any data.');
    arrived(offset);
    const perMs = (offset - at) / Math.max(1, performance.now() - beganMs);
    octets = Math.min(pieceBytes, Math.max(LEAST_PIECE_BYTES, Math.round(perMs * PIECE_MS)));
  }
}

/**
 * The bytes of a piece, read once so that exactly the hashed bytes are sent, and their checksum. Browsers can hash only
 * over https and on localhost; otherwise pieces have no checksum.
 */
async function checked(bytes: Blob): Promise<{ bytes: Blob; checksum: string | null }> {
  if (!('subtle' in crypto)) return { bytes, checksum: null };
  const read = await bytes.arrayBuffer();
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', read));
  // A new blob in memory avoids the browser's file handling, whose slowness would limit fast connections.
  return { bytes: new Blob([read]), checksum: `sha256 ${btoa(String.fromCharCode(...digest))}` };
}

function offsetOf({ status, offset, detail }: TusResponse, size: number): number {
  if (status >= 200 && status < 300 && offset !== null && offset <= size) return offset;
  if (status === 404 || status === 410)
    throw new UploadRejected('The server no longer has the first part of this file. Add it again.');
  // These errors are temporary: another upload of the same file, overload, a corrupted piece, or a required sign-in. A
  // retry may succeed.
  const isRetried = status >= 500 || [401, 403, 408, 409, 423, 425, 429, 460].includes(status);
  const words = detail ?? `The server responded with status ${status}.`;
  throw isRetried ? new Error(words) : new UploadRejected(words);
}

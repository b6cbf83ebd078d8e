/** Decodes the Content-Encoding of a body (RFC 9110, section 8.4) and stops as soon as the output is too large. */
import { promisify } from 'node:util';
import {
  brotliDecompress,
  brotliDecompressSync,
  constants,
  gunzip,
  gunzipSync,
  zstdDecompress,
  zstdDecompressSync,
} from 'node:zlib';
import { AppError } from '../../../model/app-error.ts';
import { Semaphore } from '../../../concurrency/semaphore.ts';
import { shownName } from '../json.ts';

/** The maximum zstd window of 8 MiB. Decoders need not support larger windows (RFC 9659, section 3). */
const ZSTD_WINDOW = { params: { [constants.ZSTD_d_windowLogMax]: 23 } };

interface Options {
  maxOutputLength: number;
  chunkSize: number;
}

interface Decoder {
  decode(bytes: Buffer, options: Options): Promise<Buffer>;
  decodeNow(bytes: Buffer, options: Options): Buffer;
}

const GZIP: Decoder = {
  decode: promisify<Buffer, Options, Buffer>(gunzip),
  decodeNow: gunzipSync,
};
const zstd = promisify<Buffer, Options & typeof ZSTD_WINDOW, Buffer>(zstdDecompress);

const DECODERS: Readonly<Record<string, Decoder>> = {
  gzip: GZIP,
  // RFC 9110, section 8.4.1.3: x-gzip is equivalent to gzip.
  'x-gzip': GZIP,
  br: {
    decode: promisify<Buffer, Options, Buffer>(brotliDecompress),
    decodeNow: brotliDecompressSync,
  },
  zstd: {
    decode: (bytes, options) => zstd(bytes, { ...options, ...ZSTD_WINDOW }),
    decodeNow: (bytes, options) => zstdDecompressSync(bytes, { ...options, ...ZSTD_WINDOW }),
  },
};

/**
 * Maximum size of a small body, before and after decoding. Small bodies are decoded in less than a millisecond and do not wait for larger
 * bodies.
 */
const SMALL_BYTES = 64 * 1024;
/** Limits concurrent decoding to half of the process's thread pool, because password hashing and DNS queries need the pool too. */
const threads = new Semaphore(2);

/**
 * The content coding of a request, in lower case. Null if the body is not encoded.
 * @throws AppError bad-request if the coding is unknown or there are several codings
 */
export function codingOf(header: string | undefined): string | null {
  if (header === undefined) return null;
  const coding = header.trim().toLowerCase();
  if (coding === '' || coding === 'identity') return null;
  if (Object.hasOwn(DECODERS, coding)) return coding;
  throw new AppError(
    'bad-request',
    `The Content-Encoding "${shownName(header)}" is not supported. Send the body with gzip, br or zstd, or without encoding.`,
  );
}

/**
 * Decodes a body.
 * @param coding a result of `codingOf`
 * @returns null if the output would exceed `maxBytes`
 * @throws AppError bad-request if the bytes are truncated or invalid for the coding
 */
export async function decode(coding: string, bytes: Buffer, maxBytes: number): Promise<Buffer | null> {
  const decoder = DECODERS[coding] as Decoder;
  try {
    if (bytes.length <= SMALL_BYTES) {
      const small = decodeSmall(decoder, bytes, maxBytes);
      if (small !== null) return small;
    }
    const options = { maxOutputLength: maxBytes, chunkSize: SMALL_BYTES };
    return await threads.run(() => decoder.decode(bytes, options));
  } catch (error) {
    if (isTooLarge(error)) return null;
    throw new AppError(
      'bad-request',
      `The Content-Encoding is ${coding}, but the body is not complete and valid ${coding} data. Compress it again, or send it without encoding.`,
    );
  }
}

/** @returns null if the decoded body is larger than a small body */
function decodeSmall({ decodeNow }: Decoder, bytes: Buffer, maxBytes: number): Buffer | null {
  const limit = Math.min(SMALL_BYTES, maxBytes);
  try {
    return decodeNow(bytes, { maxOutputLength: limit, chunkSize: limit });
  } catch (error) {
    if (isTooLarge(error)) return null;
    throw error;
  }
}

function isTooLarge(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE';
}

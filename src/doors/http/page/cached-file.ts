/** A response that is the same for every user. The compressed versions and the entity tag are cached. */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptsEncoding } from '../accepts-encoding.ts';

/** The quality of brotli. A higher quality would take a second for the largest file. */
const BROTLI_QUALITY = 7;
/** Responses below this size are not compressed, because compression would save no packets. */
const LEAST_BYTES = 1_200;

/** Compressors, which run in the thread pool. In order of preference: the first coding that the browser accepts is used. */
const COMPRESSIONS = {
  br: (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes),
} as const;
export type Encoding = keyof typeof COMPRESSIONS;
const ENCODINGS = Object.keys(COMPRESSIONS) as Encoding[];

/** Browsers cache a file and revalidate it each time, so that users get a new release at once. */
export const REVALIDATED = { 'cache-control': 'public, no-cache' } as const;

export class CachedFile {
  readonly etag: string;
  readonly #type: string;
  /** A Buffer, which all clients share. If this were a string, each client that reads slowly would need a copy. */
  readonly #body: Buffer;
  readonly #encodings: readonly Encoding[];
  readonly #compressed: Map<Encoding, Buffer | Promise<Buffer>>;

  /** @param built versions compressed at build time; if absent, a body worth compressing is compressed at the first request */
  constructor(type: string, body: Buffer, built?: ReadonlyMap<Encoding, Buffer>) {
    this.etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
    this.#type = type;
    this.#body = body;
    this.#compressed = new Map(built);
    const isCompressible = body.length >= LEAST_BYTES && !/^image\/(?!svg)/.test(type);
    this.#encodings = ENCODINGS.filter((name) => built?.has(name) ?? isCompressible);
  }

  async send({ headers }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    reply.header('etag', this.etag).header('vary', 'accept-encoding');
    if (hasTag(headers['if-none-match'], this.etag)) return reply.code(304).send();
    reply.type(this.#type);
    const encoding = this.#encodings.find((name) => acceptsEncoding(headers['accept-encoding'], name));
    if (encoding === undefined) return reply.send(this.#body);
    return reply.header('content-encoding', encoding).send(await this.#compress(encoding));
  }

  #compress(encoding: Encoding): Buffer | Promise<Buffer> {
    const made = this.#compressed.get(encoding) ?? COMPRESSIONS[encoding](this.#body);
    this.#compressed.set(encoding, made);
    return made;
  }
}

/** Weak comparison (RFC 9110, section 13.1.2), because a proxy that compresses the response turns the tag into a weak tag. */
function hasTag(header: string | undefined, etag: string): boolean {
  const tags = (header ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) || tags.includes('*');
}

/** Calls `make` once and caches the result. A failure is not cached. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return async () => {
    made ??= make();
    return made.catch((error: unknown) => {
      made = null;
      throw error;
    });
  };
}

/** An answer that is made once and is the same for everybody: its bytes, by compression, and its tag. */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptsEncoding } from '../accepts-encoding.ts';

/** Made in a thread, once: a better one would take a second for the largest file. */
const BROTLI_QUALITY = 7;
/** Below this, a compressed answer has as many packets. */
const LEAST_BYTES = 1_200;

const COMPRESSIONS = {
  br: (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes),
} as const;
type Encoding = keyof typeof COMPRESSIONS;
const ENCODINGS = Object.keys(COMPRESSIONS) as Encoding[];

export class CachedFile {
  readonly #type: string;
  /** As bytes, which all clients share: of a text each one that does not read would have a copy. */
  readonly #body: Buffer;
  readonly #compressed = new Map<Encoding, Promise<Buffer>>();
  readonly #etag: string;

  constructor(type: string, body: Buffer) {
    this.#type = type;
    this.#body = body;
    this.#etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
  }

  async send(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { headers } = request;
    reply.header('etag', this.#etag).header('vary', 'accept-encoding');
    if (hasTag(headers['if-none-match'], this.#etag)) return reply.code(304).send();
    reply.type(this.#type);
    const encoding = this.#isCompressible()
      ? ENCODINGS.find((name) => acceptsEncoding(headers['accept-encoding'], name))
      : undefined;
    if (encoding === undefined) return reply.send(this.#body);
    return reply.header('content-encoding', encoding).send(await this.#compress(encoding));
  }

  #isCompressible(): boolean {
    return this.#body.length >= LEAST_BYTES && !/^image\/(?!svg)/.test(this.#type);
  }

  #compress(encoding: Encoding): Promise<Buffer> {
    const made = this.#compressed.get(encoding) ?? COMPRESSIONS[encoding](this.#body);
    this.#compressed.set(encoding, made);
    return made;
  }
}

/** The weak comparison of RFC 9110, section 13.1.2. A proxy that compresses makes the tag weak. */
function hasTag(header: string | undefined, etag: string): boolean {
  const tags = (header ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) || tags.includes('*');
}

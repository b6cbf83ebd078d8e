/** Writes messages with files (RFC 2045 to 2047, 2183) in pieces, so that no file is in memory twice. */
import { parameter } from '../../rfc/message/parameter.ts';
import { unstructuredField } from '../../rfc/message/text-field.ts';
import { encodeText } from '../../rfc/message/transfer-encoding.ts';
import { encodeBase64, encodedOctets } from './base64-lines.ts';

/** Opens the bytes of a file, in pieces. */
export type Pieces = () => AsyncIterable<Buffer>;

export type MimeNode =
  | { kind: 'text'; header: string; content: Buffer }
  | { kind: 'file'; header: string; octets: number; isEncoded: boolean; pieces: Pieces }
  | { kind: 'multipart'; subtype: 'mixed' | 'alternative' | 'related'; parts: MimeNode[] };

export interface NewFile {
  name: string;
  type: string;
  octets: number;
  /** The Content-ID of an inline image, with angle brackets. Null if the file is an attachment. */
  contentId: string | null;
  pieces: Pieces;
}

const CRLF = Buffer.from('\r\n');
const TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,62}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,62}$/;

export function textNode(subtype: 'plain' | 'html', text: string): MimeNode {
  const { encoding, content } = encodeText(text);
  const header = `Content-Type: text/${subtype}; charset=utf-8\r\nContent-Transfer-Encoding: ${encoding}\r\n`;
  return { kind: 'text', header, content };
}

export function fileNode({ name, type, octets, contentId, pieces }: NewFile): MimeNode {
  // A part of type message/rfc822 must not be encoded (RFC 2046, section 5.2.1).
  const isEncoded = type !== 'message/rfc822';
  const header =
    `Content-Type: ${type}${parameter('name', name)}\r\n` +
    `Content-Transfer-Encoding: ${isEncoded ? 'base64' : '8bit'}\r\n` +
    `Content-Disposition: ${contentId === null ? 'attachment' : 'inline'}${parameter('filename', name)}\r\n` +
    (contentId === null ? '' : unstructuredField('Content-ID', contentId));
  return { kind: 'file', header, octets, isEncoded, pieces };
}

/** Returns the type if a file in a message may have this type, otherwise application/octet-stream. */
export function safeType(type: string): string {
  const lower = type.toLowerCase();
  const isMessage = lower.startsWith('message/') && lower !== 'message/rfc822';
  return TYPE.test(lower) && !lower.startsWith('multipart/') && !isMessage
    ? lower
    : 'application/octet-stream';
}

export class MimeWriter {
  readonly #boundaryName: string;

  /** @param name used in boundaries; must not occur in any text of the message */
  constructor(name: string) {
    this.#boundaryName = name;
  }

  /** The number of octets that `write` produces. */
  octetsOf(node: MimeNode, path = ''): number {
    if (node.kind === 'text') return node.header.length + CRLF.length + node.content.length;
    if (node.kind === 'file')
      return (
        Buffer.byteLength(node.header) +
        CRLF.length +
        (node.isEncoded ? encodedOctets(node.octets) : node.octets)
      );
    const boundary = this.#boundary(path).length;
    const inside = node.parts.reduce(
      (sum, part, at) => sum + boundary + 6 + this.octetsOf(part, `${path}${at}.`),
      0,
    );
    // The first boundary has no preceding line end.
    return this.#headerOf(node, path).length + CRLF.length + inside - 2 + boundary + 8;
  }

  /** Writes the header of the node, the empty line and the body. The caller writes MIME-Version first. */
  async *write(node: MimeNode, path = ''): AsyncGenerator<Buffer> {
    if (node.kind === 'text') {
      yield Buffer.from(`${node.header}\r\n`);
      yield node.content;
      return;
    }
    if (node.kind === 'file') {
      yield Buffer.from(`${node.header}\r\n`);
      if (node.isEncoded) yield* encodeBase64(node.pieces());
      else yield* node.pieces();
      return;
    }
    yield Buffer.from(`${this.#headerOf(node, path)}\r\n`);
    const boundary = this.#boundary(path);
    for (const [at, part] of node.parts.entries()) {
      yield Buffer.from(`${at === 0 ? '' : '\r\n'}--${boundary}\r\n`);
      yield* this.write(part, `${path}${at}.`);
    }
    yield Buffer.from(`\r\n--${boundary}--\r\n`);
  }

  #headerOf({ subtype }: Extract<MimeNode, { kind: 'multipart' }>, path: string): string {
    return `Content-Type: multipart/${subtype};\r\n boundary="${this.#boundary(path)}"\r\n`;
  }

  /** A boundary with which no line of an encoded part can start (see `encodeText`). */
  #boundary(path: string): string {
    return `=_${path}${this.#boundaryName}`;
  }
}

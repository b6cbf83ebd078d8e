import type { SmtpReply } from './reply.ts';

/** Maximum size of a reply line in octets. RFC 5321, section 4.5.3.1.5 allows 512 with CRLF, but some servers send longer explanations. */
export const MAX_REPLY_LINE = 4_096;
export const MAX_REPLY_LINES = 128;
/** The maximum size of a reply with all its lines, in octets. */
const MAX_REPLY = 65_536;

export type ReplyFault =
  /** A line is longer than `MAX_REPLY_LINE`. */
  | 'line-too-long'
  /** A reply has more than `MAX_REPLY_LINES` lines or `MAX_REPLY` octets, which only a broken or hostile server would send. */
  | 'reply-too-long'
  /** A line does not begin with a reply code, so the server is probably not an SMTP server. */
  | 'not-a-reply'
  /** The lines of a reply have different codes (RFC 5321, section 4.2.1). */
  | 'codes-differ';

const LF = 0x0a;
const CR = 0x0d;
/** A line with a code of class 2 to 5. The other two digits may have any value, because codes such as 571 are in use. */
const REPLY_LINE = /^([2-5]\d\d)(?:([ -])(.*))?$/s;

/**
 * Parses the bytes from a server, in chunks of any size, into replies. Never throws, and buffers at most `MAX_REPLY` octets. A bare LF also
 * ends a line, as in other clients.
 */
export class ReplyParser {
  #fault: ReplyFault | null = null;
  /** The beginning of an incomplete line. A copy, so that the buffers of the socket can be freed. */
  #partial = Buffer.alloc(0);
  #code = 0;
  #lines: string[] = [];
  #length = 0;

  /** The fault, once the bytes are not a valid reply; otherwise null. All bytes after a fault are ignored. */
  get fault(): ReplyFault | null {
    return this.#fault;
  }

  /** Returns the replies that `chunk` completes before a fault, if any. */
  push(chunk: Buffer): SmtpReply[] {
    const replies: SmtpReply[] = [];
    const bytes = this.#partial.length === 0 ? chunk : Buffer.concat([this.#partial, chunk]);
    let start = 0;
    for (let end = 0; this.#fault === null; start = end + 1) {
      end = bytes.indexOf(LF, start);
      if (end === -1) break;
      this.#fault = this.#line(bytes.subarray(start, end), replies);
    }
    if (bytes.length - start > MAX_REPLY_LINE) this.#fault ??= 'line-too-long';
    this.#partial = this.#fault === null ? Buffer.from(bytes.subarray(start)) : Buffer.alloc(0);
    return replies;
  }

  #line(line: Buffer, replies: SmtpReply[]): ReplyFault | null {
    if (line.length > MAX_REPLY_LINE) return 'line-too-long';
    const length = line.at(-1) === CR ? line.length - 1 : line.length;
    const [, digits, separator, text = ''] = REPLY_LINE.exec(line.toString('utf8', 0, length)) ?? [];
    if (digits === undefined) return 'not-a-reply';
    const code = Number(digits);
    if (this.#lines.length > 0 && code !== this.#code) return 'codes-differ';
    this.#length += length;
    if (this.#lines.length === MAX_REPLY_LINES || this.#length > MAX_REPLY) return 'reply-too-long';
    this.#code = code;
    this.#lines.push(text);
    if (separator !== '-') {
      replies.push({ code, lines: this.#lines });
      this.#lines = [];
      this.#length = 0;
    }
    return null;
  }
}

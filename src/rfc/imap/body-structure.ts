import {
  type Entity,
  type HeaderField,
  isUnread,
  readParameterizedValue,
  unfoldedValue,
} from '../mime/index.ts';
import { envelopeText } from './envelope.ts';
import type { ImapWriter } from './imap-writer.ts';

const LF = 0x0a;

const BLOCK = 65_536;

const MAX_LANGUAGES = 20;
const MAX_LANGUAGE = 200;

/**
 * The BODYSTRUCTURE of a message, with its extension data. Sizes and line counts refer to the encoded octets. A parameter with a charset is
 * decoded, and its name gets the suffix `*` (RFC 9051, section 7.5.2).
 *
 * `structureFor` adapts the text for clients that support only RFC 3501: non-ASCII values become literals, the value of a parameter with
 * `*` becomes `UTF-8''` and the percent-encoded text, and `message/global` loses its envelope, structure and line count.
 */
export function bodyStructureText(raw: Buffer, message: Entity, writer: ImapWriter): string {
  return new StructureWriter(raw, writer).body(message);
}

class StructureWriter {
  readonly #lines: LineCounter;
  readonly #writer: ImapWriter;

  constructor(raw: Buffer, writer: ImapWriter) {
    this.#lines = new LineCounter(raw);
    this.#writer = writer;
  }

  body(entity: Entity): string {
    return entity.type.startsWith('multipart/') && !isUnread(entity)
      ? this.#multipart(entity)
      : this.#single(entity);
  }

  #multipart(entity: Entity): string {
    const parts = entity.parts.map((part) => this.body(part)).join('');
    const extension = [this.#parameters(entity), ...this.#location(entity)].join(' ');
    // The grammar requires at least one part.
    return `(${parts || EMPTY_PART} ${this.#writer.string(subtypeOf(entity))} ${extension})`;
  }

  #single(entity: Entity): string {
    const writer = this.#writer;
    // The grammar requires an envelope for `message/rfc822`, and parts for a multipart. If a limit stopped the parser before it read them,
    // the part is announced as another type, so that clients can still load its octets. Dovecot does the same.
    const hasOtherType = isUnread(entity);
    const type = hasOtherType ? 'application/octet-stream' : entity.type;
    const slash = type.indexOf('/');
    const basic = [
      writer.string(type.slice(0, slash)),
      writer.string(type.slice(slash + 1)),
      hasOtherType ? 'NIL' : this.#parameters(entity),
      writer.text(unfoldedValue(entity.fields, 'content-id')),
      writer.text(unfoldedValue(entity.fields, 'content-description')),
      writer.string(entity.transferEncoding || '7bit'),
      String(entity.end - entity.bodyStart),
    ];
    if (entity.message !== null) {
      basic.push(envelopeText(entity.message.fields, writer), this.body(entity.message));
    }
    if (entity.message !== null || type.startsWith('text/')) {
      basic.push(String(this.#lines.count(entity.bodyStart, entity.end)));
    }
    basic.push(writer.text(unfoldedValue(entity.fields, 'content-md5')), ...this.#location(entity));
    return `(${basic.join(' ')})`;
  }

  #parameters(source: ParameterSource): string {
    const { type, fields } = source;
    // Parse the field again, from its exact unfolded text: `source.parameters` comes from a value in which each fold became one space.
    const unfolded = fields?.find(({ name }) => name === 'content-type')?.unfolded;
    const { parameters, extended } = unfolded === undefined ? source : readParameterizedValue(unfolded);
    const pairs = [...parameters].map(
      ([name, value]) =>
        `${this.#writer.string(extended.has(name) ? `${name}*` : name)} ${this.#writer.string(value)}`,
    );
    // The default charset (RFC 2045, section 5.2).
    if (type?.startsWith('text/') === true && !parameters.has('charset'))
      pairs.unshift('"charset" "us-ascii"');
    return pairs.length === 0 ? 'NIL' : `(${pairs.join(' ')})`;
  }

  /** The disposition, language and location of a part. */
  #location({ fields }: Entity): string[] {
    const disposition = unfoldedValue(fields, 'content-disposition');
    const languages = (unfoldedValue(fields, 'content-language') ?? '')
      .split(',', MAX_LANGUAGES)
      .map((language) => language.trim().slice(0, MAX_LANGUAGE))
      .filter((language) => language !== '')
      .map((language) => this.#writer.string(language));
    return [
      disposition === null ? 'NIL' : this.#disposition(disposition),
      languages.length === 0 ? 'NIL' : `(${languages.join(' ')})`,
      this.#writer.text(unfoldedValue(fields, 'content-location')),
    ];
  }

  #disposition(text: string): string {
    const read = readParameterizedValue(text);
    return read.value === '' ? 'NIL' : `(${this.#writer.string(read.value)} ${this.#parameters(read)})`;
  }
}

type ParameterSource = Pick<Entity, 'parameters' | 'extended'> & {
  type?: string;
  fields?: readonly HeaderField[];
};

const EMPTY_PART = '("text" "plain" ("charset" "us-ascii") NIL NIL "7bit" 0 0 NIL NIL NIL NIL)';

function subtypeOf({ type }: Entity): string {
  return type.slice(type.indexOf('/') + 1);
}

/** Counts the lines of nested ranges. Reads all octets once, and for each range at most one block at the start and one at the end. */
class LineCounter {
  readonly #raw: Buffer;
  /** The number of line feeds before each block. */
  readonly #before: number[] = [0];

  constructor(raw: Buffer) {
    this.#raw = raw;
  }

  /** The number of line feeds between two positions. A last line without a line end does not count, as in Dovecot. */
  count(start: number, end: number): number {
    if (end <= start) return 0;
    return this.#feedsBefore(end) - this.#feedsBefore(start);
  }

  #feedsBefore(at: number): number {
    const block = Math.floor(at / BLOCK);
    for (let known = this.#before.length; known <= block; known++) {
      const begin = (known - 1) * BLOCK;
      this.#before.push((this.#before[known - 1] as number) + feedsIn(this.#raw, begin, begin + BLOCK));
    }
    return (this.#before[block] as number) + feedsIn(this.#raw, block * BLOCK, at);
  }
}

function feedsIn(raw: Buffer, start: number, end: number): number {
  let feeds = 0;
  for (let at = start; at < end; at++) if (raw[at] === LF) feeds++;
  return feeds;
}

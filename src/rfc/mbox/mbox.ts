/**
 * mbox files, which contain many messages (RFC 4155), in the variant mboxrd: a line of a message that begins with "From ", or with "From "
 * after any number of `>`, gets one more `>`. The flags of a message are in the fields Status, X-Status and X-Keywords.
 */

/** A message in an mbox file. */
export interface FiledMessage {
  /** The message with CRLF line ends. Null if the message is larger than `maxBytes` of `readMbox`. */
  raw: Buffer | null;
  /** Maildir flags in alphabetical order: D(raft), F(lagged), R(eplied), S(een), T(rashed). P(assed) is not used. */
  letters: string;
  keywords: string[];
  /** The time of receipt. Null if the file has no valid time. */
  date: Date | null;
}

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const TAB = 0x09;
const CRLF = Buffer.from('\r\n');
/** The maximum length of a separator or a status field. */
const MAX_LINE = 64 * 1024;
/** A separator of messages. Must contain a time, because some programs do not quote lines of a body that begin with "From ". */
const SEPARATOR = /^From .*\b\d{1,2}:\d\d(?::\d\d)?\b.*\b\d{4}\b/;
const DATE =
  /\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w* +(\d{1,2}) +(\d{1,2}):(\d\d)(?::(\d\d))?(?: +[a-z]+| +([+-]\d{4}))* +(\d{4})\b/i;
const QUOTED = /^>+From /;
const OWN_FIELD = /^(status|x-status|x-keywords)[ \t]*:[ \t]*(.*)$/i;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** The separator in the Unix form, in UTC: `From MAILER-DAEMON Sun Nov 22 19:10:39 2026` (RFC 4155, appendix A). */
function separatorOf(date: Date): string {
  const [day, dayOfMonth, month, year, time] = date.toUTCString().replace(',', '').split(' ');
  return `From MAILER-DAEMON ${day} ${month} ${dayOfMonth?.padStart(2, ' ')} ${time} ${year}`;
}

/** Writes a message as an entry of an mbox file, with LF line ends. */
export function mboxEntry(
  raw: Buffer,
  { letters, keywords, date }: Omit<FiledMessage, 'raw' | 'date'> & { date: Date },
): Buffer {
  const xStatus = [
    letters.includes('R') ? 'A' : '',
    letters.includes('F') ? 'F' : '',
    letters.includes('D') ? 'T' : '',
    letters.includes('T') ? 'D' : '',
  ].join('');
  // Always write all three fields, because the message may also have fields with these names, and `readMbox` uses the first. X-Keywords is
  // not last, because it may be folded: the first line of a message that begins with a space would be read as more keywords.
  const fields = [
    separatorOf(date),
    `X-Keywords: ${keywords.join(' ')}`,
    `X-Status: ${xStatus}`,
    `Status: ${letters.includes('S') ? 'RO' : 'O'}`,
    '',
  ].join('\n');
  const chunks: Buffer[] = [Buffer.from(fields)];
  for (let start = 0; start < raw.length; ) {
    const end = raw.indexOf(LF, start);
    const next = end === -1 ? raw.length : end + 1;
    const last = end === -1 ? raw.length : end > start && raw[end - 1] === CR ? end - 1 : end;
    const line = raw.subarray(start, last);
    // Only the first thousand bytes are checked, so a line with a thousand `>` is not quoted.
    if ((line[0] === 0x46 || line[0] === 0x3e) && /^>*From /.test(line.toString('latin1', 0, 1_000)))
      chunks.push(Buffer.from('>'));
    chunks.push(line, Buffer.from('\n'));
    start = next;
  }
  chunks.push(Buffer.from('\n'));
  return Buffer.concat(chunks);
}

/** Yields lines without line ends. A line longer than 64 KiB is yielded in pieces. */
async function* linesOf(
  chunks: AsyncIterable<Buffer>,
): AsyncGenerator<{ text: Buffer; begins: boolean; ends: boolean }, void, undefined> {
  let rest: Buffer = Buffer.alloc(0);
  let begins = true;
  for await (const chunk of chunks) {
    let bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (let end = bytes.indexOf(LF); end !== -1; end = bytes.indexOf(LF)) {
      const text = bytes.subarray(0, end > 0 && bytes[end - 1] === CR ? end - 1 : end);
      yield { text, begins, ends: true };
      begins = true;
      bytes = bytes.subarray(end + 1);
    }
    if (bytes.length > MAX_LINE) {
      // A CR at the end of the piece may belong to a CRLF.
      const last = bytes[bytes.length - 1] === CR ? bytes.length - 1 : bytes.length;
      yield { text: bytes.subarray(0, last), begins, ends: false };
      begins = false;
      bytes = bytes.subarray(last);
    }
    rest = Buffer.from(bytes);
  }
  if (rest.length > 0) yield { text: rest, begins, ends: true };
}

class Entry {
  readonly #maxBytes: number;
  readonly #date: Date | null;
  readonly #found = new Map<string, string>();
  #chunks: Buffer[] = [];
  #bytes = 0;
  #inHeader = true;
  /** Whether the previous line belongs to X-Keywords, the only status field that other programs fold. */
  #isList = false;
  /** Whether the previous line was empty. An empty line may belong to the next separator. */
  #hasPendingEmptyLine = false;

  constructor(separator: string, maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#date = dateOf(separator);
  }

  get endsWithEmptyLine(): boolean {
    return this.#hasPendingEmptyLine;
  }

  add(text: Buffer, begins: boolean, ends: boolean): void {
    if (this.#hasPendingEmptyLine) this.#push(CRLF);
    this.#hasPendingEmptyLine = begins && ends && text.length === 0;
    if (this.#hasPendingEmptyLine) {
      this.#inHeader = false;
      return;
    }
    if (begins && this.#inHeader && this.#takeField(text)) return;
    const isQuoted = begins && text[0] === 0x3e && QUOTED.test(text.toString('latin1', 0, 1_000));
    this.#push(isQuoted ? text.subarray(1) : text);
    if (ends) this.#push(CRLF);
  }

  end(): FiledMessage {
    const [status = '', xStatus = ''] = ['status', 'x-status'].map((name) =>
      this.#found.get(name)?.toUpperCase(),
    );
    const letters = [
      xStatus.includes('T') ? 'D' : '',
      xStatus.includes('F') ? 'F' : '',
      xStatus.includes('A') ? 'R' : '',
      status.includes('R') ? 'S' : '',
      xStatus.includes('D') ? 'T' : '',
    ].join('');
    const keywords = (this.#found.get('x-keywords') ?? '')
      .split(/[\s,]+/)
      .filter((keyword) => keyword !== '');
    const isWhole = this.#bytes <= this.#maxBytes;
    return { raw: isWhole ? Buffer.concat(this.#chunks) : null, letters, keywords, date: this.#date };
  }

  /**
   * Removes a status field from the message, and stores its value. Only the first field of each name was added for the mbox file; later
   * fields with the name belong to the message. @returns whether the line was removed
   */
  #takeField(text: Buffer): boolean {
    if (text[0] === SPACE || text[0] === TAB) return this.#isList;
    const [, name = '', value = ''] = OWN_FIELD.exec(text.toString('latin1', 0, 4_096)) ?? [];
    const key = name.toLowerCase();
    const isOwn = name !== '' && !this.#found.has(key);
    if (isOwn) this.#found.set(key, value);
    this.#isList = isOwn && key === 'x-keywords';
    return isOwn;
  }

  #push(bytes: Buffer): void {
    this.#bytes += bytes.length;
    if (this.#bytes > this.#maxBytes) this.#chunks = [];
    else this.#chunks.push(bytes);
  }
}

/**
 * Yields the messages of an mbox file, or nothing if the file does not begin like an mbox file. Only one message is in memory at a time.
 * @param maxBytes the maximum size of a message; for a larger message, `raw` is null
 */
export async function* readMbox(
  chunks: AsyncIterable<Buffer>,
  maxBytes: number,
): AsyncGenerator<FiledMessage, void, undefined> {
  let entry: Entry | null = null;
  let isFirst = true;
  for await (const { text, begins, ends } of linesOf(chunks)) {
    const mayBegin = begins && ends && (isFirst || entry?.endsWithEmptyLine === true) && text[0] === 0x46;
    const line = mayBegin ? text.toString('latin1', 0, 1_000) : '';
    if (mayBegin && SEPARATOR.test(line)) {
      if (entry !== null) yield entry.end();
      entry = new Entry(line, maxBytes);
    } else if (isFirst && (text.length > 0 || !ends)) return;
    else entry?.add(text, begins, ends);
    if (text.length > 0) isFirst = false;
  }
  if (entry !== null) yield entry.end();
}

function dateOf(separator: string): Date | null {
  const [, month = '', day, hour, minute, second = '0', zone = '+0000', year] = DATE.exec(separator) ?? [];
  if (year === undefined) return null;
  const offsetMinutes = Number(`${zone[0]}1`) * (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3)));
  const ms = Date.UTC(
    Number(year),
    MONTHS.indexOf(month.toLowerCase()),
    Number(day),
    Number(hour),
    Number(minute) - offsetMinutes,
    Number(second),
  );
  return Number.isNaN(ms) || ms < 0 ? null : new Date(ms);
}

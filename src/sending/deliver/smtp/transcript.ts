import { printable, type SmtpReply } from '../../../rfc/smtp/reply.ts';
import type { DialogueLine } from '../provider.ts';

const MAX_TEXT = 500;
/** What is kept of a long dialogue: its begin and its end. */
const HEAD_LINES = 20;
const TAIL_LINES = 20;

interface Entry {
  readonly atMs: number;
  readonly by: DialogueLine['by'];
  /** A command may have its CRLF. A number is octets of content. */
  readonly said: string | number | SmtpReply;
}

/** What was said, as it was said. Cheap to write; the text for people is made when it is asked for. */
export class Transcript {
  readonly #startedAtMs = wholeMs();
  readonly #entries: Entry[] = [];
  #leftOut = 0;

  note(text: string): void {
    this.#push('note', text);
  }

  content(octets: number): void {
    this.#push('note', octets);
  }

  /** @param commands that are written at once */
  client(commands: readonly string[]): void {
    const atMs = wholeMs();
    for (const said of commands) this.#keep({ atMs, by: 'client', said });
  }

  server(reply: SmtpReply): void {
    this.#push('server', reply);
  }

  /** Takes over all lines of another dialogue, with their times. */
  append(other: Transcript): void {
    for (const entry of other.#entries) this.#keep(entry);
    this.#leftOut += other.#leftOut;
  }

  /** Null where nothing was said. At most 41 lines of at most 500 characters. */
  lines(): DialogueLine[] | null {
    const first = this.#entries[0];
    if (first === undefined) return null;
    // A message that waited for a connection that others had asked for finds lines older than itself.
    const zeroMs = Math.min(this.#startedAtMs, first.atMs);
    const lines = this.#entries.map(({ atMs, by, said }) => ({
      atMs: atMs - zeroMs,
      by,
      text: printable(textOf(said), MAX_TEXT),
    }));
    if (this.#leftOut > 0) {
      const { atMs } = lines[HEAD_LINES] ?? { atMs: 0 };
      lines.splice(HEAD_LINES, 0, { atMs, by: 'note', text: `${this.#leftOut} lines are left out here` });
    }
    return lines;
  }

  #push(by: Entry['by'], said: Entry['said']): void {
    this.#keep({ atMs: wholeMs(), by, said });
  }

  #keep(entry: Entry): void {
    this.#entries.push(entry);
    if (this.#entries.length <= HEAD_LINES + TAIL_LINES) return;
    this.#entries.splice(HEAD_LINES, 1);
    this.#leftOut += 1;
  }
}

/** Whole numbers are kept without a heap object each. */
function wholeMs(): number {
  return Math.round(performance.now());
}

function textOf(said: Entry['said']): string {
  if (typeof said === 'string') return said.trimEnd();
  if (typeof said === 'number') return `content, ${said.toLocaleString('en')} octets`;
  return `${said.code} ${said.lines.map((line) => line.trim()).join(' / ')}`;
}

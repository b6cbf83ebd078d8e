import { printable, type SmtpReply } from '../../../rfc/smtp/reply.ts';
import type { ProviderDialogueLine } from '../provider.ts';

const MAX_TEXT = 500;
/** The numbers of lines that are retained at the beginning and at the end of a long dialogue. */
const HEAD_LINES = 20;
const TAIL_LINES = 20;
/**
 * The maximum length of a dialogue, in characters. A recipient may have an attempt every few hours for three days, and the dialogue of each
 * attempt is stored.
 */
const MAX_DIALOGUE = 8_192;

interface Entry {
  readonly atMs: number;
  readonly by: ProviderDialogueLine['by'];
  /** A command, with or without CRLF; a reply; or a number of octets of content. */
  readonly said: string | number | SmtpReply;
}

/** Records an SMTP dialogue. Recording is cheap, because the text for people is formatted only when it is read. */
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

  /** @param commands the commands of one write */
  client(commands: readonly string[]): void {
    const atMs = wholeMs();
    for (const said of commands) this.#keep({ atMs, by: 'client', said });
  }

  server(reply: SmtpReply): void {
    this.#push('server', reply);
  }

  /** Appends all lines of another dialogue, with their times. */
  append(other: Transcript): void {
    for (const entry of other.#entries) this.#keep(entry);
    this.#leftOut += other.#leftOut;
  }

  /**
   * Returns null for an empty dialogue, otherwise at most 41 lines of at most 500 characters. If the total exceeds 8,192 characters, the
   * longest lines are cut to a common length.
   */
  lines(): ProviderDialogueLine[] | null {
    const first = this.#entries[0];
    if (first === undefined) return null;
    // If the connection was opened for another message, its first lines are older than this transcript.
    const zeroMs = Math.min(this.#startedAtMs, first.atMs);
    const texts = this.#entries.map(({ said }) => printable(textOf(said), MAX_TEXT));
    const length = texts.reduce((sum, text) => sum + text.length, 0);
    const maxText = length > MAX_DIALOGUE ? Math.floor(MAX_DIALOGUE / texts.length) : MAX_TEXT;
    const lines = this.#entries.map(({ atMs, by }, at) => ({
      atMs: atMs - zeroMs,
      by,
      text: printable(texts[at] ?? '', maxText),
    }));
    if (this.#leftOut > 0) {
      const { atMs } = lines[HEAD_LINES] ?? { atMs: 0 };
      lines.splice(HEAD_LINES, 0, { atMs, by: 'note', text: `${this.#leftOut} lines are omitted here` });
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

/** Whole milliseconds, because whole numbers need no heap object. */
function wholeMs(): number {
  return Math.round(performance.now());
}

function textOf(said: Entry['said']): string {
  if (typeof said === 'string') return said.trimEnd();
  if (typeof said === 'number') return `content, ${said.toLocaleString('en')} octets`;
  return `${said.code} ${said.lines.map((line) => line.trim()).join(' / ')}`;
}

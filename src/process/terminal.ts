import type { ConfiguredLogLevel } from '../app/config.ts';
import { LOG_MESSAGES } from '../observe/log-messages.ts';
import { LogStream } from '../observe/log-stream.ts';
import { terminalLines } from '../observe/terminal-lines.ts';

/** Prints a line for the operator. */
export function print(text: string): void {
  process.stderr.write(`${text}\n`);
}

const LEVELS: readonly ConfiguredLogLevel[] = ['debug', 'info', 'warn', 'error'];

/** Writes log lines in the format of the children (src/app/logger.ts), without their logging library. */
export class SupervisorLog {
  readonly #least: number;
  readonly #forPeople = terminalLines();
  readonly #stream = new LogStream({ onLost: (lines) => this.warn({ lines }, LOG_MESSAGES.linesLost) });

  /** @param least the lowest level that is logged */
  constructor(least: ConfiguredLogLevel) {
    this.#least = LEVELS.indexOf(least);
    process.once('exit', this.#stream.flushAtExit);
  }

  info(fields: object, msg: string): void {
    this.#write('info', fields, msg);
  }

  warn(fields: object, msg: string): void {
    this.#write('warn', fields, msg);
  }

  #write(level: ConfiguredLogLevel, fields: object, msg: string): void {
    if (LEVELS.indexOf(level) < this.#least) return;
    const entry = { level, time: new Date(), pid: process.pid, roles: ['supervisor'], ...fields, msg };
    const line = `${JSON.stringify(entry)}\n`;
    this.#stream.write(this.#forPeople?.(line) ?? line);
  }
}

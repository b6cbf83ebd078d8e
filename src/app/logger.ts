/** The log of a process, on stderr: one JSON line per entry, or a readable line at a terminal (`docs/operate/logs.md`). */
import { pino, type Logger } from 'pino';
import type { ProcessRole } from './assignment.ts';
import type { ConfiguredLogLevel } from './config.ts';
import { describeError } from '../observe/describe-error.ts';
import { LOG_MESSAGES } from '../observe/log-messages.ts';
import { LogStream } from '../observe/log-stream.ts';
import { terminalLines } from '../observe/terminal-lines.ts';

/** Creates a logger that writes lines at the end of each event loop iteration and when the process exits. */
export function createLogger(roles: readonly ProcessRole[], level: ConfiguredLogLevel): Logger {
  const stream = new LogStream({ onLost: (lines) => logger.warn({ lines }, LOG_MESSAGES.linesLost) });
  process.once('exit', stream.flushAtExit);
  const forPeople = terminalLines();
  const logger: Logger = pino(
    {
      level,
      base: { pid: process.pid, roles },
      timestamp: isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
    },
    forPeople === null ? stream : { write: (line: string) => stream.write(forPeople(line)) },
  );
  return logger;
}

let secondMs = 0;
let untilSecond = '';

/** The timestamp as pino needs it. Everything up to the second is cached. */
function isoTime(): string {
  const nowMs = Date.now();
  const ms = nowMs % 1_000;
  if (nowMs - ms !== secondMs) {
    secondMs = nowMs - ms;
    untilSecond = `,"time":"${new Date(nowMs).toISOString().slice(0, 'YYYY-MM-DDTHH:MM:SS.'.length)}`;
  }
  return `${untilSecond}${String(ms).padStart(3, '0')}Z"`;
}

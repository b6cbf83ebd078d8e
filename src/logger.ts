/** The log of a process: a line of JSON for each entry, on stderr. */
import pino, { type Logger } from 'pino';
import type { Role } from './config.ts';

/** What PostgreSQL adds to an error: rows and values, and with them addresses and content. */
const TELLTALE = ['detail', 'where', 'hint', 'internalQuery'] as const;

export function createLogger(roles: readonly Role[]): Logger {
  const options = {
    level: 'info',
    base: { pid: process.pid, roles },
    serializers: { err: describeError },
  };
  return pino(options, pino.destination(2));
}

/** An error without what a log must not hold. */
export function describeError(error: Error): Record<string, unknown> {
  const described: Record<string, unknown> = { ...pino.stdSerializers.err(error) };
  for (const name of TELLTALE) delete described[name];
  return described;
}

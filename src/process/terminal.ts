/** Tells the operator something. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Logs a line like those of the children (src/app/logger.ts), without the library that makes them. */
export function logLine(fields: object, msg: string): void {
  say(
    JSON.stringify({
      level: 'warn',
      time: new Date(),
      pid: process.pid,
      roles: ['supervisor'],
      ...fields,
      msg,
    }),
  );
}

/**
 * Tells whoever runs the service what happens while it runs: a line like those of the children (src/app/logger.ts), without
 * the library that makes them.
 */
export function logLine(fields: Record<string, unknown>, msg: string): void {
  const line = { level: 'warn', time: new Date(), pid: process.pid, roles: ['supervisor'], ...fields, msg };
  process.stderr.write(`${JSON.stringify(line)}\n`);
}

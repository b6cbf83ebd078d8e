import { setTimeout as sleep } from 'node:timers/promises';
import { LOG_MESSAGES } from '../observe/log-messages.ts';
import type { RoleContext } from './role-context.ts';
import { TIMINGS } from './timings.ts';

export type OpenPort = { port: number } & AsyncDisposable;

/**
 * Opens a port with TLS from the first byte at once, or else when a certificate becomes available.
 * @param name the name of the port in the log
 * @param open opens the port; throws like `listenAt`. If the certificate becomes available later, `open` is retried until it succeeds, and
 * only its first error is logged
 * @throws the error of `open`, if there is a certificate already
 * @returns null if the port is not open yet
 */
export async function openSecurePort(
  { stack, certificates, logger }: RoleContext,
  name: string,
  open: () => Promise<OpenPort>,
  { portAgainMs }: typeof TIMINGS = TIMINGS,
): Promise<number | null> {
  if (certificates.secureContext() !== null) return stack.use(await open()).port;
  const ending = new AbortController();
  const { signal } = ending;
  let opened: OpenPort | null = null;
  const openLate = async (): Promise<void> => {
    for (let isFirst = true; !signal.aborted && opened === null; isFirst = false) {
      try {
        opened = await open();
        logger.info({ name, port: opened.port }, LOG_MESSAGES.portOpened);
      } catch (error) {
        if (isFirst) logger.error({ err: error, name }, LOG_MESSAGES.portNotOpened);
        await sleep(portAgainMs, undefined, { signal }).catch(() => {});
      }
    }
  };
  let opening = Promise.resolve();
  void certificates.available.then(() => {
    opening = openLate();
  });
  stack.defer(async () => {
    ending.abort();
    await opening;
    await opened?.[Symbol.asyncDispose]();
  });
  return null;
}

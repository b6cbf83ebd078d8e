/** Checks the ports of the service before it starts. */
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../app/config.ts';
import { type PortConfig, listenPorts } from '../app/ports.ts';
import { StartupError } from '../model/startup-error.ts';
import { listenAt } from '../doors/tcp/listen.ts';
import { TIMINGS } from './timings.ts';

type Ports = PortConfig & Pick<Config, 'listen'>;

const POLL_MS = 50;

/**
 * Checks that the ports are free, before the start creates anything. Waits up to a second for ports in use, because processes from an
 * earlier start may still be ending.
 * @throws StartupError if a port stays in use or cannot be opened
 */
export async function checkPorts(
  config: Ports,
  { portPatienceMs }: Pick<typeof TIMINGS, 'portPatienceMs'> = TIMINGS,
): Promise<void> {
  const required = listenPorts(config);
  for (const [at, { port, variable }] of required.entries()) {
    const other = required.slice(0, at).find((each) => each.port === port && port !== 0);
    if (other !== undefined)
      throw new StartupError(
        `${other.variable} and ${variable} are both ${port}. Set them to different ports.`,
      );
  }
  const untilMs = performance.now() + portPatienceMs;
  for (const { port } of required) await checkPort(config, port, untilMs);
}

async function checkPort(config: Ports, port: number, untilMs: number): Promise<void> {
  for (;;) {
    try {
      const { close } = await listenAt(createServer(), { addresses: config.listen, port });
      return await close();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || performance.now() > untilMs)
        throw portError(error, config) ?? error;
    }
    await sleep(POLL_MS);
  }
}

/** If listening on a port failed, returns an error that says what the operator can do; null for other errors. */
export function portError(error: unknown, config: PortConfig): StartupError | null {
  const { code, syscall, port, address } = error as NodeJS.ErrnoException & {
    port?: number;
    address?: string;
  };
  if (syscall !== 'listen') return null;
  const variable = listenPorts(config).find((each) => each.port === port)?.variable ?? 'POSTHORN_HTTP_PORT';
  switch (code) {
    case 'EADDRINUSE':
      return new StartupError(
        `Port ${port} is in use by another program. Set ${variable} to a free port, or to 0 to use any free port.`,
      );
    case 'EACCES':
      return new StartupError(
        `Port ${port} can only be opened by root. Set ${variable} to a port above 1023.`,
      );
    case 'EADDRNOTAVAIL':
    case 'EAFNOSUPPORT':
    case 'EINVAL':
      return new StartupError(
        `This machine has no address ${address} to listen on. Set POSTHORN_LISTEN to addresses of this machine, or to :: for all of them.`,
      );
    default:
      return null;
  }
}

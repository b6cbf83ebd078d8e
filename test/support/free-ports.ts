import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/**
 * Every port of the service that listens unless it is told otherwise, picked by the system: a program that has one of the usual ports of this
 * machine is in nobody's way.
 */
export const FREE_PORTS = {
  POSTHORN_HTTP_PORT: '0',
  POSTHORN_SMTP_PORT: '0',
  POSTHORN_SUBMISSION_PORT: '0',
  POSTHORN_SUBMISSIONS_PORT: '0',
  POSTHORN_IMAP_PORT: '0',
  POSTHORN_IMAPS_PORT: '0',
  POSTHORN_POP3_PORT: '0',
  POSTHORN_POP3S_PORT: '0',
};

/** One that nobody listens on at the moment: for what must be told of its port before it has it. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** Lets the system pick every port on which the service listens by default, so that a program on one of the usual ports does not get in the way. */
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

/** A port on which nothing listens at the moment, for programs that need its number beforehand. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

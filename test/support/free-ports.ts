import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** Makes the system pick all ports of the service, because other programs may use the default ports. */
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

/** A port on which no program listens at the moment, for programs that need a port number before they start. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

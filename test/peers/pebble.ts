/** Pebble, the ACME test server of Let's Encrypt. Pebble rejects some nonces at random, as real servers may. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { selfSigned } from '../../src/rfc/acme/certificates.ts';
import { freePort, peerFolder, requireProgram, startDaemon } from './peers.ts';

export interface PebbleOptions {
  /** The `ip:port` of the DNS server with the names to validate. */
  dns: string;
  /** The ports at which Pebble validates HTTP and TLS challenges. */
  httpPort: number;
  httpsPort: number;
}

export async function startPebble({ dns, httpPort, httpsPort }: PebbleOptions) {
  await using stack = new AsyncDisposableStack();
  const program = requireProgram('/usr/bin/pebble', 'pebble');
  const folder = stack.use(peerFolder('pebble'));
  const [port, managementPort] = [await freePort(), await freePort()];
  const file = (name: string, content: string): string => {
    const path = join(folder.path, name);
    writeFileSync(path, content, { mode: 0o600 });
    return path;
  };
  mkdirSync(folder.path, { recursive: true });
  const own = selfSigned('localhost', null, new Date());
  const certificate = file('cert.pem', own.cert);
  const config = file(
    'pebble.json',
    JSON.stringify({
      pebble: {
        listenAddress: `127.0.0.1:${port}`,
        managementListenAddress: `127.0.0.1:${managementPort}`,
        certificate,
        privateKey: file('key.pem', own.key),
        httpPort,
        tlsPort: httpsPort,
        ocspResponderURL: '',
        externalAccountBindingRequired: false,
      },
    }),
  );
  const fetchRoot = (): Promise<string> =>
    new Promise((resolve, reject) => {
      const asking = request(
        { host: 'localhost', port: managementPort, path: '/roots/0', ca: own.cert },
        (answer) => text(answer).then(resolve, reject),
      );
      asking.once('error', reject).end();
    });
  const settings = ['PEBBLE_VA_NOSLEEP=1', 'PEBBLE_WFE_NONCEREJECT=20', 'PEBBLE_AUTHZREUSE=0'];
  stack.use(
    await startDaemon('/usr/bin/env', {
      args: [...settings, program, '-config', config, '-dnsserver', dns],
      stopSignal: 'SIGTERM',
      isReady: () =>
        fetchRoot().then(
          () => true,
          () => false,
        ),
    }),
  );
  const root = await fetchRoot();
  const running = stack.move();
  return {
    directory: `https://localhost:${port}/dir`,
    /** The path of the certificate of Pebble's own API, for NODE_EXTRA_CA_CERTS. */
    ownCertificate: certificate,
    /** The root certificate of the issued certificates, in PEM. */
    root,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Debian's OpenStack Swift on one disk, with its S3 API. Swift shares no code with other S3 servers. */
import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { Bucket } from '../../src/blobs/object-bucket.ts';
import { amzDate, authorization } from '../../src/net/sigv4.ts';
import { freePort, peerFolder, requireProgram, startDaemon } from './peers.ts';

const BACKENDS = ['account', 'container', 'object'];
const EMPTY_HASH = hash('sha256', '');
const SECRET = 'the-secret-of-swift';

/**
 * Starts Swift with one empty bucket.
 * @throws Error if Swift is not installed or does not start, or if this process does not run as root
 */
export async function startSwift(): Promise<AsyncDisposable & { bucket: Bucket }> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(peerFolder('swift')).path;
  const builder = requireProgram('/usr/bin/swift-ring-builder', 'swift');
  mkdirSync(join(folder, 'devices/disk'), { recursive: true });

  const start = async (name: string, port: number, sections: string): Promise<void> => {
    const program = requireProgram(`/usr/bin/swift-${name}-server`, `swift-${name}`);
    const path = join(folder, `${name}.conf`);
    const common = `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
user = root
swift_dir = ${folder}
devices = ${folder}/devices
mount_check = false
`;
    writeFileSync(path, common + sections);
    stack.use(
      await startDaemon(program, { args: [path], stopSignal: 'SIGTERM', isReady: () => listens(port) }),
    );
  };

  await Promise.all(
    BACKENDS.map(async (name) => {
      const port = await freePort();
      const ring = join(folder, `${name}.builder`);
      for (const args of [
        ['create', '1', '1', '0'],
        ['add', `r1z1-127.0.0.1:${port}/disk`, '1'],
        ['rebalance'],
      ])
        execFileSync(builder, [ring, ...args], { stdio: 'ignore' });
      await start(
        name,
        port,
        `[pipeline:main]\npipeline = ${name}-server\n[app:${name}-server]\nuse = egg:swift#${name}\n`,
      );
    }),
  );
  const port = await freePort();
  // Swift requires the address of a memcached server, but works without a running one.
  await start(
    'proxy',
    port,
    `[pipeline:main]
pipeline = catch_errors gatekeeper cache listing_formats s3api tempauth proxy-server
${['catch_errors', 'gatekeeper', 'listing_formats', 's3api'].map((name) => `[filter:${name}]\nuse = egg:swift#${name}\n`).join('')}
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:1
[filter:tempauth]
use = egg:swift#tempauth
user_mail_posthorn = ${SECRET} .admin
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
`,
  );
  const bucket: Bucket = {
    origin: `http://127.0.0.1:${port}`,
    bucket: 'mail',
    region: 'us-east-1',
    accessKeyId: 'mail:posthorn',
    secretAccessKey: SECRET,
  };
  await makeBucket(bucket);
  const running = stack.move();
  return { bucket, [Symbol.asyncDispose]: () => running[Symbol.asyncDispose]() };
}

/** Creates the bucket, as an operator does, because the product never creates a bucket. */
async function makeBucket(bucket: Bucket): Promise<void> {
  const path = `/${bucket.bucket}`;
  const headers = {
    host: new URL(bucket.origin).host,
    'x-amz-content-sha256': EMPTY_HASH,
    'x-amz-date': amzDate(new Date()),
  };
  const request = { method: 'PUT', path, query: '', headers, bodyHash: EMPTY_HASH };
  const scope = { region: bucket.region, service: 's3' };
  const answer = await fetch(`${bucket.origin}${path}`, {
    method: 'PUT',
    headers: { ...headers, authorization: authorization(request, bucket, scope) },
  });
  if (!answer.ok) throw new Error(`The bucket was not created: ${answer.status} ${await answer.text()}`);
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}

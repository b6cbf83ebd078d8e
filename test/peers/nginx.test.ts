/** Checks the nginx configuration of the release with Debian's nginx. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { peerFolder, requireProgram, run, withPeers } from './peers.ts';

const FILE = new URL('../../deploy/nginx.conf', import.meta.url);

test("Debian's nginx accepts deploy/nginx.conf without warnings", withPeers, async () => {
  const nginx = requireProgram('/usr/sbin/nginx', 'nginx-light');
  using folder = peerFolder('nginx');
  const [key, certificate] = [join(folder.path, 'privkey.pem'), join(folder.path, 'fullchain.pem')];
  const request = ['-x509', '-nodes', '-newkey', 'rsa:2048', '-subj', '/CN=mail.acme.example', '-days', '2'];
  await run(requireProgram('/usr/bin/openssl', 'openssl'), [
    'req',
    ...request,
    '-keyout',
    key,
    '-out',
    certificate,
  ]);
  const server = readFileSync(FILE, 'utf8').replaceAll('/etc/posthorn/', `${folder.path}/`);
  const main = join(folder.path, 'nginx.conf');
  // nginx opens the ports to check the configuration, but port 80 may be in use on this machine.
  const atFreePorts = server.replaceAll(
    /(listen (?:\[::\]:)?)(80|443)\b/g,
    (_, before: string, port: string) => `${before}10${port}`,
  );
  writeFileSync(join(folder.path, 'site.conf'), atFreePorts);
  writeFileSync(
    main,
    `pid ${folder.path}/nginx.pid;\nerror_log stderr;\nevents {}\nhttp {\n  access_log off;\n  include ${folder.path}/site.conf;\n}\n`,
  );
  const { stderr } = await run(nginx, ['-t', '-q', '-c', main, '-p', folder.path]);
  assert.equal(stderr, '', 'no errors and no warnings');
});

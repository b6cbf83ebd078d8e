/** The setup documents for mail apps, read by third-party parsers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { autoconfigXml } from '../../src/rfc/mail-setup/autoconfig.ts';
import { autodiscoverXml } from '../../src/rfc/mail-setup/autodiscover.ts';
import type { MailAccess } from '../../src/rfc/mail-setup/mail-access.ts';
import { mobileconfig } from '../../src/rfc/mail-setup/mobileconfig.ts';
import { runPython } from './peers.ts';

type Tree = string | [name: string, Tree][];
interface Read {
  autoconfig: Tree;
  autodiscover: Tree;
  profile: { PayloadContent: Record<string, unknown>[] };
}

const ACCESS: MailAccess = {
  hostname: 'mx.acme.example',
  webHost: 'mail.acme.example',
  services: [
    { protocol: 'imap', security: 'tls', port: 993 },
    { protocol: 'submission', security: 'starttls', port: 587 },
  ],
};
const ADDRESS = `"&<'>]]>ä"@acme.example`;

function at(tree: Tree, ...path: string[]): Tree {
  const [name, ...rest] = path;
  if (name === undefined) return tree;
  assert.ok(typeof tree !== 'string');
  const found = tree.find(([child]) => child === name);
  assert.ok(found, name);
  return at(found[1], ...rest);
}

test('the setup documents for mail apps are well-formed, and contain the expected values', async () => {
  const read = await runPython<Read>(new URL('read-mail-setup.py', import.meta.url), {
    autoconfig: autoconfigXml('acme.example', ACCESS, 'https://mail.acme.example/mail/setup?a&b'),
    autodiscover: autodiscoverXml(ADDRESS, ACCESS),
    profile: mobileconfig(ADDRESS, ACCESS),
  });
  assert.deepEqual(at(read.autoconfig, 'emailProvider', 'incomingServer'), [
    ['hostname', 'mx.acme.example'],
    ['port', '993'],
    ['socketType', 'SSL'],
    ['username', '%EMAILADDRESS%'],
    ['authentication', 'password-cleartext'],
  ]);
  assert.equal(at(read.autoconfig, 'emailProvider', 'outgoingServer', 'socketType'), 'STARTTLS');
  assert.equal(at(read.autodiscover, 'Response', 'Account', 'Protocol', 'LoginName'), ADDRESS);
  assert.partialDeepStrictEqual(read.profile.PayloadContent[0], {
    EmailAddress: ADDRESS,
    IncomingMailServerPortNumber: 993,
    OutgoingMailServerUseSSL: true,
  });
});

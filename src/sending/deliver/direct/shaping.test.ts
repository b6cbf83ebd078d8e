import assert from 'node:assert/strict';
import { mkdtemp, rename, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { eventually } from '../../../../test/support/eventually.ts';
import type { ShapingRule } from './shaping-file.ts';
import { Shaping } from './shaping.ts';
import { StartupError } from '../../../model/startup-error.ts';

/** Much shorter than the polling interval of `eventually`, so that the file is checked several times. */
const POLL_MS = 5;
const PATIENCE_MS = 10_000;
const DEFAULT: ShapingRule = {
  maxConnections: 20,
  maxMessagesPerConnection: 100,
  maxMessagesPerSecond: null,
  name: null,
};

let folder: string;
let path: string;
let infos: string[];
let errors: unknown[];
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'posthorn-shaping-'));
  path = join(folder, 'shaping.yaml');
});
after(() => rm(folder, { recursive: true }));
beforeEach(() => {
  infos = [];
  errors = [];
});

/** @param text the text of the operator's file; null: no file */
async function open(text: string | null): Promise<Shaping & Disposable> {
  if (text !== null) await writeFile(path, text);
  const shaping = await Shaping.open({
    file: text === null ? null : path,
    logger: {
      info: (_: unknown, message?: string) => infos.push(String(message)),
      error: (fields: unknown) => errors.push(fields),
    },
    pollMs: POLL_MS,
  });
  return Object.assign(shaping, { [Symbol.dispose]: () => shaping.close() });
}

/** The text of a rule for hosts at or below `mx`. */
function ruleText(name: string, mx: string, limits: string): string {
  return `  - name: ${name}\n    mx: [${mx}]\n    ${limits}\n`;
}

test('the default limits apply to a destination without a rule', async () => {
  using shaping = await open(null);
  assert.deepEqual(shaping.ruleFor('dst.test', ['mx.dst.test']), DEFAULT);
  assert.deepEqual(shaping.ruleFor('dst.test', []), DEFAULT);
  assert.deepEqual(shaping.ruleFor('[192.0.2.1]', ['[192.0.2.1]']), DEFAULT);
});

const BUILT_IN: readonly [mx: string, name: string | null][] = [
  ['gmail-smtp-in.l.google.com', 'google'],
  ['aspmx3.googlemail.com', 'google'],
  ['hotmail-com.olc.protection.outlook.com', 'outlook'],
  ['contoso-com.mail.protection.outlook.com', 'microsoft-365'],
  ['contoso-com.a-v1.mx.microsoft', 'microsoft-365'],
  ['mta5.am0.yahoodns.net', 'yahoo'],
  ['mx01.mail.icloud.com', 'icloud'],
  ['mx00.gmx.net', 'gmx'],
  ['mx-ha02.web.de', 'gmx'],
  ['mx00.kundenserver.de', 'gmx'],
  ['mx00.t-online.de', 't-online'],
  ['mxs.mail.ru', 'mail-ru'],
  ['mx.yandex.ru', 'yandex'],
  ['mx3.qq.com', 'qq'],
  ['163mx01.mxmail.netease.com', 'netease'],
  ['smtp-in.orange.fr', 'orange'],
  ['mx1.free.fr', 'free'],
  ['smtpz4.laposte.net', 'laposte'],
  ['smtp-in.sfr.fr', 'sfr'],
  ['mx1.comcast.net', 'comcast'],
  ['mx0.charter.net', 'charter'],
  ['ff-ip4-mx-vip1.prodigy.net', 'att'],
  ['smtp-in.libero.it', 'libero'],
  ['mx1.seznam.cz', 'seznam'],
  ['mx.wp.pl', 'wp'],
  ['mx1.naver.com', 'naver'],
  ['mxa-00112233.gslb.pphosted.com', 'proofpoint'],
  ['eu-smtp-inbound-1.mimecast.com', 'mimecast'],
  ['d1.ess.barracudanetworks.com', 'barracuda'],
  ['cluster1.eu.messagelabs.com', 'messagelabs'],
  ['mx1.hc1.iphmx.com', 'cisco'],
  ['mx.zoho.com', 'zoho'],
  ['notgoogle.com', null],
  ['google.com.evil.test', null],
];

test('the built-in rules match the hosts of large providers, and set every limit', async () => {
  using shaping = await open(null);
  for (const [mx, name] of BUILT_IN) {
    const rule = shaping.ruleFor('dst.test', [mx]);
    assert.equal(rule.name, name, mx);
    assert.ok(rule.maxConnections >= 1 && rule.maxMessagesPerConnection >= 1, mx);
    assert.notEqual(rule.maxMessagesPerSecond, undefined, mx);
  }
});

test('the rule of the most preferred host that has a rule applies', async () => {
  using shaping = await open(null);
  assert.equal(shaping.ruleFor('dst.test', ['mx.dst.test', 'mx.wp.pl', 'mx.qq.com']).name, 'wp');
});

test('the longest matching host name wins, and a rule for the domain of the address wins over rules for hosts', async () => {
  const rules = [
    ruleText('all', 'example', 'max_connections: 1'),
    ruleText('one', 'mx.host.example', 'max_connections: 2'),
    '  - name: domain\n    domains: [dst.test]\n    max_connections: 3\n',
  ];
  using shaping = await open(`rules:\n${rules.join('')}`);
  const connections = (domain: string, mx: string) => shaping.ruleFor(domain, [mx]).maxConnections;
  assert.equal(connections('a.test', 'mx.host.example'), 2);
  assert.equal(connections('a.test', 'mx2.host.example'), 1);
  assert.equal(connections('a.test', 'a.mx.host.example'), 2);
  assert.equal(connections('dst.test', 'mx.host.example'), 3);
  assert.equal(connections('sub.dst.test', 'mx.test'), 20);
});

test('a rule of the operator wins over a built-in rule, which provides the missing limits', async () => {
  using shaping = await open(
    `rules:\n${ruleText('slow-yahoo', 'yahoodns.net', 'max_messages_per_second: 1')}`,
  );
  assert.deepEqual(shaping.ruleFor('yahoo.com', ['mta5.am0.yahoodns.net']), {
    maxConnections: 10,
    maxMessagesPerConnection: 20,
    maxMessagesPerSecond: 1,
    name: 'slow-yahoo',
  });
});

test("the operator's default applies to destinations without a rule", async () => {
  using shaping = await open('default:\n  max_connections: 7\n');
  assert.deepEqual(shaping.ruleFor('dst.test', ['mx.dst.test']), { ...DEFAULT, maxConnections: 7 });
  assert.equal(shaping.ruleFor('gmail.com', ['gmail-smtp-in.l.google.com']).maxConnections, 20);
});

test('a missing or invalid file at startup is an error that names the file and the line', async () => {
  const message = (expected: string) => (error: unknown) => {
    assert.ok(error instanceof StartupError);
    assert.equal(error.message, expected);
    return true;
  };
  await rm(path, { force: true });
  const logger = { info: () => {}, error: () => {} };
  await assert.rejects(Shaping.open({ file: path, logger }), message(`${path} cannot be read (ENOENT)`));
  await assert.rejects(Shaping.open({ file: folder, logger }), message(`${folder} cannot be read (EISDIR)`));
  await assert.rejects(
    open('default:\n  max_connections: many\n'),
    message(`${path}:2: default.max_connections: must be integer`),
  );
  await assert.rejects(open('#'.repeat(5_000_000)), message(`${path} is larger than 4194304 bytes`));
});

function limitOf(shaping: Shaping): number {
  return shaping.ruleFor('dst.test', ['mx.dst.test']).maxConnections;
}

test('the file is reloaded when it is written in place and when another file replaces it', async () => {
  using shaping = await open('default:\n  max_connections: 1\n');
  assert.equal(limitOf(shaping), 1);
  await writeFile(path, 'default:\n  max_connections: 2\n');
  assert.ok(await eventually(() => limitOf(shaping) === 2, PATIENCE_MS));
  await writeFile(`${path}.next`, 'default:\n  max_connections: 3\n');
  await rename(`${path}.next`, path);
  assert.ok(await eventually(() => limitOf(shaping) === 3, PATIENCE_MS));
  assert.deepEqual(errors, []);
});

test('an invalid change of the file leaves the rules unchanged and is logged once', async () => {
  using shaping = await open('default:\n  max_connections: 1\n');
  // The file is replaced by renaming. While a file is written in place, it is empty for a moment, and an empty file is valid.
  await writeFile(`${path}.next`, 'default:\n  max_connections: 0\n');
  await rename(`${path}.next`, path);
  assert.ok(await eventually(() => errors.length > 0, PATIENCE_MS));
  await unlink(path);
  assert.ok(await eventually(() => errors.length > 1, PATIENCE_MS));
  assert.equal(limitOf(shaping), 1);
  await writeFile(path, 'default:\n  max_connections: 2\n');
  assert.ok(await eventually(() => limitOf(shaping) === 2, PATIENCE_MS));
  assert.deepEqual(errors, [
    { reason: `${path}:2: default.max_connections: must be >= 1` },
    { reason: `${path} cannot be read (ENOENT)` },
  ]);
});

test('the rules of repeated destinations are cached, and the cache has a size limit', async () => {
  using shaping = await open(null);
  const hosts = ['mx.dst.test'];
  assert.equal(shaping.ruleFor('dst.test', hosts), shaping.ruleFor('dst.test', [...hosts]));
  for (let recipientIndex = 0; recipientIndex < 20_001; recipientIndex++)
    shaping.ruleFor(`d${recipientIndex}.test`, hosts);
  assert.deepEqual(shaping.ruleFor('dst.test', hosts), DEFAULT);
});

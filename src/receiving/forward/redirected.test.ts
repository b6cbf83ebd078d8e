import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { type DnsServer, startDnsServer } from '../../../test/support/dns-server.ts';
import { memoryFolder } from '../../../test/support/memory-folder.ts';
import { newMailbox } from '../../../test/support/mail.ts';
import { newDomain } from '../../../test/support/projects.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { Blobs } from '../../blobs/blobs.ts';
import { ObjectFiles } from '../../blobs/object-files.ts';
import { SendingDomains } from '../../domains/sending-domains.ts';
import type { SubmittedMail } from '../../sending/submit/submitted-mail.ts';
import { Submitter } from '../../sending/submit/submitter.ts';
import { FactsReader } from '../../store/facts/facts-reader.ts';
import { Store } from '../../store/store.ts';
import { HOSTNAME, mailZone, PLAIN, sign } from '../authenticate/signed-mail.fixture.ts';
import { Examiner } from '../examine/examiner.ts';
import { checkRedirected } from './redirected.ts';

let db: TestDatabase;
let blobs: Blobs;
const stack = new AsyncDisposableStack();
let submitter: Submitter;
let dns: DnsServer;

before(async () => {
  db = stack.use(await testDatabase());
  dns = stack.use(await startDnsServer({ ...mailZone(), 'plain.example': { TXT: [] } }));
  const { database } = db;
  blobs = new Blobs(database, new ObjectFiles(memoryFolder()));
  const examiner = stack.use(
    new Examiner({
      hostname: HOSTNAME,
      dns: dns.address,
      learned: { reasonsFor: async () => new Map(), reasonsForSenders: async () => new Map() },
      rspamd: null,
      logger: { warn() {} },
    }),
  );
  submitter = stack.use(
    new Submitter({
      database,
      blobs,
      domains: new SendingDomains(database, 'posthorn.localhost'),
      store: new Store(database),
      facts: stack.use(new FactsReader()),
      isOfProject: () => false,
      isUnknown: () => false,
      checkRedirected: (projectId, message, author) =>
        checkRedirected({ database, examiner }, projectId, message, author),
      hostname: HOSTNAME,
      onQueued() {},
    }),
  );
});
after(() => stack[Symbol.asyncDispose]());

/** A mailbox on a verified domain. */
async function newSender() {
  const mailbox = await newMailbox(db.database);
  const { localPart, domain } = await db.database
    .selectFrom('mailboxes')
    .select(['localPart', 'domain'])
    .where('id', '=', mailbox.mailboxId)
    .executeTakeFirstOrThrow();
  await sql`update domains set status = 'verified' where name = ${domain}`.execute(db.database);
  return { ...mailbox, domain, address: `${localPart}@${domain}` };
}

type Sender = Awaited<ReturnType<typeof newSender>>;

async function redirect(sender: Sender, original: string | Buffer) {
  const mail: SubmittedMail = {
    reversePath: sender.address,
    isUtf8: false,
    recipients: [{ forwardPath: 'b@dst.test', notify: null, originalRecipient: null }],
    envelopeId: null,
    returns: null,
    raw: Buffer.concat([
      Buffer.from(
        `Resent-From: ${sender.address}\r\nAuthentication-Results: ${HOSTNAME}; dmarc=pass (forged)\r\n`,
      ),
      Buffer.from(original as string),
    ]),
    isTls: true,
  };
  const submitted = await submitter.submit(sender, mail);
  if (submitted.outcome === 'refused') return submitted.text;
  const { digest, kind } = await db.database
    .selectFrom('submissions')
    .select(['digest', 'kind'])
    .where('id', '=', submitted.id)
    .executeTakeFirstOrThrow();
  assert.equal(kind, 'submitted');
  return ((await (await blobs.open(sender.projectId, digest))?.read()) ?? '').toString();
}

test('a redirected message begins with the results of our own check, and only with these', async () => {
  const stored = await redirect(await newSender(), await sign(PLAIN));
  assert.match(stored, /^Authentication-Results: mx\.posthorn\.example; spf=none/);
  assert.match(stored, /;\s+dkim=pass header\.d=acme\.example/);
  assert.equal(stored.match(/^Authentication-Results:/gm)?.length, 1);
  assert.ok(stored.endsWith((await sign(PLAIN)).toString()));
});

test('a message of a domain without a DMARC policy needs no signature', async () => {
  const stored = await redirect(await newSender(), PLAIN.replaceAll('acme.example', 'plain.example'));
  assert.match(stored, /dkim=none;\s+dmarc=none header\.from=plain\.example/);
});

test('a message whose domain rejects unsigned mail is not redirected without a valid signature', async () => {
  const sender = await newSender();
  for (const forged of [PLAIN, (await sign(PLAIN)).toString().replace('Hi Bob', 'Hi Eve')])
    assert.match(await redirect(sender, forged), /^Mail from acme\.example needs a valid DKIM signature/);
});

test('a colleague cannot be forged, although the return path passes SPF for their domain', async () => {
  const sender = await newSender();
  for (const domain of [sender.domain, `team.${sender.domain}`])
    assert.match(
      await redirect(sender, PLAIN.replaceAll('acme.example', domain)),
      /needs a valid DKIM signature/,
      domain,
    );
});

test('a colleague whose signature is valid can be redirected, even if their domain has no DMARC record', async () => {
  const sender = await newSender();
  dns.zone[`s1._domainkey.${sender.domain}`] = mailZone()['s1._domainkey.acme.example'] ?? {};
  for (const domain of [sender.domain, `team.${sender.domain}`]) {
    const signed = await sign(PLAIN.replaceAll('acme.example', domain), sender.domain);
    assert.match(await redirect(sender, signed), /dkim=pass [^;]*;\s+dmarc=none/, domain);
    assert.match(
      await redirect(sender, signed.toString().replace('Hi Bob', 'Hi Eve')),
      /needs a valid DKIM signature/,
    );
  }
});

test('while the policy of the domain cannot be looked up, a message is rejected only for now', async () => {
  dns.zone['_dmarc.failing.example'] = { fault: 'servfail' };
  const redirected = redirect(await newSender(), PLAIN.replaceAll('acme.example', 'failing.example'));
  await assert.rejects(redirected, { code: 'unavailable' });
});

test('while the key of a signature cannot be looked up, a message that needs it is rejected only for now', async () => {
  const sender = await newSender();
  dns.zone['s1._domainkey.down.example'] = { fault: 'servfail' };
  dns.zone['_dmarc.down.example'] = { TXT: ['v=DMARC1; p=reject'] };
  const signed = await sign(PLAIN.replaceAll('acme.example', 'down.example'), 'down.example');
  await assert.rejects(redirect(sender, signed), { code: 'unavailable' });
});

test('a foreign author may imitate a colleague only with a valid signature', async () => {
  const sender = await newSender();
  const imitated = (domain: string) =>
    PLAIN.replaceAll('acme.example', domain).replace('Alice', `"Boss <boss@${sender.domain}>"`);
  assert.match(
    await redirect(sender, imitated('plain.example')),
    /^From contains an address of your organization/,
  );
  assert.match(await redirect(sender, await sign(imitated('acme.example'))), /dkim=pass/);
});

/** The author of `PLAIN` is replaced. `<own>` is the domain of the mailbox that redirects the message. */
function withAuthor(sender: Sender, fields: string): string {
  return PLAIN.replace('From: Alice <alice@acme.example>', fields.replaceAll('<own>', sender.domain));
}

const SPELLINGS = [
  'From: Boss <ceo@<own> .test>',
  'From: Boss <ceo@ <own>>',
  'From: Boss <ceo @<own>>',
  'From: ceo@(x)<own>',
  'From: <ceo@<own>(x)>',
  'From: ceo@<own>(x)',
  'From: <ceo@x. <own>>',
  'From: <ceo@\r\n <own>>',
  'From: x@evil.example .<own>',
  'From: x@evil.example@<own>',
  'From: <x@evil.example> ceo@<own>',
  'From: <x@evil.example> <ceo@<own>>',
  'From: <ceo@<own>> (Boss) x@evil.example',
  'From: ceo@<own>\r\n\t<x@evil.example>',
  'From: x@evil.example, ceo@<own>',
  'From: x@evil.example; ceo@<own>',
  'From: Staff: ceo@<own>;',
  'From: Staff: x@evil.example;, ceo@<own>',
  'From: <@evil.example:ceo@<own>>',
  'From: <ceo@<own>.>',
  'From: "ceo@<own>" x@evil.example',
  'From: "x"y@<own>',
  'From: =?utf-8?q?ceo?=@<own>',
  'From: =?utf-8?q?=3Cceo=40<own>=3E?=',
  'From: <=?utf-8?q?ceo=40<own>=00?=@evil.example>',
  'From: ceo@<own>\0@evil.example',
  'From: ceo@<own>\u2028x@evil.example',
  'From: [ceo@<own>]',
  'From: "Boss" <ceo@<own>',
  'From: ceo@[<own>]',
  'From:',
  'From: x@evil.example\r\nSender: Boss <ceo@ <own>>',
  'From: x@evil.example\r\nSender: ceo@<own>(x)',
  'From: x@evil.example\r\nSender: y@evil.example, ceo@<own>',
];

test('an author that two parsers could read differently is rejected in every spelling', async () => {
  const sender = await newSender();
  for (const fields of SPELLINGS)
    assert.match(
      await redirect(sender, withAuthor(sender, fields)),
      /^(?:(?:From|Sender) must be one address, .*Forward the message instead|The message is malformed: the header contains a NUL)/s,
      JSON.stringify(fields),
    );
});

test('a valid signature does not excuse an author that two parsers could read differently', async () => {
  const sender = await newSender();
  for (const author of ['alice@acme.example(x)', 'alice@acme.example, a2@acme.example'])
    assert.match(
      await redirect(sender, await sign(withAuthor(sender, `From: ${author}`))),
      /^From must be one address/,
      author,
    );
  assert.match(
    await redirect(sender, await sign(withAuthor(sender, 'From: alice@acme.example (Al)'))),
    /dkim=pass/,
  );
});

test('a colleague cannot be forged in another spelling of the domain, or in a quoted local part', async () => {
  const sender = await newSender();
  for (const fields of [
    `From: ceo@${sender.domain.toUpperCase()}`,
    `From: ceo@${sender.domain.replace('.', '\u3002')}`,
    `From: ceo@${sender.domain.replace('.', '\uff0e')}`,
    `From: ceo@\u00ad${sender.domain}`,
    `From: "x@evil.example, ceo"@${sender.domain}`,
    'From: "ceo@<own>"@plain.example',
    'From: "ceo\\@<own>"@plain.example',
    `From: "ceo@${sender.domain.replace('.', '\u3002')}" <x@plain.example>`,
    `From: "ceo@${sender.domain.replace('.', '\u200b.')}" <x@plain.example>`,
    'From: "ceo@\ufeff<own>" <x@plain.example>',
    'From: "ceo@<own>\u2060" <x@plain.example>',
    `From: "ceo@${sender.domain.replace('.', '\u200a.\u2009')}" <x@plain.example>`,
    'From: "ceo@<own>\u2019s office" <x@plain.example>',
    'From: "ceo @ <own>\u2013Boss" <x@plain.example>',
    'From: =?utf-8?q?ceo_=40_<own>?= <x@plain.example>',
    'From: =?utf-8?q?ceo=40?=\r\n =?utf-8?q?<own>?= <x@plain.example>',
    'From: =?utf-7?q?ceo+AEA-<own>?= <x@plain.example>',
    'From: x@plain.example (ceo at ceo.<own>)\r\nSender: "ceo@<own>" <x@plain.example>',
  ])
    assert.match(
      await redirect(sender, withAuthor(sender, fields)),
      /needs a valid DKIM signature|contains an address of your organization|domain .* ambiguous/,
      JSON.stringify(fields),
    );
});

test('the signature must be of the domain in From, even if the check of the signature finds another domain there', async () => {
  const sender = await newSender();
  const signed = await sign(withAuthor(sender, 'From: <"x@acme.example> b"@<own>>'));
  assert.match(await redirect(sender, signed), /^The domain of the address in From is ambiguous/);
});

test('a domain with an umlaut is the same as its A-labels', async () => {
  const sender = await newSender();
  dns.zone['_dmarc.xn--bcher-kva.example'] = { TXT: ['v=DMARC1; p=reject'] };
  for (const domain of ['b\u00fccher.example', 'xn--bcher-kva.example', 'BU\u0308CHER.example'])
    assert.match(
      await redirect(sender, withAuthor(sender, `From: ceo@${domain}`)),
      /^Mail from xn--bcher-kva\.example needs a valid DKIM signature/,
      domain,
    );
});

test('a colleague in Sender must be the author, because a signature does not prove a Sender that was added', async () => {
  const sender = await newSender();
  const redirected = async (fields: string) => redirect(sender, await sign(withAuthor(sender, fields)));
  const alice = 'From: alice@acme.example\r\nSender:';
  assert.match(
    await redirected(`${alice} boss@<own>`),
    /^Sender is an address of your organization, and not the author\./,
  );
  assert.match(
    await redirected(`${alice} "boss@<own>" <x@evil.example>`),
    /^Sender contains an address of your organization\./,
  );
  assert.match(await redirected(`${alice} list-bounces@lists.example`), /dkim=pass/);
  dns.zone[`s1._domainkey.${sender.domain}`] = mailZone()['s1._domainkey.acme.example'] ?? {};
  const signed = (await sign(withAuthor(sender, 'From: carl@<own>'), sender.domain)).toString();
  for (const [added, reply] of [
    [`Sender: boss@${sender.domain}`, /^Sender is an address of your organization/],
    [`Sender: "boss@${sender.domain}" <carl@${sender.domain}>`, /^Sender contains a second address/],
    [`Sender: Carl <carl@${sender.domain}>`, /dkim=pass/],
  ] as const)
    assert.match(await redirect(sender, `${added}\r\n${signed}`), reply, added);
});

test('a colleague on another domain of the project needs a valid signature too', async () => {
  const sender = await newSender();
  const other = 'second.example';
  await newDomain(db.database, sender.projectId, other);
  for (const fields of [`From: ceo@${other}`, `From: "ceo@${other}" <x@plain.example>`])
    assert.match(
      await redirect(sender, withAuthor(sender, fields)),
      /needs a valid DKIM signature|^From contains an address of your organization/,
      fields,
    );
});

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { type DnsServer, startDnsServer } from '../../../test/support/dns-server.ts';
import { memoryFolder } from '../../../test/support/memory-folder.ts';
import { newMailbox } from '../../../test/support/mail.ts';
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
import { authenticateRedirected } from './redirected.ts';

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
      bayes: { reasonsFor: async () => [] },
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
      authenticate: (message) => authenticateRedirected(examiner, message),
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

test('a message without a clear author is not redirected', async () => {
  const sender = await newSender();
  const authors = 'From: a@one.example, b@two.example';
  assert.match(
    await redirect(sender, PLAIN.replace('From: Alice <alice@acme.example>', authors)),
    /^From must name one author/,
  );
});

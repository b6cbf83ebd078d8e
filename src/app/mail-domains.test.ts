import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { testCore } from '../../test/support/core.ts';
import { startDnsServer } from '../../test/support/dns-server.ts';
import { newMailbox } from '../../test/support/mail.ts';
import { sealedDatabase } from '../../test/support/postgres.ts';
import { describeMail } from '../domains/mx/describe-mail.ts';
import { InsideMailboxes } from '../receiving/inside/inside-mailboxes.ts';
import { readConfig } from './config.ts';

const stack = new AsyncDisposableStack();
after(() => stack.disposeAsync());
const db = stack.use(await sealedDatabase());
const dns = stack.use(await startDnsServer());

/** Whether mail to a new mailbox is delivered locally. @param env settings of the installation @param exchange the MX of its domain */
async function staysHere(env: Record<string, string>, exchange: string): Promise<boolean> {
  const { projectId, mailboxId } = await newMailbox(db.database);
  const mailbox = await db.database
    .selectFrom('mailboxes')
    .select(['domain', 'domainId'])
    .where('id', '=', mailboxId)
    .executeTakeFirstOrThrow();
  await db.database
    .updateTable('domains')
    .set({ status: 'verified' })
    .where('projectId', '=', projectId)
    .execute();
  dns.zone[mailbox.domain] = { MX: [`10 ${exchange}`] };
  await using core = await testCore(
    db,
    readConfig({ POSTHORN_DNS: dns.address, POSTHORN_HOSTNAME: 'mx1.here.example', ...env }),
  );
  const { mailDomains } = core;
  const inside = new InsideMailboxes({
    database: db.database,
    hostname: core.config.hostname,
    ...mailDomains,
    mxWatch: core.mxWatch,
    filer: () => Promise.reject(new Error('the test delivers no message')),
  });
  const place = await inside.find(`anna@${mailbox.domain}`);
  const claim = { id: mailbox.domainId, name: mailbox.domain };
  const { isLocal } = await describeMail(db.database, mailDomains, mailDomains.mxHosts, claim);
  assert.equal(isLocal, place !== null && 'handOver' in place);
  return isLocal;
}

for (const [names, exchange, expected] of [
  [undefined, 'mx1.here.example', true],
  [undefined, 'mx2.here.example', false],
  ['mx2.here.example, backup.here.example', 'mx1.here.example', true],
  ['mx2.here.example, backup.here.example', 'MX2.here.example', true],
  ['mx2.here.example, backup.here.example', 'backup.here.example', true],
  ['mx2.here.example, backup.here.example', 'mx3.here.example', false],
] as const)
  test(`with POSTHORN_MX_NAMES ${names ?? 'not set'}, mail for a domain with the MX ${exchange} is ${expected ? 'delivered locally' : 'sent to the provider'}`, async () => {
    assert.equal(
      await staysHere(names === undefined ? {} : { POSTHORN_MX_NAMES: names }, exchange),
      expected,
    );
  });

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { submitMessage, mailOf, startTestSubmission, type TestSubmission } from './submission.fixture.ts';
import { newAlias } from '../../../../test/support/mail.ts';
import { recordSender } from '../../../mailboxes/reserved-addresses.ts';
import { DEFAULT_NOTIFY } from '../../../rfc/smtp/dsn-parameters.ts';

let listener: TestSubmission;
before(async () => {
  listener = await startTestSubmission();
});
after(() => listener[Symbol.asyncDispose]());

/** Decides whether mail for the domain of a mailbox is delivered here. */
async function deliverHere({ projectId, domain }: { projectId: string; domain: string }, isHere: boolean) {
  const { database } = listener.db;
  await database
    .insertInto('domainMx')
    .columns(['projectId', 'domainId', 'deliverLocally'])
    .expression((from) =>
      from
        .selectFrom('domains')
        .select((row) => ['projectId', 'id', row.val(isHere).as('deliverLocally')])
        .where('projectId', '=', projectId)
        .where('name', '=', domain),
    )
    .execute();
}

describe('the owner of a mailbox', () => {
  test('a mailbox can send to any recipient with DSN parameters, and bare LF in the content becomes CRLF', async () => {
    const owner = await listener.newOwner();
    using client = await listener.signedIn(owner.user, owner.password);
    await client.play(`
      C: MAIL FROM:<${owner.user}> RET=HDRS ENVID=QQ314159 AUTH=<>
      S: 250 2.1.0 OK
      C: RCPT TO:<Bob@dst.test> NOTIFY=SUCCESS,DELAY ORCPT=rfc822;Bob+2B1@dst.test
      S: 250 2.1.5 OK
      C: RCPT TO:<c@dst.test>
      S: 250 2.1.5 OK
      C: DATA
      S: 354 End with a dot on a line of its own
      R: From: ${owner.user}\\nTo: bob@dst.test\\r\\nSubject: Hi\\n\\na\\nb\\n\\nc\\n..\\r\\n..d\\r\\n.\\r\\n`);
    assert.match((await client.line()) ?? '', /^250 2\.0\.0 Queued as sub_/);
    const [sent] = await listener.submissionsOf(owner);
    assert.equal(sent?.returns, 'headers');
    assert.equal(sent.envelopeId, 'QQ314159');
    assert.deepEqual(sent.to, [
      { address: 'Bob@dst.test', notify: 5, originalRecipient: 'rfc822;Bob+1@dst.test' },
      { address: 'c@dst.test', notify: DEFAULT_NOTIFY, originalRecipient: null },
    ]);
    assert.doesNotMatch(sent.raw, /(?:^|[^\r])\n|\r(?!\n)/);
    assert.ok(sent.raw.endsWith('\r\n\r\na\r\nb\r\n\r\nc\r\n.\r\n.d\r\n'), JSON.stringify(sent.raw));
  });

  describe('only CRLF . CRLF ends a message', () => {
    const ends = ['\\r\\n', '\\n', '\\r'];
    const wrong = ends.flatMap((before) => ends.map((behind) => `${before}.${behind}`)).slice(1);
    for (const end of wrong)
      test(`${end} ends the connection, and no message is submitted`, async () => {
        const owner = await listener.newOwner();
        using client = await listener.signedIn(owner.user, owner.password);
        await client.play(`
          C: MAIL FROM:<${owner.user}>
          S: 250 2.1.0 OK
          C: RCPT TO:<bob@dst.test>
          S: 250 2.1.5 OK
          C: DATA
          S: 354 End with a dot on a line of its own
          R: From: ${owner.user}\\r\\n\\r\\na${end}MAIL FROM:<${owner.user}>\\r\\n
          S: 521 5.5.2 Bare CR or LF received: lines must end with CRLF
          S: (closed)`);
        assert.deepEqual(await listener.submissionsOf(owner), []);
      });
  });

  test('mail from a reserved address is rejected, and the reply says why', async () => {
    const owner = await listener.newOwner();
    const [localPart = '', domain = ''] = owner.user.split('@');
    await recordSender(listener.db.database, { address: owner.user, localPart, domain });
    using client = await listener.signedIn(owner.user, owner.password);
    client.send(`MAIL FROM:<${owner.user}>\r\n`);
    assert.match((await client.line()) ?? '', /^550 5\.7\.1 .*receives mail but cannot send: .* is reserved/);
    assert.match(
      await submitMessage(client, mailOf(`From: ${owner.user}\r\n`), { from: '' }),
      /^550 5\.7\.1 .*receives mail but cannot send/,
    );
    assert.deepEqual(await listener.submissionsOf(owner), []);
  });

  test('an unknown recipient of a domain that receives its mail here is rejected at RCPT, as on the port for incoming mail', async () => {
    const owner = await listener.newOwner();
    const elsewhere = await listener.newOwner();
    const { database } = listener.db;
    const { projectId, mailboxId } = owner;
    await newAlias(database, 'team', [{ projectId, mailboxId }]);
    await deliverHere(owner, true);
    await deliverHere(elsewhere, false);
    using client = await listener.signedIn(owner.user, owner.password);
    await client.play(`
      C: MAIL FROM:<${owner.user}>
      S: 250 2.1.0 OK
      C: RCPT TO:<nobody@${owner.domain}>
      S: 550 5.1.1 nobody@${owner.domain} does not exist on this server. Check the spelling.
      C: RCPT TO:<${owner.user.replace('@', '+tag@')}>
      S: 250 2.1.5 OK
      C: RCPT TO:<team@${owner.domain}>
      S: 250 2.1.5 OK
      C: RCPT TO:<postmaster@${owner.domain}>
      S: 250 2.1.5 OK
      C: RCPT TO:<nobody@${elsewhere.domain}>
      S: 250 2.1.5 OK`);
    await database.updateTable('mailboxes').set({ isCatchAll: true }).where('id', '=', mailboxId).execute();
    const other = await listener.newOwner();
    await deliverHere(other, true);
    await client.play(`
      C: RCPT TO:<anyone@${owner.domain}>
      S: 250 2.1.5 OK
      C: RCPT TO:<gone@${other.domain}>
      S: 550 5.1.1 gone@${other.domain} does not exist on this server. Check the spelling.`);
  });

  test('mail from the address of another mailbox is rejected, and the reply names the allowed addresses', async () => {
    const owner = await listener.newOwner();
    using client = await listener.signedIn(owner.user, owner.password);
    assert.match(await submitMessage(client, '', { from: 'boss@dst.test' }), /^550 5\.7\.1 .*anna@/);
    assert.match(
      await submitMessage(client, mailOf('From: boss@dst.test\r\n'), { from: owner.user }),
      /^550 5\.7\.1 .*anna@/,
    );
    assert.match(
      await submitMessage(client, mailOf(`From: ${owner.user}\r\n`), { from: owner.user }),
      /^250 /,
    );
    assert.equal((await listener.submissionsOf(owner)).length, 1);
  });
});

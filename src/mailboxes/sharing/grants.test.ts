import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { sql } from 'kysely';
import { newAlias, newMailbox } from '../../../test/support/mail.ts';
import { newProject } from '../../../test/support/projects.ts';
import { HOSTED_DOMAIN } from '../../../test/support/api.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { testDatabase } from '../../../test/support/postgres.ts';
import { invite } from '../../accounts/members/invitations.ts';
import { createOrganization, ensureOrganization } from '../../accounts/organizations/organizations.ts';
import { createUser } from '../../accounts/users.ts';
import { AppError } from '../../model/app-error.ts';
import { decodeId, encodeId } from '../../model/ids.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { Aliases } from '../aliases.ts';
import { Mailboxes } from '../mailboxes.ts';
import { setPassword } from '../set-password.ts';
import { createAppPassword } from '../sign-in/app-passwords.ts';
import { readMemberships, readSharing, shareMailbox, unshareMailbox } from './grants.ts';
import { admitServiceMail } from './service-mail.ts';
import { assertNotShared } from './sign-in-addresses.ts';

const db = await testDatabase();
const { database } = db;
after(() => db[Symbol.asyncDispose]());

const addressOf = async ({ mailboxId }: MailboxKey): Promise<string> => {
  const { localPart, domain } = await database
    .selectFrom('mailboxes')
    .select(['localPart', 'domain'])
    .where('id', '=', mailboxId)
    .executeTakeFirstOrThrow();
  return `${localPart}@${domain}`;
};

/** Two mailboxes of one project, on verified domains. */
async function twoMailboxes() {
  const projectId = await newProject(database);
  const [info, ann] = [await newMailbox(database, { projectId }), await newMailbox(database, { projectId })];
  await database
    .updateTable('domains')
    .set({ status: 'verified' })
    .where('projectId', '=', projectId)
    .execute();
  return { projectId, info, ann, annAddress: await addressOf(ann) };
}

const right = (member: string, access: 'read' | 'write' = 'read') => ({
  member,
  access,
  sending: 'none' as const,
});
const faultOf = (fault: RegExp) => (error: unknown) => {
  assert.ok(error instanceof AppError && error.code === 'validation-failed', String(error));
  assert.match(Object.values(error.errors ?? {}).join(), fault);
  return true;
};
const makeShared = (mailboxId: string) =>
  database.updateTable('mailboxes').set({ isShared: true }).where('id', '=', mailboxId).execute();

test('a grant is listed on both sides, can be changed, and is gone when it is revoked', async () => {
  const { info, ann, annAddress } = await twoMailboxes();
  await shareMailbox(database, info, right(annAddress));
  await shareMailbox(database, info, { member: annAddress.toUpperCase(), access: 'write', sending: 'as' });
  const listed = await readSharing(database, info);
  assert.deepEqual(
    listed?.data.map(({ address, access, sending }) => [address, access, sending]),
    [[annAddress, 'write', 'as']],
  );
  const own = await readSharing(database, ann);
  assert.deepEqual(
    [own?.data, own?.shared_with_it.map(({ address }) => address)],
    [[], [await addressOf(info)]],
  );
  assert.equal(await unshareMailbox(database, info, annAddress), true);
  assert.equal(await unshareMailbox(database, info, annAddress), false);
  assert.deepEqual(await readMemberships(database, ann), []);
});

test('every change is in the audit log', async () => {
  const { projectId, info, annAddress } = await twoMailboxes();
  await shareMailbox(database, info, right(annAddress));
  await shareMailbox(database, info, right(annAddress, 'write'));
  await unshareMailbox(database, info, annAddress.toUpperCase());
  const entries = await database
    .selectFrom('auditLog')
    .select(['action', 'before', 'after'])
    .where('projectId', '=', projectId)
    .where('action', 'like', 'mailbox.%')
    .orderBy('id')
    .execute();
  assert.deepEqual(
    entries.map(({ action, before, after }) => [action, before, after]),
    [
      ['mailbox.share', null, { member: annAddress, access: 'read', sending: 'none' }],
      [
        'mailbox.share',
        { member: annAddress, access: 'read', sending: 'none' },
        { member: annAddress, access: 'write', sending: 'none' },
      ],
      ['mailbox.unshare', { member: annAddress, access: 'write', sending: 'none' }, null],
    ],
  );
});

test('a mailbox of another project can be neither a member nor shared', async () => {
  const { info, annAddress, projectId } = await twoMailboxes();
  const stranger = await newMailbox(database);
  await assert.rejects(
    shareMailbox(database, info, right(await addressOf(stranger))),
    faultOf(/of this project/),
  );
  await assert.rejects(
    shareMailbox(database, { projectId, mailboxId: stranger.mailboxId }, right(annAddress)),
    (error) => error instanceof AppError && error.code === 'not-found',
  );
  assert.equal(await readSharing(database, { projectId, mailboxId: stranger.mailboxId }), null);
});

test('a mailbox cannot be its own member, and a shared mailbox cannot be a member', async () => {
  const { info, ann, annAddress } = await twoMailboxes();
  await assert.rejects(shareMailbox(database, ann, right(annAddress)), faultOf(/not the mailbox itself/));
  await makeShared(ann.mailboxId);
  await assert.rejects(shareMailbox(database, info, right(annAddress)), faultOf(/no one can sign in/));
});

test('a shared mailbox never gets a password or an app password', async () => {
  const { info } = await twoMailboxes();
  await makeShared(info.mailboxId);
  await assert.rejects(setPassword(database, info, 'a long password'), faultOf(/no login of its own/));
  await assert.rejects(
    createAppPassword(database, info, { name: 'phone', access: 'read' }),
    faultOf(/no login/),
  );
  const byOlderCode = database
    .updateTable('mailboxes')
    .set({ passwordHash: '$argon2id$' })
    .where('id', '=', info.mailboxId)
    .execute();
  await assert.rejects(byOlderCode, /mailboxes_shared_has_no_password/);
});

/** Creates a user who signs in with the address. */
const newUser = (email: string) =>
  database.transaction().execute(async (tx) => {
    await assertNotShared(tx, email, null);
    await createUser(tx, { email, name: 'Info', passwordHash: null, isOperator: false });
  });

describe('the sign-in address of a user', () => {
  const spellings: [string, (info: MailboxKey) => Promise<string>][] = [
    ['the address in another spelling', async (info) => (await addressOf(info)).toUpperCase()],
    ['a tagged form', async (info) => (await addressOf(info)).replace('@', '+me@')],
    [
      'an alias',
      async (info) => {
        await newAlias(database, 'hello', [info]);
        return (await addressOf(info)).replace(/^[^@]*/, 'hello');
      },
    ],
  ];
  for (const [name, emailOf] of spellings)
    test(`is not shared if its mail is delivered here (${name})`, async () => {
      const { info, ann, annAddress } = await twoMailboxes();
      await newUser(await emailOf(info));
      // On a domain that is not verified, the response must not reveal whether the address is that of a user.
      const domains = database.updateTable('domains').where('projectId', '=', ann.projectId);
      await domains.set({ status: 'pending' }).execute();
      await shareMailbox(database, info, right(annAddress));
      await unshareMailbox(database, info, annAddress);
      await domains.set({ status: 'verified' }).execute();
      await assert.rejects(
        shareMailbox(database, info, right(annAddress)),
        faultOf(/sign-in address is never shared/),
      );
    });

  for (const [name, emailOf] of spellings)
    test(`cannot be that of a mailbox with members, nor of a shared mailbox (${name})`, async () => {
      const { info, annAddress } = await twoMailboxes();
      const email = await emailOf(info);
      await shareMailbox(database, info, right(annAddress));
      await assert.rejects(newUser(email), faultOf(/several people can open/));
      await unshareMailbox(database, info, annAddress);
      await makeShared(info.mailboxId);
      await assert.rejects(newUser(email), faultOf(/several people can open/));
    });

  test('cannot be invited if several people can open its mailbox, and is not shared while it is invited', async () => {
    const { info, ann, annAddress } = await twoMailboxes();
    const organizationId = await database.transaction().execute(ensureOrganization);
    const inviteInfo = async () =>
      invite(
        database,
        organizationId,
        { role: 'owner', isOperator: false, name: 'Ada' },
        { email: await addressOf(info), role: 'viewer', seesBodies: false },
        [],
        assertNotShared,
      );
    await shareMailbox(database, info, right(annAddress));
    await assert.rejects(inviteInfo(), faultOf(/several people can open/));
    await unshareMailbox(database, info, annAddress);
    await inviteInfo();
    await assert.rejects(shareMailbox(database, info, right(annAddress)), faultOf(/or is invited with it/));
    await shareMailbox(database, ann, right(await addressOf(info)));
  });

  test('is that of any organization, but neither an unverified user nor an invitation of another organization counts', async () => {
    const { info, annAddress } = await twoMailboxes();
    const email = await addressOf(info);
    const foreign = await database.transaction().execute((tx) => createOrganization(tx, 'Foreign'));
    const inviteInfo = () =>
      invite(
        database,
        foreign,
        { role: 'owner', isOperator: false, name: 'Eve' },
        { email, role: 'viewer', seesBodies: false },
        [],
        assertNotShared,
      );
    await inviteInfo();
    await database
      .transaction()
      .execute((tx) =>
        createUser(tx, { email, name: 'Eve', passwordHash: null, isOperator: false, verifiesBy: 'mail' }),
      );
    await shareMailbox(database, info, right(annAddress));
    // The response does not reveal that the mailbox has members.
    await inviteInfo();
    await unshareMailbox(database, info, annAddress);
    await database.updateTable('users').set({ verifiesBy: null }).where('email', '=', email).execute();
    await assert.rejects(shareMailbox(database, info, right(annAddress)), faultOf(/never shared/));
  });

  test('cannot become an alias of a mailbox with members', async () => {
    const { projectId, info, ann, annAddress } = await twoMailboxes();
    const [domain] = (await addressOf(info)).split('@').slice(1);
    const { domainId } = await database
      .selectFrom('mailboxes')
      .select('domainId')
      .where('id', '=', info.mailboxId)
      .executeTakeFirstOrThrow();
    await shareMailbox(database, info, right(annAddress));
    await newUser(`boss@${domain}`);
    const aliases = new Aliases({ database, hostedDomain: 'hosted.example' });
    const create = (...of: MailboxKey[]) =>
      aliases.create(projectId, {
        domain_id: encodeId('dom', domainId),
        local_part: 'boss',
        mailbox_ids: of.map(({ mailboxId }) => encodeId('mbx', mailboxId)),
      });
    await assert.rejects(create(info), faultOf(/several people can open/));
    const { id } = await create(ann);
    const changed = aliases.update(projectId, decodeId('als', id) ?? '', {
      mailbox_ids: [encodeId('mbx', info.mailboxId)],
    });
    await assert.rejects(changed, faultOf(/several people can open/));
  });

  test('and a grant at the same time: never both', async () => {
    for (let round = 0; round < 5; round++) {
      const { info, annAddress } = await twoMailboxes();
      const email = await addressOf(info);
      const both = await Promise.allSettled([
        shareMailbox(database, info, right(annAddress)),
        newUser(email),
      ]);
      assert.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    }
  });
});

test('two owners can share with each other at the same time', async () => {
  for (let round = 0; round < 5; round++) {
    const { info, ann, annAddress } = await twoMailboxes();
    const infoAddress = await addressOf(info);
    await Promise.all([
      shareMailbox(database, info, right(annAddress)),
      shareMailbox(database, ann, right(infoAddress)),
    ]);
  }
});

test('a mailbox with members receives no service mail', async () => {
  const { info, annAddress } = await twoMailboxes();
  await shareMailbox(database, info, right(annAddress));
  assert.equal(await admitServiceMail(database, info), false);
  await unshareMailbox(database, info, annAddress);
  // A request of the former member may still run.
  assert.equal(await admitServiceMail(database, info), false);
  await database
    .updateTable('mailboxes')
    .set({ unsharedAt: new Date(Date.now() - 2 * 60_000) })
    .where('id', '=', info.mailboxId)
    .execute();
  assert.equal(await admitServiceMail(database, info), true);
});

test('a mailbox with service mail is shared only when the links in the mail have expired', async () => {
  const { info, annAddress } = await twoMailboxes();
  assert.equal(await admitServiceMail(database, info), true);
  await assert.rejects(shareMailbox(database, info, right(annAddress)), faultOf(/links have expired/));
  const hours = (count: number) => new Date(Date.now() - count * 60 * 60_000);
  const receivedAt = (at: Date) =>
    database.updateTable('mailboxes').set({ serviceMailAt: at }).where('id', '=', info.mailboxId).execute();
  await receivedAt(hours(7 * 24 - 1));
  await assert.rejects(shareMailbox(database, info, right(annAddress)), faultOf(/links have expired/));
  await receivedAt(hours(7 * 24 + 1));
  await shareMailbox(database, info, right(annAddress));
});

test('service mail and a grant at the same time: never both', async () => {
  for (let round = 0; round < 5; round++) {
    const { info, annAddress } = await twoMailboxes();
    const [granted, admitted] = await Promise.allSettled([
      shareMailbox(database, info, right(annAddress)),
      admitServiceMail(database, info),
    ]);
    assert.ok(admitted.status === 'fulfilled');
    assert.equal(granted.status === 'fulfilled', !admitted.value);
  }
});

test('deleting a mailbox deletes its grants on both sides', async () => {
  const { info, ann, annAddress } = await twoMailboxes();
  await shareMailbox(database, info, right(annAddress));
  await database.deleteFrom('mailboxes').where('id', '=', info.mailboxId).execute();
  assert.deepEqual((await readSharing(database, ann))?.shared_with_it, []);
});

test('a mailbox that is shared while its member is deleted is known to have been shared', async () => {
  const { projectId, info, ann } = await twoMailboxes();
  const { deletion } = await database.transaction().execute(async (tx) => {
    // As in `shareMailbox`, which holds the lock when the deletion begins.
    await sql`select from mailboxes where id in (${info.mailboxId}, ${ann.mailboxId}) order by id for no key update`.execute(
      tx,
    );
    const deleting = new Mailboxes({ database, hostedDomain: HOSTED_DOMAIN }).delete(
      projectId,
      ann.mailboxId,
    );
    const isWaiting = await eventually(async () => {
      const { rows } = await sql`select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(database);
      return rows.length === 1;
    }, 5_000);
    assert.ok(isWaiting);
    const grant = { projectId, mailboxId: info.mailboxId, memberId: ann.mailboxId };
    await tx
      .insertInto('mailboxGrants')
      .values({ ...grant, access: 'read', sending: 'none', createdAt: new Date() })
      .execute();
    return { deletion: deleting };
  });
  assert.ok(await deletion);
  const { unsharedAt } = await database
    .selectFrom('mailboxes')
    .select('unsharedAt')
    .where('id', '=', info.mailboxId)
    .executeTakeFirstOrThrow();
  assert.notEqual(unsharedAt, null);
});

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newMailbox, newMessage } from '../../test/support/mail.ts';
import { type TestDatabase, testDatabase } from '../../test/support/postgres.ts';
import type { SaveContact } from '../contract/mail/contacts.ts';
import type { FolderRole } from '../model/folder-roles.ts';
import { newUuid } from '../model/ids.ts';
import { FLAG } from '../store/flags.ts';
import type { NamedAddress } from '../store/facts/message-facts.ts';
import type { MailboxKey } from '../store/lock-mailboxes.ts';
import { Store } from '../store/store.ts';
import { exportCards, importCards } from './contact-cards.ts';
import { rememberWritten } from './found-addresses.ts';
import { eraseFromContacts, forgetContact } from './forget.ts';
import { harvest } from './harvest.ts';
import { findContact, listContacts } from './list-contacts.ts';
import { saveContact } from './save-contact.ts';
import { findPeople } from './suggest.ts';

let db: TestDatabase;
let store: Store;
before(async () => {
  db = await testDatabase();
  store = new Store(db.database);
});
after(() => db[Symbol.asyncDispose]());

const AT_ONCE = { minAgeMs: -60_000, budgetMs: 60_000 };
const DAY_MS = 86_400_000;

interface Mail {
  folder?: FolderRole;
  daysAgo?: number;
  header?: string;
  flags?: number;
  times?: number;
}

function person(text: string): NamedAddress {
  const [, name = '', address = ''] = /^(.*?) ?<(.*)>$/.exec(text) ?? ['', '', text];
  return { name, address };
}

/** Adds messages from people, or to people in Sent. */
async function add(
  mailbox: MailboxKey,
  people: readonly string[],
  { folder = 'inbox', daysAgo = 0, header = '', flags = 0, times = 1 }: Mail = {},
): Promise<void> {
  const addresses =
    folder === 'sent' || folder === 'drafts' ? { to: people.map(person) } : { from: people.map(person) };
  for (let n = 0; n < times; n++)
    await store.append([
      newMessage(mailbox, {
        folder: { role: folder },
        flags,
        internalDate: new Date(Date.now() - daysAgo * DAY_MS),
        facts: { ...addresses, header },
      }),
    ]);
}

async function suggested(mailbox: MailboxKey, q = ''): Promise<string[]> {
  await harvest(db.database, mailbox, AT_ONCE);
  return (await findPeople(db.database, mailbox, q)).map(({ address }) => address);
}

async function listed(mailbox: MailboxKey, q = ''): Promise<string[]> {
  await harvest(db.database, mailbox, AT_ONCE);
  const { data } = await listContacts(db.database, mailbox, { q, at: 0, limit: 100 });
  return data.map(({ name, addresses }) => `${name ?? '-'}: ${addresses.join(' ')}`);
}

const contact = (fields: Partial<SaveContact>): SaveContact => ({
  name: 'Bo Svensson',
  note: '',
  addresses: ['bo@x.example'],
  merge: false,
  ...fields,
});
const save = (mailbox: MailboxKey, fields: Partial<SaveContact>, id: string | null = null) =>
  saveContact(db.database, mailbox, id, contact(fields));

describe('people found in mail', () => {
  const cases: [what: string, people: readonly string[], mail: Mail, expected: readonly string[]][] = [
    ['authors of received mail', ['Bo Svensson <bo@x.example>'], {}, ['Bo Svensson: bo@x.example']],
    [
      'recipients of sent mail',
      ['Bo <bo@x.example>', 'c@x.example'],
      { folder: 'sent' },
      ['Bo: bo@x.example', '-: c@x.example'],
    ],
    ['only the first author', ['a@x.example', 'b@x.example'], {}, ['-: a@x.example']],
    ['no authors of spam', ['bo@x.example'], { folder: 'junk' }, []],
    ['no authors of deleted mail', ['bo@x.example'], { folder: 'trash' }, []],
    ['no recipients of drafts', ['bo@x.example'], { folder: 'drafts', flags: FLAG.draft }, []],
    ['no mailing lists', ['bo@x.example'], { header: '\nlist-id: <dev.x.example>' }, []],
    ['no newsletters', ['bo@x.example'], { header: '\nlist-unsubscribe: <https://x.example/u>' }, []],
    ['no automatic replies', ['bo@x.example'], { header: '\nauto-submitted: auto-replied' }, []],
    [
      'authors whose mail says that it is not automatic',
      ['bo@x.example'],
      { header: '\nauto-submitted: no' },
      ['-: bo@x.example'],
    ],
    ['no addresses that no person reads', ['no-reply@x.example'], {}, []],
    ['no bounces', ['MAILER-DAEMON@x.example'], {}, []],
    ['no tagged bounce addresses', ['bounce+123=a@x.example'], {}, []],
    ['people whose names contain such a word', ['reply@x.example'], {}, ['-: reply@x.example']],
    ['no invalid addresses', ['bo', 'x@', '@x.example'], {}, []],
  ];
  for (const [what, people, mail, expected] of cases)
    test(`include ${what}`, async () => {
      const mailbox = await newMailbox(db.database);
      await add(mailbox, people, mail);
      assert.deepEqual(await listed(mailbox), expected);
    });

  test('exclude the own addresses of the mailbox', async () => {
    const mailbox = await newMailbox(db.database);
    const { domain } = await db.database
      .selectFrom('mailboxes')
      .select('domain')
      .where('projectId', '=', mailbox.projectId)
      .where('id', '=', mailbox.mailboxId)
      .executeTakeFirstOrThrow();
    await add(mailbox, [`Anna <anna@${domain}>`]);
    assert.deepEqual(await listed(mailbox), []);
  });

  test('count each message once, also when several processes read the mailbox at once', async () => {
    const mailbox = await newMailbox(db.database);
    await add(mailbox, ['bo@x.example'], { times: 7 });
    await Promise.all(Array.from({ length: 4 }, () => harvest(db.database, mailbox, AT_ONCE)));
    await harvest(db.database, mailbox, AT_ONCE);
    const row = await db.database
      .selectFrom('writtenAddresses')
      .select(['received', 'uses'])
      .where('mailboxId', '=', mailbox.mailboxId)
      .executeTakeFirstOrThrow();
    assert.deepEqual(row, { received: 7, uses: 0 });
  });

  test('are read in slices within a budget, and the next request continues', async () => {
    const mailbox = await newMailbox(db.database);
    const messages = Array.from({ length: 1_100 }, (_, n) =>
      newMessage(mailbox, { facts: { from: [person(`p${n}@x.example`)] } }),
    );
    await store.append(messages);
    const noBudget = { minAgeMs: -60_000, budgetMs: -1 };
    const ends = [];
    for (let n = 0; n < 4; n++) ends.push(await harvest(db.database, mailbox, noBudget));
    assert.deepEqual(ends, [false, false, true, true]);
    assert.equal((await listContacts(db.database, mailbox, { at: 0, limit: 10 })).total, 1_100);
  });

  test('keep the name that the owner used when a stranger uses another name', async () => {
    const mailbox = await newMailbox(db.database);
    await add(mailbox, ['Bo Svensson <bo@x.example>'], { folder: 'sent' });
    await add(mailbox, ['Your Bank <bo@x.example>']);
    assert.deepEqual(await listed(mailbox), ['Bo Svensson: bo@x.example']);
  });
});

describe('suggestions', () => {
  const cases: [
    what: string,
    q: string,
    mail: readonly [who: string, mail: Mail][],
    expected: readonly string[],
  ][] = [
    [
      'prefer people written to',
      '',
      [
        ['a@x.example', {}],
        ['b@x.example', { folder: 'sent' }],
      ],
      ['b@x.example', 'a@x.example'],
    ],
    [
      'prefer frequent people',
      '',
      [
        ['a@x.example', { folder: 'sent' }],
        ['b@x.example', { folder: 'sent', times: 3 }],
      ],
      ['b@x.example', 'a@x.example'],
    ],
    [
      'prefer recent people to people of last year',
      '',
      [
        ['a@x.example', { folder: 'sent', times: 3, daysAgo: 365 }],
        ['b@x.example', { folder: 'sent' }],
      ],
      ['b@x.example', 'a@x.example'],
    ],
    [
      'list a frequent author before a person written to once long ago',
      '',
      [
        ['a@x.example', { folder: 'sent', daysAgo: 300 }],
        ['b@x.example', { times: 12 }],
      ],
      ['b@x.example', 'a@x.example'],
    ],
    [
      'list names that begin with the query before later words of people who are as close',
      'sv',
      [
        ['Bo Svensson <bo@x.example>', {}],
        ['Svea Bo <c@x.example>', {}],
      ],
      ['c@x.example', 'bo@x.example'],
    ],
    [
      'list a close person by the last name before a stranger by the first name',
      'sv',
      [
        ['Bo Svensson <bo@x.example>', { folder: 'sent', times: 3 }],
        ['Svea Bo <c@x.example>', {}],
      ],
      ['bo@x.example', 'c@x.example'],
    ],
    [
      'list addresses that begin with the query before domains',
      'acme',
      [
        ['bo@acme.example', { folder: 'sent' }],
        ['acme@x.example', { times: 2 }],
      ],
      ['acme@x.example', 'bo@acme.example'],
    ],
    ['ignore accents and case', 'MULLER', [['Jörg Müller <jm@x.example>', {}]], ['jm@x.example']],
    ['find all words in any order', 'sven bo', [['Bo Svensson <bo@x.example>', {}]], ['bo@x.example']],
    ['do not find the middle of a word', 'vensson', [['Bo Svensson <bo@x.example>', {}]], []],
    ['take wildcards literally', '%', [['Bo Svensson <bo@x.example>', {}]], []],
  ];
  for (const [what, q, mail, expected] of cases)
    test(what, async () => {
      const mailbox = await newMailbox(db.database);
      for (const [who, how] of mail) await add(mailbox, [who], how);
      assert.deepEqual(await suggested(mailbox, q), expected);
    });

  test('use the name of the saved contact, and list people of the directory after contacts', async () => {
    const mailbox = await newMailbox(db.database);
    await db.database
      .updateTable('projects')
      .set({ mailDirectory: true })
      .where('id', '=', mailbox.projectId)
      .execute();
    for (const [name, email] of [
      ['Bo Directory', 'bo@dir.example'],
      ['Bo Double', 'bo@x.example'],
    ] as const)
      await db.database
        .insertInto('people')
        .values({
          projectId: mailbox.projectId,
          id: newUuid(),
          name,
          email,
          emailKey: email,
          title: null,
          organization: null,
          notes: null,
          mailboxId: null,
          createdAt: new Date(),
        })
        .execute();
    await add(mailbox, ['Someone <bo@x.example>']);
    await save(mailbox, { name: 'Bo Saved', addresses: ['bo@x.example', 'bo@home.example'] });
    await harvest(db.database, mailbox, AT_ONCE);
    assert.deepEqual(
      (await findPeople(db.database, mailbox, 'bo')).map(({ name, source, address }) => [
        name,
        source,
        address,
      ]),
      [
        ['Bo Saved', 'contact', 'bo@x.example'],
        ['Bo Saved', 'contact', 'bo@home.example'],
        ['Bo Directory', 'directory', 'bo@dir.example'],
      ],
    );
    assert.deepEqual(await listed(mailbox, 'bo'), [
      'Bo Directory: bo@dir.example',
      'Bo Saved: bo@x.example bo@home.example',
    ]);
  });
});

describe('contacts', () => {
  test('can have several addresses, which are listed as one person', async () => {
    const mailbox = await newMailbox(db.database);
    await add(mailbox, ['Bo <bo@x.example>']);
    const id = await save(mailbox, { note: 'met in Rome', addresses: ['Bo@x.example', 'bo@y.example'] });
    assert.deepEqual(await listed(mailbox), ['Bo Svensson: Bo@x.example bo@y.example']);
    assert.deepEqual(await listed(mailbox, 'y.ex'), ['Bo Svensson: Bo@x.example bo@y.example']);
    await save(mailbox, { name: null, addresses: ['bo@y.example'] }, id);
    assert.deepEqual(await listed(mailbox), ['Bo: bo@x.example', '-: bo@y.example']);
  });

  test('with the same address are rejected, or merged on request', async () => {
    const mailbox = await newMailbox(db.database);
    await save(mailbox, { name: 'B. S.', addresses: ['b@x.example'] });
    await assert.rejects(save(mailbox, { addresses: ['bo@x.example', 'b@x.example'] }), {
      code: 'already-exists',
    });
    await save(mailbox, { addresses: ['bo@x.example', 'b@x.example'], merge: true });
    assert.deepEqual(await listed(mailbox), ['Bo Svensson: bo@x.example b@x.example']);
  });

  test('belong to one mailbox', async () => {
    const [mailbox, other] = [await newMailbox(db.database), await newMailbox(db.database)];
    const id = await save(mailbox, {});
    await assert.rejects(save(other, {}, id), { code: 'not-found' });
    await assert.rejects(findContact(db.database, other, 'bo@x.example'), { code: 'not-found' });
    await forgetContact(db.database, other, 'bo@x.example');
    assert.deepEqual(await listed(mailbox), ['Bo Svensson: bo@x.example']);
    assert.equal((await findContact(db.database, mailbox, 'BO@x.example')).name, 'Bo Svensson');
  });

  test('with an invalid address are rejected', async () => {
    const mailbox = await newMailbox(db.database);
    await assert.rejects(save(mailbox, { addresses: ['bo'] }), { code: 'validation-failed' });
  });
});

describe('a forgotten person', () => {
  test('does not come back with received mail, but when the mailbox writes to the address', async () => {
    const mailbox = await newMailbox(db.database);
    await add(mailbox, ['bo@x.example'], { folder: 'sent', daysAgo: 1 });
    assert.deepEqual(await suggested(mailbox), ['bo@x.example']);
    await forgetContact(db.database, mailbox, 'Bo@x.example');
    await add(mailbox, ['bo@x.example']);
    assert.deepEqual(await suggested(mailbox), []);
    await db.database
      .transaction()
      .execute((tx) => rememberWritten(tx, mailbox, [{ address: 'bo@x.example', displayName: 'Bo' }]));
    assert.deepEqual(await suggested(mailbox), ['bo@x.example']);
    await add(mailbox, ['bo@x.example']);
    assert.deepEqual(await suggested(mailbox), ['bo@x.example']);
  });

  test('does not come back with mail that was sent before, only with mail that an app sends later', async () => {
    const mailbox = await newMailbox(db.database);
    await add(mailbox, ['bo@x.example'], { folder: 'sent', daysAgo: 1 });
    await forgetContact(db.database, mailbox, 'bo@x.example');
    assert.deepEqual(await suggested(mailbox), []);
    await add(mailbox, ['bo@x.example'], { folder: 'sent', daysAgo: -1 });
    assert.deepEqual(await suggested(mailbox), ['bo@x.example']);
  });

  test('loses all addresses and the note of the contact, and only a digest stays', async () => {
    const mailbox = await newMailbox(db.database);
    await save(mailbox, { note: 'thora-secret', addresses: ['thora@x.example', 'thora@y.example'] });
    await forgetContact(db.database, mailbox, 'thora@y.example');
    assert.deepEqual(await listed(mailbox), []);
    for (const table of ['contacts', 'contactAddresses', 'writtenAddresses', 'forgottenAddresses'] as const) {
      const rows = await db.database
        .selectFrom(table)
        .selectAll()
        .where('mailboxId', '=', mailbox.mailboxId)
        .execute();
      assert.doesNotMatch(JSON.stringify(rows), /thora/i);
    }
  });

  test('whom a project erases is forgotten in all its mailboxes', async () => {
    const mailbox = await newMailbox(db.database);
    const elsewhere = await newMailbox(db.database);
    for (const each of [mailbox, elsewhere]) {
      await add(each, ['bo@x.example']);
      await save(each, { addresses: ['bo@x.example', 'kept@x.example'] });
      await harvest(db.database, each, AT_ONCE);
    }
    await db.database.transaction().execute((tx) => eraseFromContacts(tx, mailbox.projectId, 'BO@x.example'));
    await add(mailbox, ['bo@x.example']);
    assert.deepEqual(await listed(mailbox), ['Bo Svensson: kept@x.example']);
    assert.deepEqual(await listed(elsewhere), ['Bo Svensson: bo@x.example kept@x.example']);
  });
});

describe('files of contacts', () => {
  test('are imported into another mailbox unchanged', async () => {
    const [mailbox, other] = [await newMailbox(db.database), await newMailbox(db.database)];
    await add(mailbox, ['Zoë <zoe@x.example>']);
    await save(mailbox, { note: 'line 1\nline 2; with, marks', addresses: ['bo@x.example', 'bo@y.example'] });
    const before = await listed(mailbox);
    const cards = await exportCards(db.database, mailbox);
    assert.deepEqual(await importCards(db.database, other, cards), { imported: 2, skipped: 0 });
    assert.deepEqual(await listed(other), before);
    assert.equal((await findContact(db.database, other, 'bo@x.example')).note, 'line 1\nline 2; with, marks');
  });

  test('complete saved contacts, and skip cards without an address', async () => {
    const mailbox = await newMailbox(db.database);
    await save(mailbox, { note: 'mine' });
    const cards = [
      'BEGIN:VCARD\nFN:Other\nNOTE:theirs\nEMAIL:bo@x.example\nEMAIL:new@x.example\nEND:VCARD',
      'BEGIN:VCARD\nFN:No address\nEND:VCARD',
    ].join('\n');
    assert.deepEqual(await importCards(db.database, mailbox, cards), { imported: 1, skipped: 1 });
    const { name, note, addresses } = await findContact(db.database, mailbox, 'new@x.example');
    assert.deepEqual([name, note, addresses], ['Bo Svensson', 'mine', ['bo@x.example', 'new@x.example']]);
  });
});

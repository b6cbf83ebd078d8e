import assert from 'node:assert/strict';
import { createSecretKey } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../test/support/any-text.ts';
import { DAY_MS } from '../model/day.ts';
import { firstUuidAt, newUuid, timeOf } from '../model/ids.ts';
import { ReturnPaths, WHOLE_EMAIL } from './return-path.ts';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const paths = new ReturnPaths(createSecretKey(Buffer.alloc(32, 1)));
const others = new ReturnPaths(createSecretKey(Buffer.alloc(32, 2)));

const uuids = fc
  .tuple(
    fc.stringMatching(/^[0-9a-f]{8}$/),
    fc.stringMatching(/^[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
  )
  .map(([head, tail]) => `${head}-${tail}`);
const rows = fc.record(
  { projectId: uuids, emailId: uuids, recipientIndex: fc.nat(63) },
  { noNullPrototype: true },
);
const domains = fc.domain().map((domain) => `send.${domain.toLowerCase()}`);

const newRow = () => ({ projectId: newUuid(), emailId: newUuid(), recipientIndex: 49 });
const at = (emailId: string) => timeOf(emailId).getTime();

test('a return path has at most 64 octets and decodes to its recipient', () => {
  fc.assert(
    fc.property(rows, domains, (row, domain) => {
      const address = paths.mint(row, domain);
      assert.match(address, /^b\+[0-9a-hjkmnp-tv-z]{62}@/);
      assert.deepEqual(paths.verify(address, at(row.emailId)), row);
    }),
  );
});

test('return paths are case-insensitive', () => {
  const row = newRow();
  const address = paths.mint(row, 'Send.Acme.Example');
  assert.deepEqual(paths.verify(address.toUpperCase()), row);
  assert.equal(address, address.toLowerCase());
});

test('the same recipient has the same return path at every attempt', () => {
  const row = newRow();
  assert.equal(paths.mint(row, 'send.acme.example'), paths.mint({ ...row }, 'SEND.acme.example'));
});

test('a return path with any one character changed is invalid', () => {
  const row = newRow();
  const address = paths.mint(row, 'send.acme.example');
  for (let index = 0; index < address.length; index++) {
    for (const character of `${ALPHABET}@.+-ilouK ſ\u212a\0`) {
      if (character.toLowerCase() === address[index]?.toLowerCase() && character.charCodeAt(0) < 128)
        continue;
      const changed = address.slice(0, index) + character + address.slice(index + 1);
      assert.equal(paths.verify(changed), null, changed);
    }
  }
});

test('a return path that is cut, extended or doubled is invalid', () => {
  const address = paths.mint(newRow(), 'send.acme.example');
  for (let length = 0; length < address.length; length++)
    assert.equal(paths.verify(address.slice(0, length)), null);
  for (const text of [
    `${address}.`,
    ` ${address}`,
    `${address}\n`,
    `<${address}>`,
    `x${address}`,
    `${address}@x.test`,
  ])
    assert.equal(paths.verify(text), null, text);
});

test('a return path is valid only for its domain and key', () => {
  const row = newRow();
  const address = paths.mint(row, 'send.acme.example');
  assert.equal(paths.verify(address.replace('acme', 'evil')), null);
  assert.equal(others.verify(address), null);
  assert.equal(paths.verify(others.mint(row, 'send.acme.example')), null);
});

test('a return path is valid for 30 days after the email was created, and not before that time', () => {
  const row = {
    projectId: newUuid(),
    emailId: firstUuidAt(new Date('2026-01-01T00:00:00Z')),
    recipientIndex: 0,
  };
  const address = paths.mint(row, 'send.acme.example');
  const madeMs = at(row.emailId);
  assert.deepEqual(paths.verify(address, madeMs + 30 * DAY_MS), row);
  assert.equal(paths.verify(address, madeMs + 30 * DAY_MS + 1), null);
  assert.deepEqual(paths.verify(address, madeMs - 60_000), row);
  assert.equal(paths.verify(address, madeMs - DAY_MS), null);
});

test('a mailbox has one return path per day, which is not valid as a return path of an email', () => {
  const key = fc.record({ projectId: uuids, mailboxId: uuids }, { noNullPrototype: true });
  const days = fc.date({ min: new Date('2026-01-01'), max: new Date('2199-01-01'), noInvalidDate: true });
  fc.assert(
    fc.property(key, days, domains, (mailbox, sentAt, domain) => {
      const address = paths.mintForMailbox(mailbox, sentAt, domain);
      assert.match(address, /^m\+[0-9a-hjkmnp-tv-z]{62}@/);
      assert.deepEqual(paths.verifyMailbox(address.toUpperCase(), sentAt.getTime()), mailbox);
      assert.equal(others.verifyMailbox(address, sentAt.getTime()), null);
      for (const other of [address.replace('m+', 'b+'), address.replace('m+', 'r+')]) {
        assert.equal(paths.verify(other, sentAt.getTime()), null);
        assert.equal(paths.verifyReference(other, sentAt.getTime()), null);
      }
    }),
  );
  const email = paths.mint(newRow(), 'send.acme.example');
  assert.equal(paths.verifyMailbox(email), null);
  assert.equal(paths.verifyMailbox(email.replace('b+', 'm+')), null);
});

test('a return path of a mailbox with any one character changed is invalid', () => {
  const mailbox = { projectId: newUuid(), mailboxId: newUuid() };
  const address = paths.mintForMailbox(mailbox, new Date(), 'send.acme.example');
  for (let index = 0; index < address.length; index++)
    for (const character of `${ALPHABET}@.+`)
      if (character !== address[index]) {
        const changed = address.slice(0, index) + character + address.slice(index + 1);
        assert.equal(paths.verifyMailbox(changed), null, changed);
      }
});

test('a return path of a mailbox is valid for 30 days', () => {
  const mailbox = { projectId: newUuid(), mailboxId: newUuid() };
  const sentAt = new Date('2026-11-22T12:00:00Z');
  const address = paths.mintForMailbox(mailbox, sentAt, 'send.acme.example');
  const good = Array.from({ length: 400 }, (_, day) => day - 70).filter(
    (day) => paths.verifyMailbox(address, sentAt.getTime() + day * DAY_MS) !== null,
  );
  assert.deepEqual(
    good,
    Array.from({ length: 31 }, (_, day) => day),
  );
  // The clock of the machine that sent the message was an hour ahead, so its day was already the next day.
  const midnight = new Date('2026-11-23T00:00:00Z');
  const ahead = paths.mintForMailbox(mailbox, midnight, 'send.acme.example');
  assert.deepEqual(paths.verifyMailbox(ahead, midnight.getTime() - 59 * 60_000), mailbox);
});

test('arbitrary strings are invalid and never cause an exception', () => {
  const noise = fc.oneof(
    anyText({ maxLength: 200 }),
    fc.stringMatching(/^[bcm]\+[0-9a-z]{0,64}@[a-z.]{0,20}$/),
  );
  fc.assert(
    fc.property(noise, (text) => {
      assert.equal(paths.verify(text), null);
      assert.equal(paths.verifyMailbox(text), null);
      assert.equal(paths.isComplaintAddress(text), false);
    }),
  );
});

test('minting a return path throws for IDs and numbers that do not fit', () => {
  const row = newRow();
  for (const wrong of [
    { ...row, recipientIndex: 64 },
    { ...row, recipientIndex: -1 },
    { ...row, recipientIndex: Number.NaN },
    { ...row, projectId: '00000000-0000-0000-0000-000000000000' },
    { ...row, emailId: '0190b2f6-1111-4222-8333-444455556666' },
  ])
    assert.throws(() => paths.mint(wrong, 'send.acme.example'));
});

test('a reference identifies the whole email, and is not a return path', () => {
  const { projectId, emailId } = newRow();
  const reference = paths.mintReference({ projectId, emailId }, 'send.acme.example');
  assert.deepEqual(paths.verifyReference(reference), { projectId, emailId, recipientIndex: WHOLE_EMAIL });
  assert.equal(paths.verify(reference), null);
  assert.equal(paths.verify(reference.replace('r+', 'b+')), null);
  assert.equal(
    paths.verifyReference(paths.mint({ projectId, emailId, recipientIndex: 0 }, 'send.acme.example')),
    null,
  );
});

test('a complaint address is valid only for its domain and key, and is not a return path', () => {
  const address = paths.complaintAddress('send.Acme.example');
  assert.match(address, /^c\+[0-9a-hjkmnp-tv-z]{12}@send\.acme\.example$/);
  assert.equal(paths.isComplaintAddress(address.toUpperCase()), true);
  assert.equal(paths.isComplaintAddress(address.replace('acme', 'evil')), false);
  assert.equal(others.isComplaintAddress(address), false);
  assert.equal(paths.verify(address), null);
  assert.equal(paths.isComplaintAddress(paths.mint(newRow(), 'send.acme.example')), false);
  for (let index = 2; index < 14; index++) {
    const other = address[index] === '0' ? '1' : '0';
    assert.equal(paths.isComplaintAddress(address.slice(0, index) + other + address.slice(index + 1)), false);
  }
});

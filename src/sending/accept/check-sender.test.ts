import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { testDatabase } from '../../../test/support/postgres.ts';
import { type SendingDomain, SendingDomains } from '../../domains/sending-domains.ts';
import { HostedAddresses } from '../../mailboxes/hosted-addresses.ts';
import { AppError } from '../../model/app-error.ts';
import { newUuid } from '../../model/ids.ts';
import type { MaybePromise } from '../../model/maybe-promise.ts';
import { parseMailbox } from '../../rfc/address/index.ts';
import { checkSender } from './check-sender.ts';

const HOSTED = 'mail.example.com';
const db = await testDatabase();
after(() => db[Symbol.asyncDispose]());

const rules = {
  sendingDomains: new SendingDomains(db.database, HOSTED),
  hostedAddresses: new HostedAddresses(db.database, HOSTED),
};
const projectId = newUuid();

function check(address: string): MaybePromise<SendingDomain> {
  const from = parseMailbox(address);
  assert.ok(!('error' in from));
  return checkSender(rules, projectId, from);
}

function refusal(code: string) {
  return (error: unknown) =>
    error instanceof AppError && error.code === code && 'from' in (error.errors ?? {});
}

test('an address of the hosted domain that was asked about a moment ago is checked at once', async () => {
  await check(`hello@${HOSTED}`);
  assert.ok(!(check(`Hello+tag@${HOSTED}`) instanceof Promise));
});

test("the operator's addresses of the hosted domain are refused at once", () => {
  assert.throws(() => check(`postmaster@${HOSTED}`), refusal('validation-failed'));
});

test('a domain that is not verified in the project is refused', async () => {
  await assert.rejects(async () => check('a@unknown.example'), refusal('domain-not-verified'));
});

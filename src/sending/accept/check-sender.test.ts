import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { testDatabase } from '../../../test/support/postgres.ts';
import { newDomain, newProject } from '../../../test/support/projects.ts';
import { HOSTED_PROJECT_ID } from '../../domains/hosted.ts';
import { type SendingDomain, SendingDomains } from '../../domains/sending-domains.ts';
import { HostedAddresses } from '../../mailboxes/hosted-addresses.ts';
import { recordSender, ReservedAddresses } from '../../mailboxes/reserved-addresses.ts';
import { Mailboxes } from '../../mailboxes/mailboxes.ts';
import { AppError } from '../../model/app-error.ts';
import { encodeId, newUuid } from '../../model/ids.ts';
import type { MaybePromise } from '../../model/maybe-promise.ts';
import { parseMailbox } from '../../rfc/address/index.ts';
import { checkSender, type SenderRules } from './check-sender.ts';

const HOSTED = 'mail.example.com';
const db = await testDatabase();
after(() => db[Symbol.asyncDispose]());

function newRules(): SenderRules {
  return {
    sendingDomains: new SendingDomains(db.database, HOSTED),
    hostedAddresses: new HostedAddresses(db.database, HOSTED),
    reservedAddresses: new ReservedAddresses(db.database, HOSTED),
  };
}

const RULES = newRules();
const projectId = newUuid();

function check(address: string, rules = RULES): MaybePromise<SendingDomain> {
  const from = parseMailbox(address);
  assert.ok(!('error' in from));
  return checkSender(rules, projectId, from);
}

function refusal(code: string) {
  return (error: unknown) =>
    error instanceof AppError && error.code === code && 'from' in (error.errors ?? {});
}

test('a cached address of the hosted domain is checked synchronously', async () => {
  await check(`hello@${HOSTED}`);
  assert.ok(!(check(`Hello+tag@${HOSTED}`) instanceof Promise));
});

test('the error for a rejected sender suggests an address that is accepted', async () => {
  const named = async (address: string): Promise<string> => {
    // New rules, because the rules of earlier checks have cached addresses.
    const rules = newRules();
    const refused = await (async () => check(address, rules))().then(
      () => null,
      (error: unknown) => error,
    );
    assert.ok(refused instanceof AppError, `${address} is accepted`);
    const [, works = ''] = /(?:or send from|such as) (\S+@\S+)$/.exec(refused.errors?.['from'] ?? '') ?? [];
    assert.equal((await check(works, rules)).isHosted, true);
    return works;
  };
  const hostedId = await newDomain(db.database, HOSTED_PROJECT_ID, HOSTED, { status: 'verified' });
  const takeMailbox = async (localPart: string) =>
    new Mailboxes({ database: db.database, hostedDomain: HOSTED }).create(await newProject(db.database), {
      domain_id: encodeId('dom', hostedId),
      local_part: localPart,
      quota_mb: 1,
    });
  // The local part `abuse` is reserved for the operator.
  await takeMailbox('ada');
  assert.equal(await named('bob@unknown.example'), `bob@${HOSTED}`);
  assert.equal(await named('ada@unknown.example'), `hello@${HOSTED}`);
  assert.equal(await named('abuse@unknown.example'), `hello@${HOSTED}`);
  await takeMailbox('hello');
  const own = await named('ada@unknown.example');
  assert.match(own, new RegExp(`^hello-\\w{8}@${HOSTED}$`));
  assert.deepEqual([await named(`abuse@${HOSTED}`), await named(`ada@${HOSTED}`)], [own, own]);
});

test('addresses of the operator at the hosted domain are rejected synchronously', () => {
  assert.throws(() => check(`postmaster@${HOSTED}`), refusal('validation-failed'));
});

test('a sender of service mail is rejected on every domain in every spelling, and other addresses of the domain are accepted', async () => {
  const owner = await newProject(db.database);
  await newDomain(db.database, owner, 'xn--bcher-kva.example', { status: 'verified' });
  for (const sender of ['hello@b\u00fccher.example', `noreply@${HOSTED}`]) {
    const rules = newRules();
    const send = async (address: string) => {
      const from = parseMailbox(address);
      assert.ok(!('error' in from));
      return checkSender(rules, owner, from);
    };
    const spellings = [
      sender,
      sender.toUpperCase(),
      sender.replace('@', '+x@'),
      sender.replace(/^(.*)@/, '"$1"@'),
    ];
    for (const address of spellings) assert.equal((await send(address)).allowed, true, address);
    const parsed = parseMailbox(sender);
    assert.ok(!('error' in parsed));
    await recordSender(db.database, parsed);
    Object.assign(rules, newRules());
    for (const address of spellings)
      await assert.rejects(send(address), refusal('validation-failed'), address);
    assert.equal((await send(`other@${parsed.domain}`)).allowed, true);
  }
});

test('a domain that is not verified in the project is rejected', async () => {
  await assert.rejects(async () => check('a@unknown.example'), refusal('domain-not-verified'));
});

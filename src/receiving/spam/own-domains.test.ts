import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { newDomain, newProject } from '../../../test/support/projects.ts';
import { noteVerified } from '../../domains/first-verified.ts';
import { changeDomainMail } from '../../domains/mx/change-mail.ts';
import type { Arrival, Authentication } from '../authenticate/authentication.ts';
import { OwnDomains } from './own-domains.ts';
import { checkSenders } from './senders.ts';
import { GENUINE } from './spam-mail.fixture.ts';

let db: TestDatabase;
let own: OwnDomains;
before(async () => {
  db = await testDatabase();
  own = new OwnDomains(db.database, false);
  const projectId = await newProject(db.database);
  await newDomain(db.database, projectId, 'acme.example', { status: 'verified', verifiedAt: new Date() });
  await newDomain(db.database, projectId, 'pending.example');
  const left = await newDomain(db.database, projectId, 'left.example', { status: 'failed' });
  await noteVerified(db.database, { projectId, id: left }, new Date());
  await changeDomainMail(db.database, projectId, 'acme.example', { sendsElsewhere: ['192.0.2.0/28'] });
});
after(() => db[Symbol.asyncDispose]());

type Client = Pick<Arrival, 'address' | 'isOwn' | 'isRelayed'>;

const FROM_OUTSIDE: Client = { address: '198.51.100.7' };
const UNPROVEN: Authentication = {
  ...GENUINE,
  spf: { result: 'pass', domain: 'elsewhere.example' },
  dkim: [],
  dmarc: { result: 'none', domain: 'acme.example', published: 'none' },
};

const CASES: [
  name: string,
  author: string,
  authentication: Authentication,
  client: Client,
  found: boolean,
][] = [
  ['an author of our domain whom nothing proves', 'boss@acme.example', UNPROVEN, FROM_OUTSIDE, true],
  ['an author of a subdomain whom nothing proves', 'boss@news.acme.example', UNPROVEN, FROM_OUTSIDE, true],
  ['an author of another domain', 'boss@other.example', UNPROVEN, FROM_OUTSIDE, false],
  ['an author of a domain that is not verified', 'boss@pending.example', UNPROVEN, FROM_OUTSIDE, false],
  ['an author of a domain that left', 'boss@left.example', UNPROVEN, FROM_OUTSIDE, false],
  [
    'an author whom SPF proves',
    'boss@acme.example',
    { ...UNPROVEN, spf: { result: 'pass', domain: 'acme.example' } },
    FROM_OUTSIDE,
    false,
  ],
  [
    'a message that a trusted forwarder found genuine',
    'boss@acme.example',
    { ...UNPROVEN, arc: { result: 'pass', sealers: ['lists.example'] } },
    FROM_OUTSIDE,
    false,
  ],
  [
    'a message whose domain publishes a policy, which decides instead',
    'boss@acme.example',
    { ...UNPROVEN, dmarc: { result: 'fail', domain: 'acme.example', published: 'none' } },
    FROM_OUTSIDE,
    false,
  ],
  [
    'a message through a trusted relay',
    'boss@acme.example',
    UNPROVEN,
    { ...FROM_OUTSIDE, isRelayed: true },
    false,
  ],
  ['a message of this installation', 'boss@acme.example', UNPROVEN, { ...FROM_OUTSIDE, isOwn: true }, false],
  ['a message from a listed network', 'boss@acme.example', UNPROVEN, { address: '192.0.2.9' }, false],
];

for (const [name, author, authentication, client, found] of CASES)
  test(`${found ? 'there are points for' : 'there are no points for'} ${name}`, async () => {
    const senders = checkSenders({ author, list: '' }, authentication);
    const rules = (await own.reasonsFor(client, senders, authentication)).map(({ rule }) => rule);
    assert.deepEqual(rules, found ? ['OWN_DOMAIN_UNPROVEN'] : []);
  });

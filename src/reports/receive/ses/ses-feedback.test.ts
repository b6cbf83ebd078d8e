import assert from 'node:assert/strict';
import { createSecretKey, generateKeyPairSync } from 'node:crypto';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { pino } from 'pino';
import { runs } from '../../../../test/support/property-runs.ts';
import { newEmail, PROJECT } from '../../../../test/support/emails.ts';
import { newEvent } from '../../../../test/support/events.ts';
import { newMailbox } from '../../../../test/support/mail.ts';
import { type TestDatabase, testDatabase } from '../../../../test/support/postgres.ts';
import {
  bounceEvent,
  complaintEvent,
  delayEvent,
  deliveryEvent,
  otherEvents,
  rejectEvent,
} from '../../../../test/support/ses-events.ts';
import { type SesServer, startSesServer } from '../../../../test/support/ses-server.ts';
import { newSubmission, recipientOf } from '../../../../test/support/submissions.ts';
import { type SnsBody, type SnsTopic, snsTopic } from '../../../../test/support/sns-topic.ts';
import { expiredSnsCertificate, testCertificate } from '../../../../test/support/tls/certificate.ts';
import { openDatabase } from '../../../db/database.ts';
import { newUuid } from '../../../model/ids.ts';
import { GuardedClient } from '../../../net/guarded-client.ts';
import { insertEmails } from '../../../sending/accept/insert-emails.ts';
import { returnTags } from '../../../sending/deliver/ses/return-tag.ts';
import { recordEvents } from '../../../sending/events/record-events.ts';
import { getEmail } from '../../../sending/read/get-email.ts';
import { insertSubmissions, type NewSubmission } from '../../../sending/submit/insert-submissions.ts';
import { ReturnPaths } from '../../return-path.ts';
import { Suppressions } from '../../../sending/suppress/suppressions.ts';
import { SesFeedback, type SesFeedbackOptions } from './ses-feedback.ts';

const DOMAIN = 'send.posthorn.localhost';
const returnPaths = new ReturnPaths(createSecretKey(Buffer.alloc(32, 1)));
const client = new GuardedClient({ allowLoopback: true, maxConnectionsPerOrigin: 1 });

let db: TestDatabase;
let server: SesServer;
let topic: SnsTopic;
let feedback: SesFeedback;
let wakes = 0;
before(async () => {
  db = await testDatabase();
});
after(async () => {
  await client[Symbol.asyncDispose]();
  await db[Symbol.asyncDispose]();
});
beforeEach(async () => {
  server = await startSesServer();
  topic = server.topic;
  feedback = feedbackWith();
  wakes = 0;
  await db.database.deleteFrom('suppressions').execute();
});
afterEach(() => server[Symbol.asyncDispose]());

function feedbackWith(options: Partial<SesFeedbackOptions> = {}): SesFeedback {
  return new SesFeedback({
    database: db.database,
    returnPaths,
    topicArn: topic.arn,
    endpoint: server.origin,
    client,
    logger: pino({ level: 'silent' }),
    onEvents: () => {
      wakes += 1;
    },
    ...options,
  });
}

const tagsOf = (mailFrom: string, id: string) =>
  Object.fromEntries(returnTags(mailFrom, id).map(({ Name, Value }) => [Name, Value]));

/** Stores an email to two recipients, and returns SES's data about the message to the first. */
async function sent(recipients = ['b@dst.test', 'c@dst.test']) {
  const email = newEmail({ to: recipients, recipients });
  await insertEmails(db.database, [email]);
  const { emailId } = email;
  const event = newEvent('sent', null, null);
  await db.database
    .transaction()
    .execute((tx) => recordEvents(tx, [{ projectId: PROJECT, emailId, events: [event] }]));
  const path = returnPaths.mint({ projectId: PROJECT, emailId, recipientIndex: 0 }, DOMAIN);
  const reference = returnPaths.mintReference({ projectId: PROJECT, emailId }, DOMAIN);
  return {
    emailId,
    message: {
      messageId: '0107-1',
      rcptTo: recipients.slice(0, 1),
      tags: tagsOf(path, emailId),
      data: Buffer.from(`X-Posthorn-Return: ${reference}\r\nSubject: Hello\r\n\r\nHi\r\n`),
    },
  };
}

const receive = (body: SnsBody | string, by = feedback) =>
  by.receive(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)));

async function timeline(emailId: string) {
  const detail = await getEmail(db.database, PROJECT, emailId);
  assert.ok(detail);
  return { types: detail.events.map(({ type }) => type), last: detail.events.at(-1) };
}

const UNTOUCHED = ['queued', 'sent'];
const refused = { code: 'bad-request' };

describe('an event', () => {
  const cases: [
    name: string,
    event: typeof deliveryEvent,
    type: string,
    detail: object,
    suppressed: string[],
  ][] = [
    [
      'of a delivery',
      deliveryEvent,
      'delivered',
      {
        recipient: 'b@dst.test',
        remote_mta: '192.0.2.44',
        smtp_code: 250,
        response: '250 2.6.0 Message received',
      },
      [],
    ],
    [
      'of a bounce',
      bounceEvent,
      'bounced',
      { type: 'hard', category: 'unknown_user', smtp_code: 550, suppressed: true, source: 'dsn' },
      ['bounce'],
    ],
    ['of a complaint', complaintEvent, 'complained', { feedback_type: 'abuse' }, ['complaint']],
    ['of a delay', delayEvent, 'deferred', { smtp_code: 421, enhanced_code: '4.4.1' }, []],
    ['of a rejection', rejectEvent, 'failed', { reason: 'rejected', detail: 'Bad content' }, []],
  ];
  for (const [name, event, type, detail, suppressed] of cases) {
    test(`${name} is on the timeline once, even if the event is repeated`, async () => {
      const { emailId, message } = await sent();
      const body = topic.notification(event(message));
      await receive(body);
      await Promise.all([receive(body), receive(topic.notification(event(message)))]);
      const { types, last } = await timeline(emailId);
      assert.deepEqual(types, [...UNTOUCHED, type]);
      assert.equal(last?.recipient, 'b@dst.test');
      assert.partialDeepStrictEqual(last?.detail, detail);
      const { data } = await new Suppressions(db.database).list(PROJECT, { limit: 10 });
      assert.deepEqual(
        data.map(({ reason }) => reason),
        suppressed,
      );
      assert.equal(wakes, 1);
    });
  }

  test('with a signature of version 1 or 2 is accepted', async () => {
    for (const SignatureVersion of ['1', '2']) {
      const { emailId, message } = await sent();
      await receive(
        topic.notification(deliveryEvent(message), { fields: { SignatureVersion, Subject: 'Hi' } }),
      );
      assert.deepEqual((await timeline(emailId)).types, [...UNTOUCHED, 'delivered']);
    }
  });

  test('of a soft bounce does not suppress the address, whatever its code', async () => {
    const { emailId, message } = await sent();
    const fields = { type: 'Transient', subType: 'General' };
    await receive(topic.notification(bounceEvent(message, fields)));
    assert.partialDeepStrictEqual((await timeline(emailId)).last?.detail, {
      type: 'soft',
      suppressed: false,
    });
    assert.equal(await new Suppressions(db.database).find(PROJECT, 'b@dst.test'), null);
  });

  test("about the account's suppression list does not suppress the address in the project", async () => {
    const { emailId, message } = await sent();
    const fields = { subType: 'OnAccountSuppressionList', diagnosticCode: 'on the suppression list' };
    await receive(topic.notification(bounceEvent(message, fields)));
    assert.partialDeepStrictEqual((await timeline(emailId)).last?.detail, {
      category: 'suppressed',
      suppressed: false,
    });
  });

  test('of another kind changes nothing', async () => {
    const { emailId, message } = await sent();
    for (const event of otherEvents(message)) await receive(topic.notification(event));
    assert.deepEqual((await timeline(emailId)).types, UNTOUCHED);
    assert.equal(wakes, 0);
  });
});

describe('a notification without a tag', () => {
  test('affects the email that the header names and the recipient that the address names', async () => {
    const { emailId, message } = await sent();
    const event = bounceEvent({ ...message, rcptTo: ['C@dst.test'] }, { asIdentity: 'with headers' });
    await receive(topic.notification(event));
    assert.equal((await timeline(emailId)).last?.recipient, 'c@dst.test');
  });

  test('of a rejection affects the recipient of the message', async () => {
    const { emailId, message } = await sent();
    await receive(topic.notification(rejectEvent(message, { asIdentity: 'with headers' })));
    assert.partialDeepStrictEqual((await timeline(emailId)).last, {
      type: 'failed',
      recipient: 'b@dst.test',
    });
  });

  for (const [name, rcptTo, asIdentity] of [
    ['that names no recipient of the email', ['z@dst.test'], 'with headers'],
    ['and without the header', ['b@dst.test'], 'without headers'],
  ] as const) {
    test(`${name} changes nothing`, async () => {
      const { emailId, message } = await sent();
      await receive(topic.notification(bounceEvent({ ...message, rcptTo: [...rcptTo] }, { asIdentity })));
      assert.deepEqual((await timeline(emailId)).types, UNTOUCHED);
    });
  }
});

describe('a genuine notification with a forged tag', () => {
  test('is ignored', async () => {
    const { emailId, message } = await sent(['b@dst.test']);
    const other = new ReturnPaths(createSecretKey(Buffer.alloc(32, 2)));
    const paths = [
      other.mint({ projectId: PROJECT, emailId, recipientIndex: 0 }, DOMAIN),
      returnPaths.mint({ projectId: newUuid(), emailId, recipientIndex: 0 }, DOMAIN),
      returnPaths.mint({ projectId: PROJECT, emailId: newUuid(), recipientIndex: 0 }, DOMAIN),
      returnPaths.mint({ projectId: PROJECT, emailId, recipientIndex: 1 }, DOMAIN),
      returnPaths
        .mint({ projectId: PROJECT, emailId, recipientIndex: 0 }, DOMAIN)
        .replace('posthorn', 'other'),
      `b+${'0'.repeat(62)}@${DOMAIN}`,
      'x',
    ];
    for (const path of paths) {
      const forged = { ...message, tags: tagsOf(path, emailId), data: Buffer.from('\r\n\r\n') };
      await receive(topic.notification(bounceEvent(forged)));
    }
    assert.deepEqual((await timeline(emailId)).types, UNTOUCHED);
    assert.equal(wakes, 0);
  });
});

/** Stores a mailbox's message to b and c that SES accepted, and returns SES's data about the message to c. */
async function submitted(fields: Partial<NewSubmission> = {}) {
  const mailbox = await newMailbox(db.database);
  const recipients = ['b', 'c'].map((name) => recipientOf(`${name}@dst.test`));
  const submission = newSubmission({ ...mailbox, recipients, ...fields });
  await insertSubmissions(db.database, [submission]);
  await sql`update submission_recipients set outcome = 'relayed' where project_id = ${mailbox.projectId}`.execute(
    db.database,
  );
  const path = returnPaths.mintForMailbox(mailbox, new Date(), DOMAIN);
  return {
    ...submission,
    message: {
      // SES sets its own Message-ID.
      messageId: '0107-2',
      rcptTo: ['C@dst.test'],
      tags: tagsOf(path, submission.submissionId),
      data: Buffer.from('Subject: Hello\r\n\r\nHi\r\n'),
    },
  };
}

async function recipientsOf({ projectId, submissionId }: NewSubmission) {
  const rows = await db.database
    .selectFrom('submissionRecipients')
    .select(['address', 'outcome', 'detail', 'noticeDue', 'reported', 'endedAt'])
    .where('projectId', '=', projectId)
    .where('submissionId', '=', submissionId)
    .orderBy('recipientIndex')
    .execute();
  return rows.map((row) => ({ ...row, endedAt: row.endedAt !== null }));
}

const RELAYED = { outcome: 'relayed', detail: null, noticeDue: false, reported: null, endedAt: false };

describe('for mail that a mailbox sent', () => {
  const cases: [what: string, event: typeof bounceEvent, becomes: object][] = [
    [
      'a bounce is a failure, and the owner is notified',
      bounceEvent,
      {
        outcome: 'failed',
        noticeDue: true,
        endedAt: true,
        detail: {
          category: 'unknown_user',
          smtp_code: 550,
          diagnostic: '550 5.1.1 user unknown',
          suppressed: false,
        },
      },
    ],
    [
      'a rejection after SES accepted the message is a failure too',
      rejectEvent,
      { outcome: 'failed', noticeDue: true, detail: { reason: 'rejected', detail: 'Bad content' } },
    ],
    ['a complaint is recorded', complaintEvent, { ...RELAYED, reported: 'complained' }],
    ['a delay changes nothing', delayEvent, RELAYED],
    ['a delivery changes nothing', deliveryEvent, RELAYED],
  ];
  for (const [what, event, becomes] of cases)
    test(`${what}, only once and only for its recipient`, async () => {
      const of = await submitted();
      await receive(topic.notification(event(of.message)));
      const [other, changed] = await recipientsOf(of);
      assert.partialDeepStrictEqual(changed, becomes);
      assert.deepEqual(other, { ...RELAYED, address: 'b@dst.test' });
      await sql`update submission_recipients set notice_due = false where project_id = ${of.projectId}`.execute(
        db.database,
      );
      await receive(topic.notification(event(of.message)));
      assert.equal((await recipientsOf(of))[1]?.noticeDue, false);
      const { data } = await new Suppressions(db.database).list(of.projectId, { limit: 1 });
      assert.deepEqual(data, []);
    });

  test('a sender who declined failure notices gets no notice of a bounce', async () => {
    const of = await submitted({ recipients: [{ ...recipientOf('c@dst.test'), notify: 0 }] });
    await receive(topic.notification(bounceEvent(of.message)));
    assert.partialDeepStrictEqual(await recipientsOf(of), [{ outcome: 'failed', noticeDue: false }]);
  });

  test('an event with the return path of another mailbox or an unknown ID is ignored', async () => {
    const [of, other] = [await submitted(), await submitted()];
    for (const id of [other.submissionId, newUuid(), "x' or true", '']) {
      const tags = { ...of.message.tags, posthorn_submission: id };
      await receive(topic.notification(bounceEvent({ ...of.message, tags })));
    }
    for (const one of [of, other]) assert.partialDeepStrictEqual(await recipientsOf(one), [RELAYED, RELAYED]);
  });

  test('a bounce of a forwarded email counts against the target, and does not change the email', async () => {
    const email = await sent();
    const of = await submitted({ kind: 'forward', recipients: [recipientOf('t@dst.test')] });
    const path = returnPaths.mintForForward(of, DOMAIN);
    const tags = tagsOf(path, of.submissionId);
    await receive(topic.notification(bounceEvent({ ...email.message, rcptTo: ['t@dst.test'], tags })));
    assert.partialDeepStrictEqual(await recipientsOf(of), [{ outcome: 'failed' }]);
    const failed = await sql`
      select from failed_forwards where project_id = ${of.projectId} and submission_id = ${of.submissionId}`.execute(
      db.database,
    );
    assert.equal(failed.rows.length, 1);
    assert.deepEqual((await timeline(email.emailId)).types, UNTOUCHED);
  });
});

const HOUR_MS = 3_600_000;
const ago = (ms: number) => new Date(Date.now() - ms).toISOString();
const stranger = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});

/** Forgeries, each based on a genuine message. */
const forgeries: [name: string, forge: (message: string, origin: string) => SnsBody | string][] = [
  ["signed with another's key", (text) => topic.notification(text, { key: stranger.privateKey })],
  [
    'with a certificate from another host',
    (text, origin) => topic.notification(text, { fields: { SigningCertURL: `${origin}.evil.test/x.pem` } }),
  ],
  [
    'with a certificate from a bucket',
    (text, origin) =>
      topic.notification(text, {
        fields: { SigningCertURL: `${origin.replace('http://', 'http://bucket@')}${topic.certificatePath}` },
      }),
  ],
  [
    'with a certificate that does not exist',
    (text, origin) => topic.notification(text, { fields: { SigningCertURL: `${origin}/none.pem` } }),
  ],
  [
    'with an invalid certificate',
    (text, origin) => {
      topic.certificates.set('/words.pem', '-----BEGIN CERTIFICATE-----\nno\n-----END CERTIFICATE-----');
      return topic.notification(text, { fields: { SigningCertURL: `${origin}/words.pem` } });
    },
  ],
  [
    'with a certificate that has expired',
    (text, origin) => {
      topic.certificates.set('/expired.pem', expiredSnsCertificate.cert);
      return topic.notification(text, { fields: { SigningCertURL: `${origin}/expired.pem` } });
    },
  ],
  [
    'with a certificate of another kind of key',
    (text, origin) => {
      topic.certificates.set('/ec.pem', testCertificate.cert);
      return topic.notification(text, {
        key: testCertificate.key,
        fields: { SigningCertURL: `${origin}/ec.pem` },
      });
    },
  ],
  [
    'with a URL that is not a certificate file',
    (text, origin) =>
      topic.notification(text, { fields: { SigningCertURL: `${origin}${topic.certificatePath}?x` } }),
  ],
  [
    'of another topic',
    (text) => topic.notification(text, { fields: { TopicArn: topic.arn.replace('posthorn', 'other') } }),
  ],
  ['that is old', (text) => topic.notification(text, { fields: { Timestamp: ago(HOUR_MS + 5_000) } })],
  ['from the future', (text) => topic.notification(text, { fields: { Timestamp: ago(-HOUR_MS - 60_000) } })],
  ['without a time', (text) => topic.notification(text, { fields: { Timestamp: 'yesterday' } })],
  ['with another message', (text) => ({ ...topic.notification('{}'), Message: text })],
  ['with another time', (text) => ({ ...topic.notification(text), Timestamp: ago(1_000) })],
  ['with another id', (text) => ({ ...topic.notification(text), MessageId: '1' })],
  ['with a subject that was not signed', (text) => ({ ...topic.notification(text), Subject: 'x' })],
  ['signed for another version', (text) => ({ ...topic.notification(text), SignatureVersion: '1' })],
  ['of another type', (text) => ({ ...topic.notification(text), Type: 'UnsubscribeConfirmation' })],
  ['without a signature', (text) => ({ ...topic.notification(text), Signature: '' })],
  ['with half a signature', (text) => ({ ...topic.notification(text), Signature: 'AAAA' })],
  ['delivered raw', (text) => text],
];

describe('a notification', () => {
  for (const [name, forge] of forgeries) {
    test(`${name} is rejected, and changes nothing`, async () => {
      const { emailId, message } = await sent();
      await assert.rejects(receive(forge(bounceEvent(message), server.origin)), refused);
      assert.deepEqual((await timeline(emailId)).types, UNTOUCHED);
      // The same event in a genuine message is accepted.
      await receive(topic.notification(bounceEvent(message)));
      assert.deepEqual((await timeline(emailId)).types, [...UNTOUCHED, 'bounced']);
    });
  }

  test('that is almost an hour old is accepted', async () => {
    const { emailId, message } = await sent();
    const fields = { Timestamp: ago(HOUR_MS - 60_000) };
    await receive(topic.notification(bounceEvent(message), { fields }));
    assert.deepEqual((await timeline(emailId)).types, [...UNTOUCHED, 'bounced']);
  });

  test('with an arbitrary body changes nothing unless it has a valid signature', async () => {
    const { emailId, message } = await sent();
    const genuine = topic.notification(bounceEvent(message));
    const names = Object.keys(genuine).filter((name) => name !== 'UnsubscribeURL');
    const change = fc.record({
      name: fc.constantFrom(...names),
      value: fc.oneof(fc.string(), fc.jsonValue(), fc.constant(null)),
    });
    const forged = fc.oneof(
      fc.array(change, { minLength: 1, maxLength: 4 }).map((changes) =>
        JSON.stringify({
          ...genuine,
          ...Object.fromEntries(changes.map(({ name, value }) => [name, value])),
        }),
      ),
      fc.json(),
      fc.string(),
      fc.nat(JSON.stringify(genuine).length - 1).map((end) => JSON.stringify(genuine).slice(0, end)),
    );
    await fc.assert(
      fc.asyncProperty(forged, async (body) => {
        await assert.rejects(receive(body), refused);
      }),
      { numRuns: runs(300) },
    );
    assert.deepEqual((await timeline(emailId)).types, UNTOUCHED);
  });
});

describe('the URL of a signing certificate', () => {
  /** The URLs that were requested from Amazon. */
  async function requestedUrls(body: SnsBody, topicArn: string): Promise<string[]> {
    const urls: string[] = [];
    const amazon = feedbackWith({
      endpoint: null,
      topicArn,
      client: {
        get: async (url) => {
          urls.push(url);
          return {
            httpStatus: 404,
            contentType: null,
            error: null,
            errorCode: null,
            durationMs: 1,
            responseBody: '',
            responseTruncated: false,
          };
        },
      },
    });
    await assert.rejects(receive(body, amazon), refused);
    return urls;
  }

  const fine = [
    ['eu-central-1', 'https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-1.pem'],
    ['cn-north-1', 'https://sns.cn-north-1.amazonaws.com.cn/x.pem'],
    ['us-gov-west-1', 'https://sns.us-gov-west-1.amazonaws.com/x.pem'],
  ] as const;
  for (const [region, url] of fine) {
    test(`is fetched: ${url}`, async () => {
      const { arn, notification } = snsTopic('https://x.test', region);
      assert.deepEqual(await requestedUrls(notification('{}', { fields: { SigningCertURL: url } }), arn), [
        url,
      ]);
    });
  }

  for (const url of [
    'http://sns.eu-central-1.amazonaws.com/x.pem',
    'https://sns.us-east-1.amazonaws.com/x.pem',
    'https://sns.s3-eu-central-1.amazonaws.com/x.pem',
    'https://sns.eu-central-1.amazonaws.com.evil.test/x.pem',
    'https://sns.eu-central-1.amazonaws.com:8443/x.pem',
    'https://user@sns.eu-central-1.amazonaws.com/x.pem',
    'https://evil.test/sns.eu-central-1.amazonaws.com/x.pem',
    'https://sns.eu-central-1.amazonaws.com/x.pem?a=b',
    'https://sns.eu-central-1.amazonaws.com/x.pem?',
    'https://sns.eu-central-1.amazonaws.com/x.pem#1',
    'https://sns.eu-central-1.amazonaws.com/x.pem#',
    'https://sns.eu-central-1.amazonaws.com/%78.pem',
    'https://sns.eu-central-1.amazonaws.com//x.pem',
    'https://sns.eu-central-1.amazonaws.com/a/x.pem',
    'https://sns.eu-central-1.amazonaws.com/x',
    'file:///etc/x.pem',
    'x.pem',
    '',
  ]) {
    test(`is not fetched: ${JSON.stringify(url)}`, async () => {
      const { arn, notification } = snsTopic('https://x.test', 'eu-central-1');
      assert.deepEqual(await requestedUrls(notification('{}', { fields: { SigningCertURL: url } }), arn), []);
    });
  }
});

describe('the certificate of a notification', () => {
  test('is fetched once', async () => {
    let fetched = 0;
    const counting = feedbackWith({
      client: {
        get: (url, request) => {
          fetched += 1;
          return client.get(url, request);
        },
      },
    });
    const { message } = await sent();
    for (let count = 0; count < 3; count++)
      await receive(topic.notification(deliveryEvent(message)), counting);
    await assert.rejects(receive(topic.notification('{}', { key: stranger.privateKey }), counting), refused);
    assert.equal(fetched, 1);
  });

  test('stays cached after forged messages that name many expired certificates', async () => {
    const fetched: string[] = [];
    const counting = feedbackWith({
      client: {
        get: (url, request) => {
          fetched.push(url);
          return client.get(url, request);
        },
      },
    });
    const { message } = await sent();
    await receive(topic.notification(deliveryEvent(message)), counting);
    for (let at = 0; at < 5; at++) {
      topic.certificates.set(`/${at}.pem`, expiredSnsCertificate.cert);
      const fields = { SigningCertURL: `${server.origin}/${at}.pem` };
      await assert.rejects(receive(topic.notification('{}', { fields }), counting), refused);
    }
    await receive(topic.notification(deliveryEvent(message)), counting);
    assert.equal(fetched.length, 6);
  });

  test('is requested again when SNS retries after a failed request', async () => {
    const { emailId, message } = await sent();
    const body = topic.notification(bounceEvent(message));
    await server.stop();
    await assert.rejects(receive(body), { code: 'unavailable' });
    assert.deepEqual((await timeline(emailId)).types, UNTOUCHED);
  });

  test('is fetched by few requests at a time even for many forged messages', async () => {
    const never = feedbackWith({ client: { get: () => new Promise(() => {}) } });
    const urls = Array.from({ length: 10 }, (_, at) => `${server.origin}/${at}.pem`);
    const results = urls.map((SigningCertURL) =>
      receive(topic.notification('{}', { fields: { SigningCertURL } }), never),
    );
    await assert.rejects(Promise.race(results), { code: 'unavailable' });
  });
});

describe('a confirmation of the subscription', () => {
  test('for the topic is confirmed at SNS', async () => {
    await receive(topic.confirmation());
    assert.equal(topic.confirmed.length, 1);
  });

  test('that is forged is not confirmed', async () => {
    await assert.rejects(
      receive(topic.confirmation('SubscriptionConfirmation', { key: stranger.privateKey })),
      refused,
    );
    const elsewhere = { fields: { SubscribeURL: 'https://evil.test/?Action=ConfirmSubscription' } };
    await assert.rejects(receive(topic.confirmation('SubscriptionConfirmation', elsewhere)), refused);
    assert.equal(topic.confirmed.length, 0);
  });

  test('is retried if SNS does not accept the confirmation', async () => {
    const unknown = `${server.origin}/?Action=ConfirmSubscription&Token=unknown`;
    const body = topic.confirmation('SubscriptionConfirmation', { fields: { SubscribeURL: unknown } });
    await assert.rejects(receive(body), { code: 'unavailable' });
  });

  test('is only logged if the subscription has ended', async () => {
    await receive(topic.confirmation('UnsubscribeConfirmation'));
    assert.equal(topic.confirmed.length, 0);
  });
});

test('no notification is accepted while the database is unavailable', async () => {
  const { message } = await sent();
  const unreachable = openDatabase('postgres://nobody@127.0.0.1:1/none');
  const away = feedbackWith({ database: unreachable });
  await assert.rejects(receive(topic.notification(bounceEvent(message)), away), { code: 'ECONNREFUSED' });
  await unreachable.destroy();
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { snsTopic } from '../../../../test/support/sns-topic.ts';
import { readSnsMessage } from './sns-message.ts';

const topic = snsTopic('https://sns.eu-test-1.amazonaws.com', 'eu-test-1');
const read = (body: unknown) => readSnsMessage(Buffer.from(JSON.stringify(body)));

test('the signed text lists the members in the order that SNS uses, with the subject if the message has one', () => {
  const body = topic.notification('Hello\nthere', {
    fields: { MessageId: 'id', Timestamp: '2026-11-20T15:04:05.123Z', TopicArn: 'arn' },
  });
  assert.equal(
    read(body)?.canonical,
    'Message\nHello\nthere\nMessageId\nid\nTimestamp\n2026-11-20T15:04:05.123Z\nTopicArn\narn\nType\nNotification\n',
  );
  assert.match(
    read({ ...body, Subject: 'About' })?.canonical ?? '',
    /\nMessageId\nid\nSubject\nAbout\nTimestamp\n/,
  );
  assert.equal(read({ ...body, Subject: null })?.canonical, read(body)?.canonical);
});

test('the signed text of a confirmation includes the URL and the token', () => {
  const body = topic.confirmation('SubscriptionConfirmation', {
    fields: { MessageId: 'id', Message: 'm', Timestamp: 't', TopicArn: 'a', Token: 'x', SubscribeURL: 'u' },
  });
  assert.equal(
    read(body)?.canonical,
    'Message\nm\nMessageId\nid\nSubscribeURL\nu\nTimestamp\nt\nToken\nx\nTopicArn\na\nType\nSubscriptionConfirmation\n',
  );
  assert.equal(read(body)?.subscribeUrl, 'u');
});

test('a body with a missing member, an unknown type or an unknown version is not read as a message', () => {
  const whole = topic.confirmation();
  assert.notEqual(read(whole), null);
  for (const name of Object.keys(whole)) {
    assert.equal(read({ ...whole, [name]: undefined }), null, name);
    assert.equal(read({ ...whole, [name]: 5 }), null, name);
  }
  assert.equal(read({ ...whole, Type: 'Other' }), null);
  assert.equal(read({ ...whole, SignatureVersion: '3' }), null);
});

test('reading a message never throws, whatever the octets', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (octets) => assert.equal(readSnsMessage(Buffer.from(octets)), null)),
  );
  fc.assert(fc.property(fc.json(), (text) => assert.equal(readSnsMessage(Buffer.from(text)), null)));
  assert.equal(readSnsMessage(Buffer.from('['.repeat(256 * 1024))), null);
});

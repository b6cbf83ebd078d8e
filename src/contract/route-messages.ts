/** Messages of routes, as programs receive or fetch them (docs/routes.md, JSON). */
import { Type } from 'typebox';
import { EXAMPLE_IDS, Id, Nullable, Ref, Secret, Timestamp, Words } from './schema.ts';

const NamedAddress = Type.Object({
  name: Type.String({ description: 'Empty if the address has no name.' }),
  address: Type.String({ description: 'As written by the sender, so it may be invalid.' }),
});
const Addresses = Type.Array(NamedAddress, { description: 'At most 100.' });
// Secret, because the link is a part of what its caller must prove.
const Link = Secret(
  Type.String({
    description: 'A signed URL that expires after 24 hours. It needs the secret of the route, or an API key.',
  }),
);

const messageFields = {
  id: Id('rm'),
  type: Words(['message.received']),
  created_at: Timestamp,
  data: Type.Object({
    route_id: Id('rt'),
    envelope: Type.Object({
      from: Type.String({ description: 'The return path. Empty for delivery reports.' }),
      to: Type.Array(Type.String(), {
        description: 'The recipients that the route matched, with their tags.',
      }),
      client_address: Type.String({ description: 'The IP address of the client. Empty if unknown.' }),
      helo: Type.String({ description: 'The name that the client gave.' }),
    }),
    tag: Nullable(
      Type.String({
        description: 'The part between + and @ of the first recipient: case-42 in support+case-42@.',
      }),
    ),
    conversation_id: Nullable(
      Type.String({
        description:
          'The same for the messages of the route that answer each other. Null without a Message-ID.',
      }),
    ),
    message_id: Nullable(Type.String({ description: 'With angle brackets.' })),
    in_reply_to: Nullable(Type.String()),
    references: Type.Array(Type.String()),
    date: Nullable(Type.String({ description: 'The Date field as written.' })),
    subject: Type.String(),
    from: Nullable(NamedAddress),
    to: Addresses,
    cc: Addresses,
    reply_to: Addresses,
    headers: Type.Array(Type.Object({ name: Type.String(), value: Type.String() }), {
      description: 'All fields in the order of the message, with decoded values.',
    }),
    text: Type.String({ description: 'The text, made from the HTML if the message has no text.' }),
    html: Nullable(Type.String({ description: 'The HTML as received: clean it before you show it.' })),
    reply: Type.String({ description: 'The text without the message that it quotes.' }),
    truncated: Type.Boolean({
      description:
        'Whether text or html is truncated: it has more than 2,097,152 characters, or the message takes too long to read. In the latter case text, html and attachments may be empty. The whole message is at raw.url.',
    }),
    attachments: Type.Array(
      Type.Object({
        filename: Type.String({
          description: 'Without path separators and control characters. Never empty.',
        }),
        content_type: Type.String({ description: 'As declared by the sender.' }),
        size: Type.Integer({ minimum: 0, description: 'In bytes, decoded.' }),
        content_id: Nullable(Type.String({ description: 'Without angle brackets.' })),
        url: Link,
      }),
      { description: 'At most 500.' },
    ),
    raw: Type.Object({ url: Link, size: Type.Integer({ minimum: 0 }) }),
    verdicts: Type.Object({
      spf: Type.Object({ result: Type.String(), domain: Type.String() }),
      dkim: Type.Array(
        Type.Object({ result: Type.String(), domain: Type.String(), selector: Type.String() }),
      ),
      dmarc: Type.Object({
        result: Type.String(),
        domain: Nullable(Type.String()),
        policy: Words(['none', 'quarantine', 'reject']),
      }),
      spam: Type.Object({
        score: Type.Number(),
        is_spam: Type.Boolean({
          description: 'Whether a mailbox of the default level would put the message into Junk.',
        }),
        rules: Type.Array(Type.Object({ name: Type.String(), weight: Type.Number() })),
      }),
    }),
  }),
};

const URL_EXAMPLE = `https://mail.acme.example/routed/${EXAMPLE_IDS.rt}/${EXAMPLE_IDS.rm}`;
const QUERY_EXAMPLE = '?expires=1795273445&signature=EXAMPLExEXAMPLExEXAMPLEx';
const MESSAGE_EXAMPLE = {
  id: EXAMPLE_IDS.rm,
  type: 'message.received',
  created_at: '2026-11-20T15:04:05.123Z',
  data: {
    route_id: EXAMPLE_IDS.rt,
    envelope: {
      from: 'ada@example.com',
      to: ['support+case-42@acme.example'],
      client_address: '192.0.2.10',
      helo: 'mx.example.com',
    },
    tag: 'case-42',
    conversation_id: 'thr_3HT7N3Z7BY8J1G0QH6W5P2M4KD',
    message_id: '<f7a1@example.com>',
    in_reply_to: '<01kagk@acme.example>',
    references: ['<01kagk@acme.example>'],
    date: 'Fri, 20 Nov 2026 16:04:03 +0100',
    subject: 'Re: Your order',
    from: { name: 'Ada', address: 'ada@example.com' },
    to: [{ name: '', address: 'support+case-42@acme.example' }],
    cc: [],
    reply_to: [],
    headers: [{ name: 'Subject', value: 'Re: Your order' }],
    text: 'It arrived.\n\nOn Fri, 20 Nov 2026 at 15:00, Acme wrote:\n> Has it arrived?',
    html: null,
    reply: 'It arrived.',
    truncated: false,
    attachments: [
      {
        filename: 'photo.jpg',
        content_type: 'image/jpeg',
        size: 48_213,
        content_id: null,
        url: `${URL_EXAMPLE}/attachments/2${QUERY_EXAMPLE}`,
      },
    ],
    raw: { url: `${URL_EXAMPLE}/raw${QUERY_EXAMPLE}`, size: 67_120 },
    verdicts: {
      spf: { result: 'pass', domain: 'example.com' },
      dkim: [{ result: 'pass', domain: 'example.com', selector: 's1' }],
      dmarc: { result: 'pass', domain: 'example.com', policy: 'reject' },
      spam: { score: -0.5, is_spam: false, rules: [{ name: 'DMARC_PASS', weight: -0.5 }] },
    },
  },
};

export const RouteMessage = Type.Object(messageFields, { $id: 'RouteMessage', examples: [MESSAGE_EXAMPLE] });
export type RouteMessage = Type.Static<typeof RouteMessage>;

/** The longest wait for a message, in seconds. */
export const MAX_WAIT_SECONDS = 30;
export const MAX_ROUTE_MESSAGES = 20;

export const RouteMessagesQuery = Type.Object(
  {
    after: Type.Optional(
      Type.String({
        examples: ['WyJyb3V0ZSBtZXNzYWdlcyIsIjQyIl0'],
        description: 'The cursor of the previous response. Without it, the oldest messages are returned.',
      }),
    ),
    wait: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_WAIT_SECONDS,
        default: 0,
        description: 'If there is no message, wait this many seconds for one.',
      }),
    ),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_ROUTE_MESSAGES, default: MAX_ROUTE_MESSAGES }),
    ),
  },
  { additionalProperties: false },
);
export type RouteMessagesQuery = Type.Static<typeof RouteMessagesQuery>;

export const RouteMessageList = Type.Object(
  {
    data: Type.Array(Ref(RouteMessage), {
      description: 'Oldest first. Large messages make the list shorter than the limit.',
    }),
    cursor: Type.String({ description: 'Send it as `after` to get the messages that follow.' }),
    has_more: Type.Boolean({ description: 'Whether more messages are there now.' }),
  },
  {
    $id: 'RouteMessageList',
    examples: [{ data: [MESSAGE_EXAMPLE], cursor: 'WyJyb3V0ZSBtZXNzYWdlcyIsIjQyIl0', has_more: false }],
  },
);
export type RouteMessageList = Type.Static<typeof RouteMessageList>;

/** Notifications of new mail in a browser, also while no page of the web client is open (docs/web-client.md, Notifications). */
import { Type } from 'typebox';
import { Nullable, Words } from '../schema.ts';

/** Push services use URLs of a few hundred characters. */
const MAX_ENDPOINT_LENGTH = 1_000;

const Content = Words(['bare', 'content'], {
  description:
    '`bare`: a notification says only that there is new mail. `content`: it shows the sender and the subject.',
});

export const PushSettings = Type.Object(
  {
    public_key: Type.String({
      description:
        'The key with which a browser subscribes (applicationServerKey). Operators can replace it.',
    }),
    content: Nullable(Content),
  },
  {
    $id: 'PushSettings',
    description: 'The settings of this session. Without a subscription, `content` is null.',
  },
);
export type PushSettings = Type.Static<typeof PushSettings>;

export const PushSubscribe = Type.Object(
  {
    endpoint: Type.String({
      maxLength: MAX_ENDPOINT_LENGTH,
      description: 'The https URL of the push service, on a public address.',
    }),
    p256dh: Type.String({ maxLength: 100, description: "The browser's public key in base64url." }),
    auth: Type.String({ maxLength: 40, description: "The browser's secret in base64url." }),
    public_key: Type.String({ maxLength: 100, description: 'The key with which the browser subscribed.' }),
    content: Content,
  },
  { $id: 'PushSubscribe', additionalProperties: false },
);
export type PushSubscribe = Type.Static<typeof PushSubscribe>;

export const PushTest = Type.Object(
  {
    delivered: Type.Boolean({ description: 'Whether the push service accepted the notification.' }),
    error: Nullable(Type.String({ description: 'Why not.' })),
  },
  { $id: 'PushTest' },
);
export type PushTest = Type.Static<typeof PushTest>;

/** The decrypted message that the service worker of the web client receives. */
export interface PushMessage {
  /** `test`: a test by the user. */
  kind: 'mail' | 'test';
  /** `mbx_…` */
  mailbox: string;
  address: string;
  /** The number of unread messages in the Inbox, for the badge of the app. */
  unread: number;
  /** The number of new messages; more than 99 count as 99. */
  count: number;
  /** The newest message, if the user wants to see it. */
  shown: { from: string; subject: string } | null;
  /** What the actions of the notification apply to; null if the new messages belong to several conversations. */
  target: { folder: string; conversation: string; messages: string[] } | null;
}

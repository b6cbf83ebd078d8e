/** The notification for a message of the push service, and the actions of the notification. Used by the service worker. */
import type { MailActionRequest } from '../../../src/contract/mail/actions.ts';
import type { PushMessage } from '../../../src/contract/mail/push.ts';
import type { MailAccounts } from '../../../src/contract/mail/session.ts';

/** The part of a notification's options that the types of the project for windows lack. */
export interface NoticeOptions extends NotificationOptions {
  actions?: { action: PushAction; title: string }[];
  renotify?: boolean;
}
export type PushAction = 'archive' | 'seen';

export const ICONS = { icon: '/mail/icon-192.png', badge: '/mail/badge.png' } as const;

/** @returns the title and the options of the notification */
export function noticeOf(message: PushMessage): [title: string, options: NoticeOptions] {
  const { kind, mailbox, address, count, shown, target } = message;
  const common = { ...ICONS, tag: target?.conversation ?? mailbox, renotify: true, data: message };
  if (kind === 'test') return ['Notifications work', { ...common, body: address }];
  const actions: NoticeOptions['actions'] =
    target === null
      ? []
      : [
          { action: 'archive', title: 'Archive' },
          { action: 'seen', title: 'Mark as read' },
        ];
  const many = count === 1 ? 'New mail' : `${count} new messages`;
  if (shown === null) return [many, { ...common, actions, body: address }];
  const from = shown.from === '' ? 'New mail' : shown.from;
  const subject = shown.subject === '' ? 'No subject' : shown.subject;
  if (count === 1) return [from, { ...common, actions, body: subject }];
  return [many, { ...common, actions, body: `${from}: ${subject}` }];
}

/** The page to open on a click. */
export function pathOf({ address, target }: PushMessage): string {
  const inbox = `/mail/${encodeURIComponent(address)}/inbox`;
  return target === null ? inbox : `${inbox}/${target.conversation}`;
}

/**
 * Archives the messages of a notification, or marks them as read.
 * @throws if the service does not respond, or the session has ended
 */
export async function actOn({ mailbox, target }: PushMessage, action: PushAction): Promise<void> {
  if (target === null) return;
  const session = await fetch('/mail/api/session');
  const { accounts } = (await session.json()) as MailAccounts;
  const account = accounts.find((each) => each.mailbox === mailbox && each.shared === null);
  const body: MailActionRequest = { action, messages: target.messages, from: target.folder };
  const response = await fetch(`/mail/api/mailboxes/${mailbox}/actions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-csrf-token': account?.csrf_token ?? '' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`the action failed with status ${response.status}`);
}

import { useState } from 'react';
import { Card } from '../../../../ui/card.tsx';
import { Checkbox } from '../../../../ui/field.tsx';
import { PageHeader } from '../../../../ui/page-header.tsx';
import { useWatched } from '../../../../ui/watched.ts';
import { deviceSettings, type Notify, notifyOf, setNotify } from '../../../shell/device-settings.ts';
import { canTell, NEEDS_COPY } from '../../../notify/tell.ts';
import { useMailbox } from '../../../shell/session.ts';

const CHOICES: readonly { value: Notify; label: string; hint?: string }[] = [
  { value: 'off', label: 'Say nothing' },
  {
    value: 'bare',
    label: 'Say that there is mail',
    hint: 'Without names and subjects: for screens that others see.',
  },
  { value: 'content', label: 'Say who writes, and the subject' },
];

const NOT_ALLOWED =
  'The browser does not allow this page to notify. Allow it beside the address of the page, and choose again.';

export default function NotificationsPage() {
  const { mailbox } = useMailbox();
  useWatched(deviceSettings);
  const [refused, setRefused] = useState<string | null>(null);
  const canNotify = 'Notification' in window;
  const problem = canNotify
    ? (refused ?? (Notification.permission === 'denied' ? NOT_ALLOWED : null))
    : 'This browser does not let pages notify.';
  const choose = async (notify: Notify) => {
    const why = notify === 'off' ? null : await whyNot();
    setRefused(why);
    if (why === null) setNotify(mailbox, notify);
  };
  return (
    <>
      <PageHeader
        title="Notifications"
        description="Of new mail in the Inbox, while a tab with this mailbox is open and you look at something else. Chosen for this device alone."
      />
      <Card title="When mail comes">
        <div className="grid gap-2.5">
          {CHOICES.map(({ value, label, hint }) => (
            <Checkbox
              key={value}
              isRadio
              name="notify"
              label={label}
              hint={hint}
              disabled={!canNotify && value !== 'off'}
              checked={notifyOf(mailbox) === value}
              onChange={() => void choose(value)}
            />
          ))}
        </div>
        {problem !== null && (
          <p role="alert" className="mt-3 text-bad">
            {problem}
          </p>
        )}
      </Card>
      <p className="mt-4 text-sm text-muted">
        The number of unread messages stands in the title and in the icon of the tab in any case.
      </p>
    </>
  );
}

/** Asks for permission only after the user has chosen notifications. */
async function whyNot(): Promise<string | null> {
  if (Notification.permission === 'default' && !(await canTell())) return NEEDS_COPY;
  return (await Notification.requestPermission()) === 'granted' ? null : NOT_ALLOWED;
}

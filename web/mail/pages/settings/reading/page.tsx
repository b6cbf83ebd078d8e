import { useQuery } from '@tanstack/react-query';
import { dataOf } from '../../../../api/client.ts';
import { api } from '../../../../api/mail.ts';
import type { ChangeMailSettings, MailSettings } from '../../../../../src/contract/mail/settings.ts';
import { Card } from '../../../../ui/card.tsx';
import { Checkbox, Field, Select } from '../../../../ui/field.tsx';
import { Segmented } from '../../../../ui/segmented.tsx';
import { chooseTheme, theme } from '../../../../ui/theme.ts';
import { useWatched } from '../../../../ui/watched.ts';
import { PageHeader } from '../../../../ui/page-header.tsx';
import { mailSettingsQuery } from '../../../shell/mail-settings.ts';
import { useMailbox } from '../../../shell/session.ts';
import { Loaded } from '../loaded.tsx';
import { useChange } from '../use-change.ts';
import { OfflineCard } from './offline-card.tsx';
import { TrustedSenders } from './trusted-senders.tsx';

const SWIPES: Readonly<Record<MailSettings['swipe_left'], string>> = {
  archive: 'Archive',
  trash: 'Move to Trash',
  junk: 'Move to Junk',
  seen: 'Mark as read or unread',
  star: 'Add or remove a star',
  none: 'Nothing',
};

export default function ReadingPage() {
  const { mailbox } = useMailbox();
  const query = mailSettingsQuery(mailbox);
  const found = useQuery(query);
  const change = useChange<ChangeMailSettings>(
    query.queryKey,
    (body) => dataOf(api.PATCH('/mailboxes/{mailbox}/settings', { params: { path: { mailbox } }, body })),
    'Saved',
  );
  return (
    <>
      <PageHeader title="Reading" />
      <Loaded query={found}>
        {(kept) => {
          // What was chosen is seen at once.
          const settings = { ...kept, ...(change.isPending && change.variables) };
          return (
            <div className="grid gap-4">
              <Card title="Pictures from elsewhere">
                <p className="mb-3 max-w-2xl text-muted">
                  Newsletters and shops hide pictures in mail to learn who opens it, when and where. Here
                  pictures are fetched by the server: the sender learns nothing of you, but that somebody has
                  looked.
                </p>
                <div className="grid gap-2.5">
                  <Checkbox
                    isRadio
                    name="remote"
                    label="Ask for each message"
                    checked={settings.remote_content === 'ask'}
                    onChange={() => change.mutate({ remote_content: 'ask' })}
                  />
                  <Checkbox
                    isRadio
                    name="remote"
                    label="Always show them"
                    hint="Never in Junk."
                    checked={settings.remote_content === 'always'}
                    onChange={() => change.mutate({ remote_content: 'always' })}
                  />
                </div>
                <TrustedSenders />
              </Card>
              <Card title="Conversations">
                <div className="grid gap-2.5">
                  <Checkbox
                    isRadio
                    name="order"
                    label="Oldest message first"
                    checked={!settings.newest_first}
                    onChange={() => change.mutate({ newest_first: false })}
                  />
                  <Checkbox
                    isRadio
                    name="order"
                    label="Newest message first"
                    checked={settings.newest_first}
                    onChange={() => change.mutate({ newest_first: true })}
                  />
                </div>
              </Card>
              <AppearanceCard />
              <OfflineCard />
              <Card title="Swiping">
                <p className="mb-3 text-muted">
                  What a row of a list does that is pushed aside on a touch screen.
                </p>
                <div className="grid gap-4 sm:grid-cols-2">
                  {(['swipe_left', 'swipe_right'] as const).map((side) => (
                    <Field key={side} label={side === 'swipe_left' ? 'To the left' : 'To the right'}>
                      <Select
                        value={settings[side]}
                        onChange={({ target }) =>
                          change.mutate({ [side]: target.value as MailSettings['swipe_left'] })
                        }
                      >
                        {Object.entries(SWIPES).map(([value, name]) => (
                          <option key={value} value={value}>
                            {name}
                          </option>
                        ))}
                      </Select>
                    </Field>
                  ))}
                </div>
              </Card>
            </div>
          );
        }}
      </Loaded>
    </>
  );
}

/** Of this browser, for every mailbox in it. */
function AppearanceCard() {
  return (
    <Card title="Appearance">
      <p className="mb-3 text-muted">
        Of this browser alone. Mail that brings its own colours stays on white.
      </p>
      <Segmented
        label="Appearance"
        value={useWatched(theme)}
        options={[
          { value: 'system', label: 'As the system' },
          { value: 'light', label: 'Light' },
          { value: 'dark', label: 'Dark' },
        ]}
        onChange={chooseTheme}
      />
    </Card>
  );
}

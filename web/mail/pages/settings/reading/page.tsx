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
import { Loaded } from '../../../../shell/loaded.tsx';
import { useChange } from '../../../../api/use-change.ts';
import { copyState } from '../../../offline/copy-state.ts';
import { dropCopy } from '../../../offline/drop-copy.ts';
import { deviceSettings, isOffline, setOffline } from '../../../shell/device-settings.ts';
import { Button } from '../../../../ui/button.tsx';
import { LayoutFields } from '../../../reading/layout-fields.tsx';

const STATES = {
  keeping: 'Updating the copy…',
  kept: 'The copy is up to date.',
  failed: 'The copy could not be updated. Retrying.',
  full: 'This device does not have enough space for the copy.',
} as const;

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
          // The new choice is shown before the service has confirmed it.
          const settings = { ...kept, ...(change.isPending && change.variables) };
          return (
            <div className="grid gap-4">
              <Card title="Remote images">
                <p className="mb-3 max-w-2xl text-muted">
                  Many newsletters and shops include hidden images that tell them who opened a message, when
                  and where. This server loads images for you, so the sender learns only that someone opened
                  the message.
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
                    label="Always show"
                    hint="Except in Junk."
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
              <Card title="List">
                <p className="mb-3 text-muted">Applies only to this browser.</p>
                <div className="grid gap-4">
                  <LayoutFields />
                </div>
              </Card>
              <AppearanceCard />
              <OfflineCard />
              <Card title="Swiping">
                <p className="mb-3 text-muted">What happens when you swipe a message in the list.</p>
                <div className="grid gap-4 sm:grid-cols-2">
                  {(['swipe_left', 'swipe_right'] as const).map((side) => (
                    <Field key={side} label={side === 'swipe_left' ? 'Swipe left' : 'Swipe right'}>
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

/** The settings for appearance, which this browser stores for all mailboxes. */
function AppearanceCard() {
  return (
    <Card title="Appearance">
      <p className="mb-3 text-muted">
        Applies only to this browser. Mail with its own colors is shown on a white background.
      </p>
      <Segmented
        label="Appearance"
        value={useWatched(theme)}
        options={[
          { value: 'system', label: 'System' },
          { value: 'light', label: 'Light' },
          { value: 'dark', label: 'Dark' },
        ]}
        onChange={chooseTheme}
      />
    </Card>
  );
}

function OfflineCard() {
  const { mailbox } = useMailbox();
  useWatched(deviceSettings);
  const state = useWatched(copyState);
  const isOn = isOffline(mailbox);
  // Browsers support service workers only with TLS.
  const isPossible = 'serviceWorker' in navigator;
  const change = async (isWanted: boolean) => {
    setOffline(mailbox, isWanted);
    if (isWanted) return;
    copyState.set(null);
    await dropCopy(mailbox);
  };
  return (
    <Card title="Offline">
      <Checkbox
        label="Keep the last 200 conversations in the Inbox on this device"
        hint="Stores the text of messages, without attachments or images. Anyone with access to this device can read it. The copy is deleted when you sign out, when the session ends, and when you turn this off."
        disabled={!isPossible}
        checked={isOn}
        onChange={(event) => void change(event.target.checked)}
      />
      {isOn && state !== null && (
        <p role="status" className="mt-2 text-sm text-muted">
          {STATES[state]}
        </p>
      )}
      {!isPossible && <p className="mt-2 text-sm text-muted">Requires https.</p>}
    </Card>
  );
}

/** The senders whose images are always shown. */
function TrustedSenders() {
  const { mailbox } = useMailbox();
  const queryKey = ['trusted-senders', mailbox];
  const { data } = useQuery({
    queryKey,
    queryFn: ({ signal }) =>
      dataOf(api.GET('/mailboxes/{mailbox}/trusted-senders', { params: { path: { mailbox } }, signal })),
  });
  const forget = useChange<string>(
    queryKey,
    (address) =>
      dataOf(
        api.PUT('/mailboxes/{mailbox}/trusted-senders', {
          params: { path: { mailbox } },
          body: { address, trusted: false },
        }),
      ),
    null,
  );
  if (data === undefined || data.data.length === 0) return null;
  return (
    <div className="mt-4">
      <h3 id="trusted" className="font-medium">
        Always shown for
      </h3>
      <ul aria-labelledby="trusted" className="mt-1 max-h-72 divide-y divide-line overflow-y-auto">
        {data.data.map(({ address }) => (
          <li key={address} className="flex items-center gap-3 py-1">
            <span className="min-w-0 flex-1 wrap-anywhere">{address}</span>
            <Button
              kind="quiet"
              aria-label={`Remove ${address}`}
              isBusy={forget.isPending && forget.variables === address}
              onClick={() => forget.mutate(address)}
            >
              Remove
            </Button>
          </li>
        ))}
      </ul>
    </div>
  );
}

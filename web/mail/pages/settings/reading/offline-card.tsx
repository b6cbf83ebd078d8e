import { Card } from '../../../../ui/card.tsx';
import { Checkbox } from '../../../../ui/field.tsx';
import { useWatched } from '../../../../ui/watched.ts';
import { copyState } from '../../../offline/copy-state.ts';
import { dropCopy } from '../../../offline/drop-copy.ts';
import { deviceSettings, isOffline, setOffline } from '../../../shell/device-settings.ts';
import { useMailbox } from '../../../shell/session.ts';

const STATES = {
  keeping: 'The copy is being made or brought up to date.',
  kept: 'The copy is up to date.',
  failed: 'The copy could not be made. It is tried again.',
  full: 'This device has no room for all of it.',
} as const;

export function OfflineCard() {
  const { mailbox } = useMailbox();
  useWatched(deviceSettings);
  const state = useWatched(copyState);
  const isOn = isOffline(mailbox);
  // Browsers have none of it without TLS.
  const isPossible = 'serviceWorker' in navigator;
  const change = async (isWanted: boolean) => {
    setOffline(mailbox, isWanted);
    if (isWanted) return;
    copyState.set(null);
    await dropCopy(mailbox);
  };
  return (
    <Card title="Without a connection">
      <Checkbox
        label="Keep the last 200 conversations of the Inbox on this device"
        hint="Their texts, without attachments and pictures. Whoever can use this device could read them. The copy is deleted when you sign out, when the session ends, and when you switch this off."
        disabled={!isPossible}
        checked={isOn}
        onChange={(event) => void change(event.target.checked)}
      />
      {isOn && state !== null && (
        <p role="status" className="mt-2 text-sm text-muted">
          {STATES[state]}
        </p>
      )}
      {!isPossible && <p className="mt-2 text-sm text-muted">Browsers allow it by https alone.</p>}
    </Card>
  );
}

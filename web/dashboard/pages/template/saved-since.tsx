import { useQuery } from '@tanstack/react-query';
import { Button } from '../../../ui/button.tsx';
import { WarningIcon } from '../../../ui/icons.tsx';
import { Time } from '../../../ui/time.tsx';
import { type TemplateKey, versionsQuery } from '../templates/queries.ts';

interface SavedSinceProps {
  of: TemplateKey;
  isBusy: boolean;
  onLook(): void;
  /** Saves the draft over the newer version. Absent if the user cannot save. */
  onSaveOver?: () => void;
}

/** Shown if another user has saved since this user began the draft. The user chooses which version to keep. */
export function SavedSince({ of: key, isBusy, onLook, onSaveOver }: SavedSinceProps) {
  const { data } = useQuery(versionsQuery(key));
  const newest = data?.data[0];
  return (
    <div
      role="alert"
      className="mb-5 flex flex-wrap items-center gap-x-2.5 gap-y-2 rounded-lg bg-warn-soft px-4 py-3"
    >
      <WarningIcon className="text-warn" />
      <p className="min-w-0 grow basis-72">
        {newest === undefined ? 'Someone' : newest.actor_name} saved this template
        {newest !== undefined && (
          <>
            {' '}
            <Time value={newest.created_at} />
          </>
        )}{' '}
        after you started editing. Discard your changes to continue with the saved version, or overwrite it
        with yours: the history keeps both.
      </p>
      <Button onClick={onLook}>View saved version</Button>
      {onSaveOver !== undefined && (
        <Button isBusy={isBusy} onClick={onSaveOver}>
          Overwrite with mine
        </Button>
      )}
    </div>
  );
}

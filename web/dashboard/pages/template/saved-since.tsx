import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { TemplateDetail } from '../../../../src/contract/dashboard/templates.ts';
import { Button } from '../../../ui/button.tsx';
import { WarningIcon } from '../../../ui/icons.tsx';
import { Time } from '../../../ui/time.tsx';
import { type TemplateKey, versionsQuery } from '../templates/queries.ts';

/** A warning that another user has changed the content of the page. The user chooses which version to keep. */
export function Conflict({ actions, children }: { actions: ReactNode; children: ReactNode }) {
  return (
    <div
      role="alert"
      className="mb-5 flex flex-wrap items-center gap-x-2.5 gap-y-2 rounded-lg bg-warn-soft px-4 py-3"
    >
      <WarningIcon className="text-warn" />
      <p className="min-w-0 grow basis-72">{children}</p>
      {actions}
    </div>
  );
}

interface SavedSinceProps {
  of: TemplateKey;
  isBusy: boolean;
  onLook(): void;
  /** Publishes the draft over the newer version. Absent if the user cannot publish. */
  onSaveOver?: () => void;
}

/** Shown if the template was published since the draft was begun. */
export function SavedSince({ of: key, isBusy, onLook, onSaveOver }: SavedSinceProps) {
  const { data } = useQuery(versionsQuery(key));
  const newest = data?.data[0];
  return (
    <Conflict
      actions={
        <>
          <Button onClick={onLook}>View published version</Button>
          {onSaveOver !== undefined && (
            <Button isBusy={isBusy} onClick={onSaveOver}>
              Publish over it
            </Button>
          )}
        </>
      }
    >
      {newest === undefined ? 'Someone' : newest.actor_name} published this template
      {newest !== undefined && (
        <>
          {' '}
          <Time value={newest.created_at} />
        </>
      )}{' '}
      after this draft was begun. Discard the draft to continue with the published version, or publish the
      draft over it: the history keeps both.
    </Conflict>
  );
}

interface DraftChangedProps {
  /** The template with the draft of the other user. */
  now: TemplateDetail;
  onTheirs(): void;
  onMine(): void;
}

/** Shown if another user has changed the draft at the same time. The text of this page is not stored until the user decides. */
export function DraftChanged({ now: { draft }, onTheirs, onMine }: DraftChangedProps) {
  return (
    <Conflict
      actions={
        <>
          <Button onClick={onTheirs}>Load their version</Button>
          <Button onClick={onMine}>Overwrite with mine</Button>
        </>
      }
    >
      {draft === null ? (
        'Another user has published or discarded the draft. '
      ) : (
        <>
          {draft.actor_name} changed the draft <Time value={draft.updated_at} />.{' '}
        </>
      )}
      Your latest changes are only on this page. Load the other version to lose them, or overwrite it.
    </Conflict>
  );
}

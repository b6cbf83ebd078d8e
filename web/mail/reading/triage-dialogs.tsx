import { Suspense } from 'react';
import { lazyPart } from '../../shell/code.ts';
import { useWatched } from '../../ui/watched.ts';
import { asking } from './triage.ts';

const LabelDialog = lazyPart(() => import('./labels/label-dialog.tsx'));
const SnoozeDialog = lazyPart(() => import('./snooze/snooze-dialog.tsx'));

/** The dialogs that ask for a label or for a time. */
export function TriageDialogs() {
  const question = useWatched(asking);
  if (question === null) return null;
  const close = () => asking.set(null);
  return (
    <Suspense fallback={null}>
      {question.kind === 'label' ? (
        <LabelDialog question={question} onClose={close} />
      ) : (
        <SnoozeDialog onChoose={question.onChoose} onClose={close} />
      )}
    </Suspense>
  );
}

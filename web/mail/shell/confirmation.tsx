import { lazy, Suspense } from 'react';
import { useWatched } from '../../ui/watched.ts';
import { confirmation } from './state.ts';

const ConfirmDialog = lazy(() => import('./confirm-dialog.tsx'));

/** The question who sits there: what it is made of is loaded when it is asked. */
export function Confirmation() {
  const asked = useWatched(confirmation);
  if (asked === null) return null;
  return (
    <Suspense fallback={null}>
      <ConfirmDialog {...asked} />
    </Suspense>
  );
}

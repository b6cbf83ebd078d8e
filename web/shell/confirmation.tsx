import { type ComponentType, Suspense } from 'react';
import type { PathValues } from '../api/client.ts';
import { useWatched } from '../ui/watched.ts';
import { question } from './connection.ts';

export interface ConfirmDialogProps {
  /** The ids in the path of the pending call. */
  path: PathValues;
  onFinish(isConfirmed: boolean): void;
}

/** @param dialog asks for confirmation with the application's calls. Loaded lazily, because few pages need the dialog */
export function Confirmation({ dialog: Dialog }: { dialog: ComponentType<ConfirmDialogProps> }) {
  const open = useWatched(question);
  if (open === null) return null;
  return (
    <Suspense fallback={null}>
      <Dialog path={open.path} onFinish={open.finish} />
    </Suspense>
  );
}

import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field, Input } from '../../../ui/field.tsx';

interface RenameDialogProps {
  name: string;
  isBusy: boolean;
  error: string | undefined;
  onRename(name: string): void;
  onClose(): void;
}

export function RenameDialog({ name: before, isBusy, error, onRename, onClose }: RenameDialogProps) {
  const [name, setName] = useState(before);
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={() => onRename(name.trim())}
      title={`Rename ${before}`}
      description="The ID stays the same, so applications that use it are not affected."
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={isBusy}>
            Rename
          </Button>
        </>
      }
    >
      <Field label="Name" error={error}>
        <Input autoComplete="off" value={name} onChange={(event) => setName(event.target.value)} />
      </Field>
    </Dialog>
  );
}

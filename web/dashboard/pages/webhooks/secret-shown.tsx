import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { ShownOnce } from '../../../ui/shown-once.tsx';

/** A secret that is shown only once. */
export function SecretShown({ secret, label }: { secret: string; label: string }) {
  return (
    <ShownOnce label={label} text={secret} what="the secret">
      You won’t see it again. Store it where your endpoint can read it.
    </ShownOnce>
  );
}

export interface CreatedDialogProps {
  /** Such as `webhook`. */
  what: string;
  description: string;
  secret: string;
  label: string;
  onOpen(): void;
  onClose(): void;
}

/** The last step of creating what has a secret: the secret, and the way to the new page. */
export function CreatedDialog({ what, description, secret, label, onOpen, onClose }: CreatedDialogProps) {
  return (
    <Dialog
      isOpen
      isSticky
      onClose={onClose}
      title={`${what.charAt(0).toUpperCase()}${what.slice(1)} created`}
      description={description}
      actions={
        <>
          <Button onClick={onClose}>Done</Button>
          <Button kind="primary" onClick={onOpen}>
            Open {what}
          </Button>
        </>
      }
    >
      <SecretShown secret={secret} label={label} />
    </Dialog>
  );
}

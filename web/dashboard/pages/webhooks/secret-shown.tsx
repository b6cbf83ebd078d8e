import { ShownOnce } from '../../../ui/shown-once.tsx';

/** A secret that is shown only once. */
export function SecretShown({ secret, label }: { secret: string; label: string }) {
  return (
    <ShownOnce label={label} text={secret} what="the secret">
      You won’t see it again. Store it where your endpoint can read it.
    </ShownOnce>
  );
}

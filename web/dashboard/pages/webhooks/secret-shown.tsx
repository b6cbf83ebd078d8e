import { ShownOnce } from '../../../ui/shown-once.tsx';

/** A secret that is shown only once. */
export function SecretShown({ secret, label }: { secret: string; label: string }) {
  return (
    <ShownOnce label={label} text={secret} what="the secret">
      It is shown this once. Store it where your receiver finds it.
    </ShownOnce>
  );
}

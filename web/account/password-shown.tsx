import { ShownOnce } from '../ui/shown-once.tsx';

/** A password that is shown only once. */
export function PasswordShown({ password, label = 'Password' }: { password: string; label?: string }) {
  return (
    <ShownOnce label={label} text={password} what="the password">
      You won’t see it again: Posthorn stores only a hash.
    </ShownOnce>
  );
}

import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { Field, Input } from '../ui/field.tsx';

export interface NewPasswordFieldProps {
  value: string;
  onChange(value: string): void;
  error: string | null | undefined;
  label?: string;
}

export function NewPasswordField({ value, onChange, error, label = 'Password' }: NewPasswordFieldProps) {
  const [isShown, setShown] = useState(false);
  return (
    <Field label={label} hint="At least 12 characters. Several unrelated words work well." error={error}>
      <span className="flex gap-2">
        <Input
          type={isShown ? 'text' : 'password'}
          name="new-password"
          autoComplete="new-password"
          autoCapitalize="none"
          spellCheck={false}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
        <Button aria-label="Show what you type" aria-pressed={isShown} onClick={() => setShown(!isShown)}>
          {isShown ? 'Hide' : 'Show'}
        </Button>
      </span>
    </Field>
  );
}

/** A hidden field that gives password managers the user name for the new password. */
export function UsernameField({ email }: { email: string }) {
  return <input type="hidden" name="username" autoComplete="username" value={email} readOnly />;
}

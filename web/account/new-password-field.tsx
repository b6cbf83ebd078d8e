import { Field, Input } from '../ui/field.tsx';

export interface NewPasswordFieldProps {
  value: string;
  onChange(value: string): void;
  error: string | null | undefined;
  label?: string;
}

export function NewPasswordField({ value, onChange, error, label = 'Password' }: NewPasswordFieldProps) {
  return (
    <Field label={label} hint="At least 12 characters. Several unrelated words work well." error={error}>
      <Input
        type="password"
        name="new-password"
        autoComplete="new-password"
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </Field>
  );
}

/** A hidden field that gives password managers the user name for the new password. */
export function UsernameField({ email }: { email: string }) {
  return <input type="hidden" name="username" autoComplete="username" value={email} readOnly />;
}

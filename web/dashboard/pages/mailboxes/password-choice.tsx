import { Checkbox } from '../../../ui/field.tsx';
import { NewPasswordField } from '../../../account/new-password-field.tsx';

/** The password that the user typed, or null to generate a password. */
export type ChosenPassword = string | null;

interface PasswordChoiceProps {
  value: ChosenPassword;
  onChange(value: ChosenPassword): void;
  error: string | undefined;
}

/** A choice between a generated password and a password that the user types. */
export function PasswordChoice({ value, onChange, error }: PasswordChoiceProps) {
  return (
    <fieldset className="grid gap-2.5">
      <legend className="float-left mb-1 w-full font-medium">Password</legend>
      <Checkbox
        isRadio
        name="password-choice"
        label="Generate one"
        hint="Strong, and shown once."
        checked={value === null}
        onChange={() => onChange(null)}
      />
      <Checkbox
        isRadio
        name="password-choice"
        label="Choose one"
        checked={value !== null}
        onChange={() => onChange('')}
      />
      {value !== null && (
        <div className="pl-6.5">
          <NewPasswordField label="New password" value={value} onChange={onChange} error={error} />
        </div>
      )}
    </fieldset>
  );
}

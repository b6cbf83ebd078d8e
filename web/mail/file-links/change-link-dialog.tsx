import { useState } from 'react';
import { fieldErrors, messageOf } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Checkbox, Field, Input, Select } from '../../ui/field.tsx';
import { changeLink } from './calls.ts';
import type { ChangeFileLink, FileLink } from '../../../src/contract/mail/file-links.ts';
import { daysToChoose, nameOf } from './words.ts';
import { local } from '../../ui/times.ts';

interface ChangeLinkDialogProps {
  mailbox: string;
  link: FileLink;
  onChanged(link: FileLink): void;
  onClose(): void;
}

/** Changes the expiry date, download limit and password of a link. */
export function ChangeLinkDialog({ mailbox, link, onChanged, onClose }: ChangeLinkDialogProps) {
  const [until, setUntil] = useState('');
  const [isProtected, setIsProtected] = useState(link.has_password);
  const [password, setPassword] = useState('');
  const [most, setMost] = useState(link.max_downloads === null ? '' : String(link.max_downloads));
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [isMissing, setIsMissing] = useState(false);
  const errors = fieldErrors(error);

  const save = async (): Promise<void> => {
    const needsPassword = isProtected && !link.has_password && password === '';
    setIsMissing(needsPassword);
    if (needsPassword) return;
    setIsBusy(true);
    try {
      onChanged(await changeLink(mailbox, link.id, changeOf()));
      onClose();
    } catch (problem) {
      setError(problem);
      setIsBusy(false);
    }
  };
  const changeOf = (): ChangeFileLink => ({
    ...(until !== '' && { expires_at: until }),
    ...(isProtected ? password !== '' && { password } : link.has_password && { password: null }),
    ...(most !== String(link.max_downloads ?? '') && { max_downloads: most === '' ? null : Number(most) }),
  });
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={() => void save()}
      title="Link options"
      description={nameOf(link)}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" isBusy={isBusy}>
            Save
          </Button>
        </>
      }
    >
      <div className="grid gap-4">
        <Field
          label="Expires"
          error={errors['expires_at']}
          hint="Its files are then deleted from the server. Downloaded copies are not affected."
        >
          <Select data-focus value={until} onChange={({ target }) => setUntil(target.value)}>
            <option value="">On {local.date(link.expires_at)} (unchanged)</option>
            {daysToChoose(link).map(({ days, time }) => (
              <option key={days} value={time}>
                {days === 1 ? 'In a day' : `In ${days} days`}, on {local.date(time)}
              </option>
            ))}
          </Select>
        </Field>
        <div className="grid gap-2">
          <Checkbox
            label="Require a password"
            hint="Do not send the password in this message."
            checked={isProtected}
            onChange={({ target }) => setIsProtected(target.checked)}
          />
          {isProtected && (
            <Field
              label="Password"
              isLabelHidden
              error={isMissing ? 'Enter a password, or clear the checkbox.' : errors['password']}
            >
              <Input
                type="text"
                autoComplete="off"
                autoCapitalize="none"
                spellCheck={false}
                maxLength={256}
                value={password}
                placeholder={link.has_password ? 'Unchanged' : ''}
                onChange={({ target }) => setPassword(target.value)}
              />
            </Field>
          )}
        </div>
        <Field
          label="Download limit"
          error={errors['max_downloads']}
          hint="The link stops working after this many downloads. Leave empty for no limit."
        >
          <Input
            inputMode="numeric"
            className="max-w-32"
            value={most}
            placeholder="No limit"
            onChange={({ target }) => setMost(target.value.replaceAll(/\D/g, '').slice(0, 6))}
          />
        </Field>
        {error !== null && Object.keys(errors).length === 0 && (
          <p role="alert" className="text-sm text-bad">
            {messageOf(error)}
          </p>
        )}
      </div>
    </Dialog>
  );
}

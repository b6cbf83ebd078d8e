import { useState } from 'react';
import { dataOf, fieldErrors } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { MailboxVacation } from '../../../../src/contract/mailbox-filing.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field, Input, Textarea } from '../../../ui/field.tsx';
import { useMay } from '../../shell/session.ts';
import type { MailboxKey } from '../mailboxes/queries.ts';
import { useFilingChange } from './use-filing-change.ts';
import { firstDay, fromOf, lastDay, untilOf } from './vacation-days.ts';

interface VacationProps {
  of: MailboxKey;
  /** Null: nobody is answered. */
  vacation: MailboxVacation | null;
}

export function Vacation({ of: key, vacation }: VacationProps) {
  const isAdmin = useMay('admin');
  const [isOpen, setOpen] = useState(false);
  const end = useFilingChange(
    key,
    () => dataOf(api.DELETE('/projects/{project}/mailboxes/{id}/vacation', { params: { path: { ...key } } })),
    'Nobody is answered any more',
  );
  return (
    <Card
      title="Vacation"
      aside={
        isAdmin && (
          <span className="flex flex-wrap gap-2">
            {vacation !== null && (
              <Button isBusy={end.isPending} onClick={() => end.mutate(undefined)}>
                Switch off
              </Button>
            )}
            <Button onClick={() => setOpen(true)}>{vacation === null ? 'Set up' : 'Change'}</Button>
          </span>
        )
      }
    >
      {vacation === null ? (
        <p className="text-muted">Nobody is answered while its owner is away.</p>
      ) : (
        <>
          <p className="flex flex-wrap items-center gap-2">
            <Badge tone="info">{stateOf(vacation)}</Badge> {spanOf(vacation)}
          </p>
          <p className="mt-2 font-medium wrap-anywhere">
            {vacation.subject ?? 'Auto: and the subject that it answers'}
          </p>
          <p className="mt-1 max-h-40 overflow-y-auto whitespace-pre-wrap wrap-anywhere" tabIndex={0}>
            {vacation.text}
          </p>
          <p className="mt-2 text-sm text-muted">
            Each sender gets one answer in {vacation.days} {vacation.days === 1 ? 'day' : 'days'}.
            {vacation.html !== null && ' It has an HTML part.'}
          </p>
        </>
      )}
      {isOpen && <SetVacation of={key} vacation={vacation} onClose={() => setOpen(false)} />}
    </Card>
  );
}

function stateOf({ from, until }: MailboxVacation): string {
  const now = Date.now();
  if (until !== null && Date.parse(until) <= now) return 'Over';
  return from !== null && Date.parse(from) > now ? 'Planned' : 'On';
}

function spanOf({ from, until }: MailboxVacation): string {
  const [first, last] = [firstDay(from), lastDay(until)];
  if (first !== '' && last !== '') return `${first} to ${last}`;
  if (first !== '') return `from ${first} on`;
  return last === '' ? 'until it is switched off' : `until ${last}`;
}

function SetVacation({ of: key, vacation, onClose }: VacationProps & { onClose(): void }) {
  const [subject, setSubject] = useState(vacation?.subject ?? '');
  const [text, setText] = useState(vacation?.text ?? '');
  const [html, setHtml] = useState(vacation?.html ?? '');
  const [first, setFirst] = useState(firstDay(vacation?.from ?? null));
  const [last, setLast] = useState(lastDay(vacation?.until ?? null));
  const [days, setDays] = useState(String(vacation?.days ?? 7));
  const set = useFilingChange(
    key,
    () =>
      dataOf(
        api.PUT('/projects/{project}/mailboxes/{id}/vacation', {
          params: { path: { ...key } },
          body: {
            text,
            days: Number(days),
            subject: subject.trim() === '' ? null : subject.trim(),
            html: html.trim() === '' ? null : html,
            from: fromOf(first, vacation?.from ?? null),
            until: untilOf(last, vacation?.until ?? null),
          },
        }),
      ),
    'The answer is set',
  );
  const errors = fieldErrors(set.error);
  return (
    <Dialog
      isOpen
      width="wide"
      onClose={onClose}
      onSubmit={() => set.mutate(undefined, { onSuccess: onClose })}
      title="Vacation"
      description="An answer for people who write while the owner is away. Programs, lists and spam get none; who had an answer before gets this one too."
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={set.isPending}>
            Save
          </Button>
        </>
      }
    >
      <div className="grid gap-5">
        <Field label="Text" error={errors['text']}>
          <Textarea
            required
            rows={5}
            placeholder="I am back on Monday. In urgent cases: office@acme.example"
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </Field>
        <Field label="Subject" hint="Empty: Auto: and the subject that it answers." error={errors['subject']}>
          <Input
            maxLength={200}
            autoComplete="off"
            value={subject}
            onChange={(event) => setSubject(event.target.value)}
          />
        </Field>
        <div className="grid gap-x-5 gap-y-4 sm:grid-cols-3">
          <Field label="First day" hint="Empty: from now on." error={errors['from']}>
            <Input type="date" value={first} onChange={(event) => setFirst(event.target.value)} />
          </Field>
          <Field label="Last day" hint="It counts. Days end at midnight UTC." error={errors['until']}>
            <Input type="date" value={last} onChange={(event) => setLast(event.target.value)} />
          </Field>
          <Field label="Days between answers" hint="To one sender, 1 to 30." error={errors['days']}>
            <Input
              type="number"
              min={1}
              max={30}
              inputMode="numeric"
              value={days}
              onChange={(event) => setDays(event.target.value)}
            />
          </Field>
        </div>
        <Field label="HTML" hint="The same once more, for who reads HTML. Optional." error={errors['html']}>
          <Textarea
            rows={3}
            spellCheck={false}
            className="font-mono"
            value={html}
            onChange={(event) => setHtml(event.target.value)}
          />
        </Field>
      </div>
    </Dialog>
  );
}

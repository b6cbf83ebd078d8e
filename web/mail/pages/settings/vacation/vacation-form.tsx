import { useState } from 'react';
import { dataOf, fieldErrors } from '../../../../api/client.ts';
import { api } from '../../../../api/mail.ts';
import type { MailboxVacation } from '../../../../../src/contract/mailbox-filing.ts';
import { Button } from '../../../../ui/button.tsx';
import { Field, Input, Textarea } from '../../../../ui/field.tsx';
import { useMailbox } from '../../../shell/session.ts';
import { vacationQuery } from '../queries.ts';
import { useChange } from '../use-change.ts';
import { firstDay, fromOf, lastDay, untilOf } from './days.ts';

/** @param vacation null: nobody is answered */
export function VacationForm({ vacation }: { vacation: MailboxVacation | null }) {
  const { mailbox } = useMailbox();
  const [subject, setSubject] = useState(vacation?.subject ?? '');
  const [text, setText] = useState(vacation?.text ?? '');
  const [first, setFirst] = useState(firstDay(vacation?.from ?? null));
  const [last, setLast] = useState(lastDay(vacation?.until ?? null));
  const [days, setDays] = useState(String(vacation?.days ?? 7));
  const set = useChange(
    vacationQuery(mailbox).queryKey,
    () =>
      dataOf(
        api.PUT('/mailboxes/{mailbox}/vacation', {
          params: { path: { mailbox } },
          body: {
            text,
            days: Number(days),
            html: sameHtml(vacation, text),
            subject: subject.trim() === '' ? null : subject.trim(),
            from: fromOf(first, vacation?.from ?? null),
            until: untilOf(last, vacation?.until ?? null),
          },
        }),
      ),
    'The answer is set: who had one before gets this one too',
  );
  const errors = fieldErrors(set.error);
  return (
    <form
      noValidate
      className="grid gap-5"
      onSubmit={(event) => {
        event.preventDefault();
        set.mutate();
      }}
    >
      <div className="grid gap-x-5 gap-y-4 sm:grid-cols-3">
        <Field label="First day" hint="Empty: from now on." error={errors['from']}>
          <Input type="date" value={first} onChange={(event) => setFirst(event.target.value)} />
        </Field>
        <Field
          label="Last day"
          hint="It counts. Empty: until you switch it off."
          error={errors['until'] && 'It must not be before the first day.'}
        >
          <Input type="date" value={last} onChange={(event) => setLast(event.target.value)} />
        </Field>
        <Field
          label="Days between answers"
          hint="To one sender, 1 to 30."
          error={errors['days'] && 'Enter a number from 1 to 30.'}
        >
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
      <Field label="Subject" hint="Empty: “Auto:” and the subject that it answers." error={errors['subject']}>
        <Input
          maxLength={200}
          autoComplete="off"
          value={subject}
          onChange={(event) => setSubject(event.target.value)}
        />
      </Field>
      <Field label="Text" error={errors['text'] && 'Write what people are to read, at most 16 KB.'}>
        <Textarea
          required
          rows={7}
          placeholder="I am back on Monday. In urgent cases: office@acme.example"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </Field>
      <div>
        <Button kind="primary" type="submit" isBusy={set.isPending}>
          {vacation === null ? 'Switch on' : 'Save'}
        </Button>
      </div>
    </form>
  );
}

/** An HTML part, which is set elsewhere, says the same as the text: with another text it would not. */
function sameHtml(vacation: MailboxVacation | null, text: string): string | null {
  return vacation !== null && vacation.text === text ? vacation.html : null;
}

import { useState } from 'react';
import { fieldErrors } from '../api/client.ts';
import { useChange } from '../api/use-change.ts';
import type { MailboxVacation } from '../../src/contract/mailbox-filing.ts';
import { Button } from '../ui/button.tsx';
import { Field, Input, Textarea } from '../ui/field.tsx';
import type { VacationCalls } from './part.ts';
import { type Calendar, firstDay, fromOf, lastDay, untilOf } from './vacation-days.ts';

interface VacationFormProps {
  /** Null if no replies are sent. */
  vacation: MailboxVacation | null;
  calls: VacationCalls;
  calendar: Calendar;
  hasHtml: boolean;
}

export function VacationForm({ vacation, calls, calendar, hasHtml }: VacationFormProps) {
  const [from, until] = [vacation?.from ?? null, vacation?.until ?? null];
  const [subject, setSubject] = useState(vacation?.subject ?? '');
  const [text, setText] = useState(vacation?.text ?? '');
  const [html, setHtml] = useState(vacation?.html ?? '');
  const [first, setFirst] = useState(firstDay(calendar, from));
  const [last, setLast] = useState(lastDay(calendar, until));
  const [days, setDays] = useState(String(vacation?.days ?? 7));
  // If the form hides the HTML part, a change to the text removes the HTML part, because both parts must have the same content.
  const hasOldHtml = hasHtml || text === vacation?.text;
  const set = useChange(
    calls.queryKey,
    () =>
      calls.set({
        text,
        days: Number(days),
        html: hasOldHtml && html.trim() !== '' ? html : null,
        subject: subject.trim() === '' ? null : subject.trim(),
        from: fromOf(calendar, first, from),
        until: untilOf(calendar, last, until),
      }),
    'Vacation reply saved. Senders who already got an earlier one get this one too',
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
        <Field label="First day" hint="Leave empty to start now." error={errors['from']}>
          <Input type="date" value={first} onChange={(event) => setFirst(event.target.value)} />
        </Field>
        <Field
          label="Last day"
          hint={calendar.hint}
          error={errors['until'] && 'The last day cannot be before the first day.'}
        >
          <Input type="date" value={last} onChange={(event) => setLast(event.target.value)} />
        </Field>
        <Field
          label="Days between replies"
          hint="To the same sender, 1 to 30."
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
      <Field
        label="Subject"
        hint="Leave empty to use “Auto:” plus the original subject."
        error={errors['subject']}
      >
        <Input
          maxLength={200}
          autoComplete="off"
          value={subject}
          onChange={(event) => setSubject(event.target.value)}
        />
      </Field>
      <Field label="Message" error={errors['text'] && 'Enter at most 16 KB of text.'}>
        <Textarea
          required
          rows={7}
          placeholder="I will be back on Monday. For urgent matters: office@acme.example"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </Field>
      {hasHtml && (
        <Field
          label="HTML"
          hint="Optional. The same text for mail apps that show HTML."
          error={errors['html']}
        >
          <Textarea
            rows={3}
            spellCheck={false}
            className="font-mono"
            value={html}
            onChange={(event) => setHtml(event.target.value)}
          />
        </Field>
      )}
      <div>
        <Button kind="primary" type="submit" isBusy={set.isPending}>
          {vacation === null ? 'Turn on' : 'Save'}
        </Button>
      </div>
    </form>
  );
}

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf, fieldErrors } from '../../../../api/client.ts';
import { api } from '../../../../api/mail.ts';
import type { ChangeMailSettings, MailSettings } from '../../../../../src/contract/mail/settings.ts';
import { queryClient } from '../../../../api/query-client.ts';
import { Button } from '../../../../ui/button.tsx';
import { Field, Input, Textarea } from '../../../../ui/field.tsx';
import { PageHeader } from '../../../../ui/page-header.tsx';
import { mailSettingsQuery } from '../../../shell/mail-settings.ts';
import { accountsQuery, useMailbox } from '../../../shell/session.ts';
import { Loaded } from '../../../../shell/loaded.tsx';
import { useChange } from '../../../../api/use-change.ts';

const LINK = /https?:\/\/[^\s<>"']+[^\s<>"'.,;:!?)]/g;

export default function WritingPage() {
  const { mailbox } = useMailbox();
  const found = useQuery(mailSettingsQuery(mailbox));
  return (
    <>
      <PageHeader title="Writing" />
      <Loaded query={found}>{(settings) => <WritingForm settings={settings} />}</Loaded>
    </>
  );
}

function WritingForm({ settings }: { settings: MailSettings }) {
  const { mailbox, address } = useMailbox();
  const [name, setName] = useState(settings.display_name ?? '');
  const [signature, setSignature] = useState(() => textOf(settings.signature_html ?? ''));
  /** Whether the user has edited the signature. Only an edit removes the formatting of the signature. */
  const [isTouched, setTouched] = useState(false);
  const save = useChange<ChangeMailSettings>(
    mailSettingsQuery(mailbox).queryKey,
    async (body) => {
      await dataOf(api.PATCH('/mailboxes/{mailbox}/settings', { params: { path: { mailbox } }, body }));
      await queryClient.invalidateQueries(accountsQuery);
    },
    'Saved',
  );
  const errors = fieldErrors(save.error);
  return (
    <form
      noValidate
      className="grid max-w-xl gap-5"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate({ display_name: name.trim(), ...(isTouched && { signature_html: htmlOf(signature) }) });
      }}
    >
      <Field
        label="Name"
        hint={`Shown to recipients next to ${address}. Leave empty to show only the address.`}
        error={errors['display_name']}
      >
        <Input
          maxLength={256}
          autoComplete="name"
          placeholder="Ann Lee"
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </Field>
      <Field
        label="Signature"
        hint={
          settings.signature_html !== null &&
          htmlOf(textOf(settings.signature_html)) !== settings.signature_html
            ? 'This signature has formatting, which is lost if you edit it here.'
            : 'Added below your messages. URLs become links automatically.'
        }
        error={errors['signature_html']}
      >
        <Textarea
          rows={5}
          placeholder={'Ann Lee\nAcme, support'}
          value={signature}
          onChange={(event) => {
            setTouched(true);
            setSignature(event.target.value);
          }}
        />
      </Field>
      <div>
        <p className="font-medium">Reply-To</p>
        <p className="text-muted wrap-anywhere">
          {settings.reply_to ?? address}
          {settings.reply_to !== null && ' (set by your administrator)'}
        </p>
        {settings.reply_to === null && (
          <p className="mt-1 text-sm text-muted">
            Replies go to this address. Only your administrator can change it.
          </p>
        )}
      </div>
      <div>
        <Button kind="primary" type="submit" isBusy={save.isPending}>
          Save
        </Button>
      </div>
    </form>
  );
}

/**
 * The text of the signature, line by line. The HTML is neither displayed nor run, because the parsed document never
 * becomes part of the page.
 */
function textOf(html: string): string {
  const { body } = new DOMParser().parseFromString(html, 'text/html');
  for (const hidden of body.querySelectorAll('script, style, template, title')) hidden.remove();
  for (const end of body.querySelectorAll('br')) end.replaceWith('\n');
  for (const block of body.querySelectorAll('p, div, li, tr, h1, h2, h3')) block.append('\n');
  return (body.textContent ?? '').replace(/\n{3,}/g, '\n\n').trim();
}

function htmlOf(text: string): string {
  const lines = text.trim();
  if (lines === '') return '';
  return `<p>${lines.split('\n').map(withLinks).join('<br>')}</p>`;
}

function withLinks(line: string): string {
  let html = '';
  let end = 0;
  for (const { 0: url, index } of line.matchAll(LINK)) {
    html += `${escaped(line.slice(end, index))}<a href="${escaped(url)}">${escaped(url)}</a>`;
    end = index + url.length;
  }
  return html + escaped(line.slice(end));
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

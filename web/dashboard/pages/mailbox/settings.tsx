import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { dataOf, fieldErrors } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { ChangeMailbox, DashboardMailbox } from '../../../../src/contract/dashboard/mailboxes.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Copy } from '../../../ui/copy.tsx';
import { Checkbox, Field, Input, Select, Textarea } from '../../../ui/field.tsx';
import { Time } from '../../../ui/time.tsx';
import { toast } from '../../../ui/toast.tsx';
import { useMay } from '../../shell/session.ts';
import { allMailboxes } from '../mailboxes/queries.ts';
import { Storage } from '../mailboxes/storage.tsx';
import { ApiAccess } from './api-access.tsx';
import type { MailboxPartProps } from './part-props.ts';
import { Sent } from './sent.tsx';
import { counted } from '../../../ui/amounts.ts';

const LEVELS = { off: 'Off', low: 'Low', medium: 'Medium', high: 'High' } as const;

export function Settings({ of: key, mailbox }: MailboxPartProps) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
      <SettingsForm of={key} mailbox={mailbox} />
      <div className="grid gap-4">
        <Card title="Storage">
          <Storage {...mailbox} />
          <p className="mt-3 text-sm text-muted">{counted(mailbox.messages, 'message')} in all folders</p>
        </Card>
        <Sent of={key} />
        <ApiAccess of={key} mailbox={mailbox} />
        <Card title="Aliases">
          {mailbox.aliases.length === 0 && <p className="text-muted">No aliases.</p>}
          <ul className="grid gap-1">
            {mailbox.aliases.map(({ id, address }) => (
              <li key={id} className="wrap-anywhere">
                {address}
              </li>
            ))}
          </ul>
          <p className="mt-2">
            <Link to="/aliases" className="text-accent hover:underline">
              All aliases
            </Link>
          </p>
        </Card>
        <div className="px-1 text-sm text-muted">
          <p>
            Created <Time value={mailbox.created_at} />
          </p>
          <p className="flex items-center gap-1">
            <span className="font-mono wrap-anywhere">{mailbox.id}</span>
            <Copy text={mailbox.id} what="the ID" />
          </p>
        </div>
      </div>
    </div>
  );
}

/** The texts of the form's fields. */
interface Values {
  displayName: string;
  replyTo: string;
  quotaMb: string;
  /** The daily send limit; empty for no limit. */
  dailySendLimit: string;
  /** The spam level; empty for the project's level. */
  spamLevel: string;
  signatureHtml: string;
  isCatchAll: boolean;
  saveSent: boolean;
  emptyFolders: boolean;
}

function valuesOf(mailbox: DashboardMailbox): Values {
  return {
    displayName: mailbox.display_name ?? '',
    replyTo: mailbox.reply_to ?? '',
    quotaMb: String(mailbox.quota_mb),
    dailySendLimit: mailbox.daily_send_limit === null ? '' : String(mailbox.daily_send_limit),
    spamLevel: mailbox.spam_level ?? '',
    signatureHtml: mailbox.signature_html ?? '',
    isCatchAll: mailbox.is_catch_all,
    saveSent: mailbox.save_sent,
    emptyFolders: mailbox.empty_folders,
  };
}

/** The changed fields, as the API expects them. */
function changesOf(before: Values, values: Values): ChangeMailbox {
  const differs = (name: keyof Values) => values[name] !== before[name];
  const { dailySendLimit, spamLevel } = values;
  return {
    ...(differs('displayName') && { display_name: values.displayName.trim() }),
    ...(differs('replyTo') && { reply_to: values.replyTo.trim() }),
    ...(differs('quotaMb') && { quota_mb: Number(values.quotaMb) }),
    ...(differs('dailySendLimit') && {
      daily_send_limit: dailySendLimit === '' ? null : Number(dailySendLimit),
    }),
    ...(differs('spamLevel') && {
      spam_level: spamLevel === '' ? null : (spamLevel as keyof typeof LEVELS),
    }),
    ...(differs('signatureHtml') && { signature_html: values.signatureHtml }),
    ...(differs('isCatchAll') && { is_catch_all: values.isCatchAll }),
    ...(differs('saveSent') && { save_sent: values.saveSent }),
    ...(differs('emptyFolders') && { empty_folders: values.emptyFolders }),
  };
}

function SettingsForm({ of: key, mailbox }: MailboxPartProps) {
  const mayChange = useMay('developer');
  // Only admins may make a mailbox a catch-all, because the mailbox then receives mail to other addresses.
  const mayRedirect = useMay('admin');
  const before = valuesOf(mailbox);
  /** The edited values. Null until the user edits a field; while null, the form shows changes by other users. */
  const [draft, setDraft] = useState<Values | null>(null);
  const values = draft ?? before;
  const changes = changesOf(before, values);
  const queries = useQueryClient();
  const save = useMutation({
    mutationFn: () =>
      dataOf(
        api.PATCH('/projects/{project}/mailboxes/{id}', { params: { path: { ...key } }, body: changes }),
      ),
    async onSuccess() {
      toast('Settings saved');
      await queries.invalidateQueries({ queryKey: allMailboxes(key.project) });
      setDraft(null);
    },
  });
  const errors = fieldErrors(save.error);
  const set = (change: Partial<Values>) => setDraft({ ...values, ...change });
  const isUnchanged = Object.keys(changes).length === 0;
  return (
    <Card title="Settings">
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (!isUnchanged) save.mutate();
        }}
      >
        <fieldset disabled={!mayChange} className="grid gap-5">
          <legend className="sr-only">Settings</legend>
          <div className="grid gap-5 sm:grid-cols-2">
            <Field
              label="Name"
              hint="Shown to recipients next to the address."
              error={errors['display_name']}
            >
              <Input
                autoComplete="off"
                maxLength={256}
                value={values.displayName}
                onChange={(event) => set({ displayName: event.target.value })}
              />
            </Field>
            <Field
              label="Reply-To"
              hint="Replies go to this address. Leave empty to use the mailbox address."
              error={errors['reply_to']}
            >
              <Input
                type="email"
                autoComplete="off"
                value={values.replyTo}
                onChange={(event) => set({ replyTo: event.target.value })}
              />
            </Field>
            <Field
              label="Quota in MB"
              hint="For all folders together, 1 to 1,048,576."
              error={errors['quota_mb']}
            >
              <Input
                type="number"
                inputMode="numeric"
                min={1}
                value={values.quotaMb}
                onChange={(event) => set({ quotaMb: event.target.value })}
              />
            </Field>
            <Field
              label="Daily send limit"
              hint="Recipients in any 24 hours. Leave empty for no limit."
              error={errors['daily_send_limit']}
            >
              <Input
                type="number"
                inputMode="numeric"
                min={1}
                placeholder="No limit"
                value={values.dailySendLimit}
                onChange={(event) => set({ dailySendLimit: event.target.value })}
              />
            </Field>
            <Field
              label="Spam level"
              hint="How strictly mail is filtered into Junk."
              error={errors['spam_level']}
            >
              <Select value={values.spamLevel} onChange={(event) => set({ spamLevel: event.target.value })}>
                <option value="">Project default ({LEVELS[mailbox.project_spam_level].toLowerCase()})</option>
                {Object.entries(LEVELS).map(([level, name]) => (
                  <option key={level} value={level}>
                    {name}
                  </option>
                ))}
              </Select>
            </Field>
          </div>
          <Field
            label="Signature"
            hint="HTML, added below messages from the web client. At most 64 KB."
            error={errors['signature_html']}
          >
            <Textarea
              rows={3}
              spellCheck={false}
              className="font-mono"
              value={values.signatureHtml}
              onChange={(event) => set({ signatureHtml: event.target.value })}
            />
          </Field>
          <div className="grid gap-2.5">
            <Checkbox
              label="Catch-all"
              disabled={!mayRedirect}
              hint={
                errors['is_catch_all'] === undefined ? (
                  `Receives mail for non-existent addresses at its domain. Only one per domain.${
                    mayRedirect ? '' : ' Only admins and owners can change this setting.'
                  }`
                ) : (
                  <span className="text-bad">{errors['is_catch_all']}</span>
                )
              }
              checked={values.isCatchAll}
              onChange={(event) => set({ isCatchAll: event.target.checked })}
            />
            <Checkbox
              label="Save a copy in Sent"
              hint="For mail apps that do not save sent messages themselves. Otherwise, leave this off, or sent messages appear twice."
              checked={values.saveSent}
              onChange={(event) => set({ saveSent: event.target.checked })}
            />
            <Checkbox
              label="Empty Junk and Trash automatically"
              hint="Messages are permanently deleted after 30 days."
              checked={values.emptyFolders}
              onChange={(event) => set({ emptyFolders: event.target.checked })}
            />
          </div>
        </fieldset>
        {mayChange && (
          <div className="mt-5 flex justify-end gap-2">
            {!isUnchanged && <Button onClick={() => setDraft(null)}>Discard</Button>}
            <Button type="submit" kind="primary" disabled={isUnchanged} isBusy={save.isPending}>
              Save
            </Button>
          </div>
        )}
      </form>
    </Card>
  );
}

import { type Ref, useState } from 'react';
import type { Identities, Identity } from '../../../src/contract/mail/identities.ts';
import { ChevronDownIcon } from '../../ui/icons.tsx';
import type { Fields } from './draft/composition.ts';
import { identityOf } from './identity-of.ts';
import { RecipientField } from './recipients/recipient-field.tsx';

export interface HeadFieldsProps {
  mailbox: string;
  fields: Fields;
  identities: Identities | undefined;
  onChange(given: Partial<Fields> | ((before: Fields) => Partial<Fields>)): void;
  toRef: Ref<HTMLInputElement>;
  /** Called when the user leaves the subject with Enter, to move the focus to the text. */
  onDone(): void;
}

const COPIES = ['cc', 'bcc'] as const;
const LABELS = { to: 'To', cc: 'Cc', bcc: 'Bcc' } as const;

/** The fields for recipients, sender and subject. Cc and Bcc appear on request; From appears if the mailbox has several identities. */
export function HeadFields({ mailbox, fields, identities, onChange, toRef, onDone }: HeadFieldsProps) {
  const [requestedFields, setRequestedFields] = useState<readonly string[]>([]);
  const [begun] = useState(() => COPIES.filter((name) => fields[name].length > 0));
  const isShown = (name: 'cc' | 'bcc') =>
    requestedFields.includes(name) || begun.includes(name) || fields[name].length > 0;
  const hidden = COPIES.filter((name) => !isShown(name));
  const people = (name: 'to' | 'cc' | 'bcc', isRequested: boolean) => (
    <RecipientField
      key={name}
      label={LABELS[name]}
      mailbox={mailbox}
      recipients={fields[name]}
      isRequested={isRequested}
      onChange={(change) => onChange((before) => ({ [name]: change(before[name]) }))}
      {...(name === 'to' && { ref: toRef })}
    >
      {name === 'to' &&
        hidden.map((each) => (
          <button
            key={each}
            type="button"
            onClick={() => setRequestedFields([...requestedFields, each])}
            className="h-8 rounded-md px-2 text-muted hover:bg-hover hover:text-text sm:h-7"
          >
            {LABELS[each]}
          </button>
        ))}
    </RecipientField>
  );
  return (
    <div className="shrink-0">
      {identities !== undefined && identities.data.length > 1 && (
        <From identities={identities} fields={fields} onChange={onChange} />
      )}
      {people('to', false)}
      {COPIES.filter(isShown).map((name) => people(name, requestedFields.includes(name)))}
      <label className="flex items-center gap-2 border-b border-line px-4 py-1">
        <span className="w-14 shrink-0 text-muted">Subject</span>
        <input
          type="text"
          dir="auto"
          maxLength={998}
          autoComplete="off"
          value={fields.subject}
          onChange={({ target }) => onChange({ subject: target.value })}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.nativeEvent.isComposing || event.ctrlKey || event.metaKey)
              return;
            event.preventDefault();
            onDone();
          }}
          className="h-9 min-w-0 flex-1 bg-transparent text-lg font-medium outline-none sm:h-7 sm:text-base"
        />
      </label>
    </div>
  );
}

interface FromProps {
  identities: Identities;
  fields: Pick<Fields, 'from' | 'identity'>;
  onChange(sender: Pick<Fields, 'from' | 'identity'>): void;
}

function From({ identities, fields, onChange }: FromProps) {
  const current = identityOf(identities, fields);
  /** The address for its default identity, which is the first of the address. */
  const valueOf = (each: Identity) =>
    identities.data.find(({ address }) => address === each.address) === each
      ? each.address
      : `${each.address} ${each.id}`;
  return (
    <label className="flex items-center gap-2 border-b border-line px-4 py-1">
      <span className="w-14 shrink-0 text-muted">From</span>
      <select
        dir="auto"
        value={current && valueOf(current)}
        onChange={({ target }) => {
          const chosen = identities.data.find((each) => valueOf(each) === target.value);
          if (chosen !== undefined) onChange({ from: chosen.address, identity: chosen.id });
        }}
        className="h-9 min-w-0 flex-1 appearance-none truncate bg-transparent text-lg outline-none sm:h-7 sm:text-base"
      >
        {identities.data.map((each) => {
          // A reply to a tagged address, such as ann+shop@acme.example, is sent from that address.
          const address = each === current ? (fields.from ?? each.address) : each.address;
          const sender = each.name === null ? address : `${each.name} <${address}>`;
          return (
            <option key={valueOf(each)} value={valueOf(each)} className="bg-raised">
              {each.is_on_behalf ? `${sender} (on behalf)` : sender}
            </option>
          );
        })}
      </select>
      <ChevronDownIcon className="pointer-events-none text-muted" />
    </label>
  );
}

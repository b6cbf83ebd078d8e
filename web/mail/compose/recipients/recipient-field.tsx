import {
  type ClipboardEvent,
  type DragEvent,
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react';
import { classes } from '../../../ui/classes.ts';
import { RecipientChip } from './chip.tsx';
import { isAddress, parseAddresses, type Recipient } from './parse-addresses.ts';
import { Suggestions } from './suggestions.tsx';
import { useSuggestions } from './use-suggestions.ts';

/** The media type of a recipient that is dragged from one field to another. */
const DRAGGED = 'application/x-posthorn-recipient';

export interface RecipientFieldProps {
  /** The label of the field: To, Cc or Bcc. */
  label: string;
  mailbox: string;
  recipients: readonly Recipient[];
  onChange(change: (before: readonly Recipient[]) => Recipient[]): void;
  /** Buttons at the end of the field, which show hidden fields. */
  children?: ReactNode;
  /** Whether the user has just opened this field. */
  isRequested?: boolean;
  ref?: Ref<HTMLInputElement>;
}

/**
 * A field for recipients. Typed text becomes a recipient on Enter, on a comma, or when the field loses the focus.
 */
export function RecipientField({
  label,
  mailbox,
  recipients,
  onChange,
  children,
  isRequested = false,
  ref,
}: RecipientFieldProps) {
  const id = useId();
  const [text, setText] = useState('');
  const [isOpen, setIsOpen] = useState(false);
  const [picked, setPicked] = useState<number | null>(null);
  const row = useRef<HTMLDivElement>(null);
  const found = useSuggestions(mailbox, text, isOpen, recipients);
  const isShown = isOpen && found.length > 0;
  // A typed address takes precedence over suggestions, except over a suggestion that the user selected.
  const active = isShown ? (picked ?? (isAddress(text.trim()) || text === '' ? -1 : 0)) : -1;
  const bad = recipients.filter(({ address }) => !isAddress(address));

  const show = (typed: string, open: boolean): void => {
    setText(typed);
    setIsOpen(open);
    setPicked(null);
  };
  const add = (more: readonly Recipient[]): void => {
    show('', false);
    if (more.length > 0) onChange((before) => joined(before, more));
  };
  const remove = (at: number): void => {
    onChange((before) => before.filter((_, each) => each !== at));
    input()?.focus();
  };
  const edit = (at: number): void => {
    const one = recipients[at];
    remove(at);
    if (one !== undefined) show(one.address, false);
  };
  useEffect(() => {
    if (isRequested) row.current?.querySelector('input')?.focus();
  }, [isRequested]);
  const input = () => row.current?.querySelector('input');
  const chips = () => [...(row.current?.querySelectorAll<HTMLElement>('[data-chip]') ?? [])];

  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>): void => {
    if (event.nativeEvent.isComposing) return;
    const { key } = event;
    const isAtStart = event.currentTarget.selectionStart === 0 && event.currentTarget.selectionEnd === 0;
    const chosen = found[active];
    if (key === 'ArrowDown' || key === 'ArrowUp') {
      event.preventDefault();
      if (!isShown) setIsOpen(true);
      else
        setPicked((active + (key === 'ArrowDown' ? 1 : found.length + (active < 0 ? 0 : -1))) % found.length);
    } else if (key === 'Escape' && isShown) {
      event.stopPropagation();
      event.preventDefault();
      setIsOpen(false);
    } else if ((key === 'Enter' || key === 'Tab') && chosen !== undefined && !event.shiftKey) {
      event.preventDefault();
      add([chosen]);
    } else if (key === 'Enter' && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      add(parseAddresses(text));
    } else if ((key === ',' || key === ';' || key === ' ') && endsHere(text, key)) {
      event.preventDefault();
      add(parseAddresses(text));
    } else if ((key === 'Backspace' || key === 'ArrowLeft') && isAtStart && recipients.length > 0) {
      event.preventDefault();
      chips().at(-1)?.focus();
    }
  };
  const onPaste = (event: ClipboardEvent): void => {
    const pasted = event.clipboardData.getData('text/plain');
    // The pasted text is only a part of an address, so the browser inserts it into the typed text.
    if (!/[@,;\n]/.test(pasted) || !/@/.test(pasted)) return;
    event.preventDefault();
    add(parseAddresses(`${text}${pasted}`));
  };
  const onDrop = (event: DragEvent): void => {
    const dragged = event.dataTransfer.getData(DRAGGED);
    if (dragged === '') return;
    event.preventDefault();
    const recipient = JSON.parse(dragged) as Recipient;
    // The recipient was dragged from this field and dropped on this field, so nothing changes.
    if (recipients.some(({ address }) => address === recipient.address))
      event.dataTransfer.dropEffect = 'none';
    else add([recipient]);
  };

  return (
    <div
      className="relative border-b border-line px-4 py-1"
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes(DRAGGED)) return;
        event.preventDefault();
        event.dataTransfer.dropEffect = 'move';
      }}
      onDrop={onDrop}
    >
      <div className="flex items-start gap-2">
        <label htmlFor={id} className="w-14 shrink-0 py-1.5 text-muted sm:py-1">
          {label}
        </label>
        <div
          ref={row}
          className="flex max-h-32 min-w-0 flex-1 flex-wrap gap-1 overflow-y-auto py-1 sm:py-0.5"
        >
          {recipients.map((recipient, at) => (
            <RecipientChip
              key={`${recipient.address} ${at}`}
              recipient={recipient}
              isBad={!isAddress(recipient.address)}
              onRemove={() => remove(at)}
              onEdit={() => edit(at)}
              onStep={(by) => (chips()[at + by] ?? (by > 0 ? input() : chips()[0]))?.focus()}
              onDrag={(transfer) => {
                transfer.setData(DRAGGED, JSON.stringify(recipient));
                transfer.effectAllowed = 'move';
              }}
              onDragged={() => onChange((before) => before.filter((each) => each !== recipient))}
            />
          ))}
          <input
            ref={ref}
            id={id}
            role="combobox"
            aria-autocomplete="list"
            aria-expanded={isShown}
            aria-controls={`${id}-list`}
            aria-activedescendant={active < 0 ? undefined : `${id}-${active}`}
            aria-invalid={bad.length > 0 || undefined}
            aria-describedby={bad.length > 0 ? `${id}-bad` : undefined}
            type="text"
            inputMode="email"
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            value={text}
            onChange={({ target }) => show(target.value, target.value.trim() !== '')}
            onKeyDown={onKeyDown}
            onPaste={onPaste}
            onBlur={() => add(parseAddresses(text))}
            className="h-7 min-w-12 flex-1 bg-transparent text-lg outline-none focus:min-w-24 sm:h-6 sm:min-w-24 sm:text-base"
          />
        </div>
        {children !== undefined && <div className="flex shrink-0 py-0.5">{children}</div>}
      </div>
      {bad.length > 0 && (
        <p id={`${id}-bad`} role="status" className={classes('pb-1 pl-16 text-sm text-bad')}>
          {problemOf(bad)}
        </p>
      )}
      <Suggestions
        id={id}
        anchor={input}
        isShown={isShown}
        found={found}
        active={active}
        onPick={(recipient) => {
          add([recipient]);
          input()?.focus();
        }}
      />
    </div>
  );
}

function problemOf(bad: readonly Recipient[]): string {
  const [first] = bad;
  if (bad.length === 1 && first !== undefined)
    return `“${first.address}” is not a valid email address. Correct it or remove it.`;
  return `${bad.length} of these are not valid email addresses. Correct them or remove them.`;
}

/** Whether a key ends an address. Within a quoted name, the key is part of the name. */
function endsHere(text: string, key: string): boolean {
  const isQuoted = (text.match(/"/g)?.length ?? 0) % 2 === 1;
  if (isQuoted || text.trim() === '') return false;
  return key === ' ' ? isAddress(text.trim()) : text.includes('@');
}

/** Joins two lists without duplicates. If an address has several names, the first name is used. */
function joined(before: readonly Recipient[], more: readonly Recipient[]): Recipient[] {
  const all = [...before];
  for (const one of more) {
    const same = all.findIndex(({ address }) => address.toLowerCase() === one.address.toLowerCase());
    if (same < 0) all.push(one);
    else if (all[same]?.name === '') all[same] = one;
  }
  return all;
}

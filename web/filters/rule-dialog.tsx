/** The form for adding or changing a rule (docs/rules.md). */
import { useEffect, useId, useState } from 'react';
import { Button, IconButton } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field, Input, Select } from '../ui/field.tsx';
import { PlusIcon, TrashIcon } from '../ui/icons.tsx';
import { Segmented } from '../ui/segmented.tsx';
import {
  ACTIONS,
  type ActionForm,
  actionForm,
  type ActionVerb,
  actionInWords,
  conditionForm,
  conditionInWords,
  type ConditionForm,
  FIRST_CONDITION,
  placeholderOf,
  SUBJECTS,
  type Subject,
  waysOf,
} from './rule-words.ts';

/** A rule in the form that the service accepts. */
export interface RuleInWords {
  name: string;
  match: 'all' | 'any';
  conditions: string[];
  actions: string[];
}

interface RuleDialogProps {
  title: string;
  /** The label of the button. */
  action: string;
  /** The rule to change, or a suggested rule. */
  rule?: RuleInWords;
  /** The folders that mail can be moved to. */
  folders?: readonly string[];
  /** Whether the user can put a new rule before the existing ones. */
  asksPlace: boolean;
  isBusy: boolean;
  /** The field errors in the last response; a new object after each response. */
  errors: Readonly<Record<string, string>>;
  onSave(rule: RuleInWords, position: number | null): void;
  onClose(): void;
}

const MAX_CONDITIONS = 20;
const MAX_ACTIONS = 10;

export default function RuleDialog({
  title,
  action,
  rule,
  folders = [],
  asksPlace,
  isBusy,
  errors,
  onSave,
  onClose,
}: RuleDialogProps) {
  const [name, setName] = useState(rule?.name ?? '');
  const [match, setMatch] = useState<'all' | 'any'>(rule?.match ?? 'all');
  const [conditions, setConditions] = useState<readonly ConditionForm[]>(
    () => rule?.conditions.map(conditionForm) ?? [FIRST_CONDITION],
  );
  const [actions, setActions] = useState<readonly ActionForm[]>(
    () => rule?.actions.map(actionForm) ?? [{ verb: 'file', value: '' }],
  );
  const [place, setPlace] = useState('last');
  const faults = Object.keys(errors).join();
  // Scrolls to the rejected field, which may be out of view.
  useEffect(() => {
    if (faults === '') return;
    const fault = document.querySelector<HTMLElement>('dialog [aria-invalid=true], dialog [role=alert]');
    fault?.focus();
    fault?.scrollIntoView({ block: 'center' });
  }, [faults]);
  const save = () =>
    onSave(
      {
        name: name.trim(),
        match,
        conditions: conditions.map(conditionInWords),
        actions: actions.map(actionInWords),
      },
      place === 'first' ? 1 : null,
    );
  return (
    <Dialog
      isOpen
      width="wide"
      onClose={onClose}
      onSubmit={save}
      title={title}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={isBusy}>
            {action}
          </Button>
        </>
      }
    >
      <div className="grid gap-6">
        <Field label="Name" error={errors['name'] ?? errors['rule']}>
          <Input
            required
            maxLength={100}
            autoComplete="off"
            placeholder="Invoices"
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
        <fieldset className="grid gap-3">
          <legend className="float-left mb-1 flex w-full flex-wrap items-center justify-between gap-2">
            <span className="font-medium">If</span>
          </legend>
          {conditions.length > 1 && (
            <div>
              <Segmented<'all' | 'any'>
                label="Conditions that must match"
                value={match}
                options={[
                  { value: 'all', label: 'All match' },
                  { value: 'any', label: 'Any matches' },
                ]}
                onChange={setMatch}
              />
            </div>
          )}
          <Fault text={errors['conditions']} />
          {conditions.map((condition, at) => (
            <Condition
              // The position is the only identity of a row.
              key={at}
              at={at}
              value={condition}
              onChange={(value) => setConditions(conditions.with(at, value))}
              onRemove={conditions.length > 1 ? () => setConditions(conditions.toSpliced(at, 1)) : null}
            />
          ))}
          {conditions.length < MAX_CONDITIONS && (
            <div>
              <Button
                kind="quiet"
                icon={<PlusIcon />}
                onClick={() => setConditions([...conditions, FIRST_CONDITION])}
              >
                Add condition
              </Button>
            </div>
          )}
        </fieldset>
        <fieldset className="grid gap-3">
          <legend className="float-left mb-1 w-full font-medium">Then</legend>
          <Fault text={errors['actions']} />
          {actions.map((action, at) => (
            <Action
              key={at}
              at={at}
              value={action}
              folders={folders}
              onChange={(value) => setActions(actions.with(at, value))}
              onRemove={actions.length > 1 ? () => setActions(actions.toSpliced(at, 1)) : null}
            />
          ))}
          {actions.length < MAX_ACTIONS && (
            <div>
              <Button
                kind="quiet"
                icon={<PlusIcon />}
                onClick={() => setActions([...actions, { verb: 'mark read', value: '' }])}
              >
                Add action
              </Button>
            </div>
          )}
        </fieldset>
        {asksPlace && (
          <Field label="Position">
            <Select value={place} onChange={(event) => setPlace(event.target.value)}>
              <option value="last">Last</option>
              <option value="first">First</option>
            </Select>
          </Field>
        )}
        <p className="text-sm text-muted">
          Case and accents are ignored. In “matches”, * stands for any characters and the whole text must
          match.
          {conditions.some(({ on }) => on === 'size') && ' Sizes: 100k for kilobytes, 5M for megabytes.'}
        </p>
      </div>
    </Dialog>
  );
}

function Fault({ text }: { text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <p role="alert" tabIndex={-1} className="text-sm text-bad">
      {text}
    </p>
  );
}

interface ConditionProps {
  at: number;
  value: ConditionForm;
  onChange(value: ConditionForm): void;
  /** Null for the only condition, which cannot be removed. */
  onRemove: (() => void) | null;
}

function Condition({ at, value, onChange, onRemove }: ConditionProps) {
  const { on, field, way } = value;
  const nth = at + 1;
  const ways = waysOf(on);
  const choose = (next: Subject) =>
    onChange({ ...value, on: next, way: way in waysOf(next) ? way : (Object.keys(waysOf(next))[0] ?? way) });
  return (
    <div className="flex flex-wrap items-start gap-2">
      <Select
        aria-label={`Condition ${nth}: field`}
        className="w-full sm:w-36"
        value={on}
        onChange={(event) => choose(event.target.value as Subject)}
      >
        {Object.entries(SUBJECTS).map(([each, name]) => (
          <option key={each} value={each}>
            {name}
          </option>
        ))}
      </Select>
      {on === 'header' && (
        <Input
          aria-label={`Condition ${nth}: header name`}
          autoComplete="off"
          spellCheck={false}
          placeholder="X-Order"
          className="sm:w-28"
          value={field}
          onChange={(event) => onChange({ ...value, field: event.target.value })}
        />
      )}
      <Select
        aria-label={`Condition ${nth}: comparison`}
        className="w-full sm:w-40"
        value={way}
        onChange={(event) => onChange({ ...value, way: event.target.value })}
      >
        {Object.entries(ways).map(([each, name]) => (
          <option key={each} value={each}>
            {name}
          </option>
        ))}
      </Select>
      <div className="flex min-w-0 flex-1 basis-40 items-center gap-1">
        <Input
          aria-label={`Condition ${nth}: value`}
          autoComplete="off"
          spellCheck={false}
          maxLength={500}
          placeholder={placeholderOf(on)}
          value={value.value}
          onChange={(event) => onChange({ ...value, value: event.target.value })}
        />
        <Remove what={`condition ${nth}`} onRemove={onRemove} />
      </div>
    </div>
  );
}

interface ActionProps {
  at: number;
  value: ActionForm;
  folders: readonly string[];
  onChange(value: ActionForm): void;
  /** Null for the only action, which cannot be removed. */
  onRemove: (() => void) | null;
}

function Action({ at, value, folders, onChange, onRemove }: ActionProps) {
  const nth = at + 1;
  const list = useId();
  const action: { name: string; value?: string; placeholder?: string } = ACTIONS[value.verb];
  return (
    <div className="flex flex-wrap items-start gap-2">
      <Select
        aria-label={`Action ${nth}`}
        className="w-full sm:w-52"
        value={value.verb}
        onChange={(event) => onChange({ ...value, verb: event.target.value as ActionVerb })}
      >
        {Object.entries(ACTIONS).map(([verb, { name }]) => (
          <option key={verb} value={verb}>
            {name}
          </option>
        ))}
      </Select>
      <div className="flex min-w-0 flex-1 basis-40 items-center gap-1">
        {action.value === undefined ? (
          <span className="flex-1" />
        ) : (
          <Input
            aria-label={`Action ${nth}: ${action.value.toLowerCase()}`}
            autoComplete="off"
            maxLength={500}
            placeholder={action.placeholder}
            {...(value.verb === 'file' && { list })}
            value={value.value}
            onChange={(event) => onChange({ ...value, value: event.target.value })}
          />
        )}
        {value.verb === 'file' && (
          <datalist id={list}>
            {folders.map((folder) => (
              <option key={folder} value={folder} />
            ))}
          </datalist>
        )}
        <Remove what={`action ${nth}`} onRemove={onRemove} />
      </div>
    </div>
  );
}

function Remove({ what, onRemove }: { what: string; onRemove: (() => void) | null }) {
  if (onRemove === null) return null;
  return (
    <IconButton label={`Remove ${what}`} onClick={onRemove}>
      <TrashIcon />
    </IconButton>
  );
}

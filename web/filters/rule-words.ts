/** Conditions and actions as form values, and in the language of docs/rules.md, which the service accepts. */
import { bytes } from '../ui/amounts.ts';

export const SUBJECTS = {
  from: 'From',
  to: 'To or Cc',
  subject: 'Subject',
  header: 'Header',
  list: 'Mailing list',
  file: 'Attachment',
  size: 'Size',
  spam: 'Spam score',
} as const;
export type Subject = keyof typeof SUBJECTS;

const TEXT_WAYS = {
  contains: 'contains',
  is: 'is',
  starts: 'starts with',
  matches: 'matches',
  'not contains': 'does not contain',
  'not is': 'is not',
  'not starts': 'does not start with',
  'not matches': 'does not match',
} as const;
const LIMIT_WAYS = { over: 'is over', under: 'is under' } as const;

export interface ConditionForm {
  on: Subject;
  /** The name of a header field. */
  field: string;
  way: string;
  value: string;
}

export const FIRST_CONDITION: ConditionForm = { on: 'from', field: '', way: 'contains', value: '' };

/** The names of the comparisons that a subject supports, by keyword. */
export function waysOf(on: Subject): Readonly<Record<string, string>> {
  return on === 'size' || on === 'spam' ? LIMIT_WAYS : TEXT_WAYS;
}

export function placeholderOf(on: Subject): string {
  return {
    from: '@shop.example',
    to: 'orders@acme.example',
    subject: 'Invoice',
    header: '1',
    list: 'dev.lists.example',
    file: '*.pdf',
    size: '5M',
    spam: '3.5',
  }[on];
}

export function conditionInWords({ on, field, way, value }: ConditionForm): string {
  const isNot = way.startsWith('not ');
  const how = isNot ? way.slice(4) : way;
  return `${isNot ? 'not ' : ''}${on === 'header' ? `header ${field.trim()}` : on} ${how} ${value.trim()}`;
}

const TEXT_CONDITION = /^(not )?(from|to|subject|list|file|header (\S+)) (contains|is|starts|matches) (.*)$/s;
const LIMIT_CONDITION = /^(size|spam) (over|under) (\S+)$/;
const UNITS = [
  ['M', 1_048_576],
  ['k', 1_024],
] as const;

/** The form values of a condition from the service. A negated limit becomes the opposite limit. */
export function conditionForm(words: string): ConditionForm {
  const limit = LIMIT_CONDITION.exec(words.replace(/^not /, ''));
  if (limit !== null) {
    const [, on, how = 'over', number = ''] = limit;
    const other = how === 'over' ? 'under' : 'over';
    return {
      on: on as Subject,
      field: '',
      way: words.startsWith('not ') ? other : how,
      value: on === 'size' ? sizeOf(Number(number)) : number,
    };
  }
  const [, not = '', on = '', field, how = '', value = ''] = TEXT_CONDITION.exec(words) ?? [];
  return { on: field === undefined ? (on as Subject) : 'header', field: field ?? '', way: not + how, value };
}

function sizeOf(octets: number): string {
  for (const [unit, size] of UNITS) if (octets > 0 && octets % size === 0) return `${octets / size}${unit}`;
  return String(octets);
}

export const ACTIONS = {
  file: { name: 'Move to', value: 'Folder', placeholder: 'Invoices' },
  'mark read': { name: 'Mark as read' },
  flag: { name: 'Flag' },
  keyword: { name: 'Add keyword', value: 'Keyword', placeholder: 'order' },
  forward: { name: 'Forward to', value: 'Address', placeholder: 'anna@acme.example' },
  delete: { name: 'Delete (move to Trash)' },
  refuse: { name: 'Reject with', value: 'Text', placeholder: 'Not here' },
  stop: { name: 'Stop processing more rules' },
} as const satisfies Readonly<Record<string, { name: string; value?: string; placeholder?: string }>>;
export type ActionVerb = keyof typeof ACTIONS;

export interface ActionForm {
  verb: ActionVerb;
  value: string;
}

export function actionInWords({ verb, value }: ActionForm): string {
  return 'value' in ACTIONS[verb] ? `${verb} ${value.trim()}` : verb;
}

/** The form values of an action from the service. */
export function actionForm(words: string): ActionForm {
  if (words in ACTIONS) return { verb: words as ActionVerb, value: '' };
  const at = words.indexOf(' ');
  return { verb: words.slice(0, at) as ActionVerb, value: words.slice(at + 1) };
}

/** The text of a condition as shown to users. A size in bytes becomes a size with a unit. */
export function spoken(words: string): string {
  const size = /^((?:not )?size (?:over|under)) (\d+)$/.exec(words);
  return size === null ? words : `${size[1]} ${bytes(Number(size[2]))}`;
}

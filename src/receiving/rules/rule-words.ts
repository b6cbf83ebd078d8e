/** Conditions and actions in the words of `docs/rules.md`: `from contains @shop.example`, `file Invoices`. */
import type { RuleAction, RuleCondition } from '../../contract/rules.ts';
import { validationError } from '../../model/app-error.ts';
import { parseMailbox } from '../../rfc/address/index.ts';
import { checkedKeywords } from '../../store/flags.ts';
import { checkFolderName } from '../../store/folder-name.ts';

const CONDITION =
  /^(not +)?(?:(from|to|subject|list|file)|header +([^\s:]+)) +(contains|is|starts|matches) +(\S.*)$/is;
const LIMIT = /^(not +)?(size|spam) +(over|under) +(-?\d+(?:\.\d+)?)([kM]?)$/is;
const UNITS: Readonly<Record<string, number>> = { '': 1, k: 1_024, m: 1_024 * 1_024 };

type TextHow = Extract<RuleCondition, { value: string }>['how'];
type TextOn = Exclude<Extract<RuleCondition, { value: string }>['on'], 'header'>;

/** @throws AppError validation-failed */
export function conditionFrom(words: string): RuleCondition {
  const text = words.trim();
  const limit = LIMIT.exec(text);
  if (limit !== null) {
    const [, isNot, on = '', how = '', number = '', unit = ''] = limit;
    const rest = { how: how.toLowerCase() as 'over' | 'under', ...(isNot && { not: true as const }) };
    if (on.toLowerCase() === 'spam' && unit === '') return { on: 'spam', score: Number(number), ...rest };
    const octets = Math.round(Number(number) * (UNITS[unit.toLowerCase()] ?? 1));
    if (on.toLowerCase() === 'size') return { on: 'size', octets, ...rest };
  }
  const [, isNot, on, name, how = '', value = ''] = CONDITION.exec(text) ?? [];
  const rest = { how: how.toLowerCase() as TextHow, value, ...(isNot && { not: true as const }) };
  if (on !== undefined) return { on: on.toLowerCase() as TextOn, ...rest };
  if (name !== undefined) return { on: 'header', name: name.toLowerCase(), ...rest };
  throw validationError({
    conditions: `not a condition: ${text}. Examples: "from contains @shop.example", "not header X-Order is 1", "size over 5M", "spam over 3"`,
  });
}

export function wordsOfCondition(condition: RuleCondition): string {
  const not = condition.not === true ? 'not ' : '';
  if (condition.on === 'size') return `${not}size ${condition.how} ${condition.octets}`;
  if (condition.on === 'spam') return `${not}spam ${condition.how} ${condition.score}`;
  const what = condition.on === 'header' ? `header ${condition.name}` : condition.on;
  return `${not}${what} ${condition.how} ${condition.value}`;
}

const ACTION = /^(?:mark +(read)|(flag|delete|stop)|(file|keyword|forward|refuse) +(\S.*))$/is;

/** @throws AppError validation-failed */
export function actionFrom(words: string): RuleAction {
  const text = words.trim();
  const [, read, plain, verb, value = ''] = ACTION.exec(text) ?? [];
  if (read !== undefined) return { do: 'read' };
  if (plain !== undefined) return { do: plain.toLowerCase() as 'flag' | 'delete' | 'stop' };
  switch (verb?.toLowerCase()) {
    case 'file': {
      const folder = checkFolderName(value);
      if ('fault' in folder) throw validationError({ actions: `the folder name "${value}" ${folder.fault}` });
      return { do: 'file', folder: folder.path };
    }
    case 'keyword': {
      const [keyword] = checkedKeywords([value]) ?? [];
      if (keyword === undefined) throw validationError({ actions: `not a keyword: ${value}` });
      return { do: 'keyword', keyword };
    }
    case 'forward':
      return { do: 'forward', to: targetFrom(value, 'actions') };
    case 'refuse':
      return { do: 'refuse', text: value };
    default:
      throw validationError({
        actions: `not an action: ${text}. The actions are: file <folder>, mark read, flag, keyword <word>, forward <address>, delete, refuse <text>, stop`,
      });
  }
}

export function wordsOfAction(action: RuleAction): string {
  switch (action.do) {
    case 'file':
      return `file ${action.folder}`;
    case 'keyword':
      return `keyword ${action.keyword}`;
    case 'forward':
      return `forward ${action.to}`;
    case 'refuse':
      return `refuse ${action.text}`;
    case 'read':
      return 'mark read';
    default:
      return action.do;
  }
}

/** A forwarding address in normal form. @throws AppError validation-failed */
export function targetFrom(text: string, field: string): string {
  const parsed = parseMailbox(text);
  if ('error' in parsed) throw validationError({ [field]: parsed.error });
  if (parsed.displayName !== null || parsed.domain.startsWith('['))
    throw validationError({ [field]: 'must be a single address with a domain, without a display name' });
  return parsed.address;
}

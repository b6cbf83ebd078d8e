/** Whole rules in words, for the command line and the dashboard. */
import type { MailboxRule as RuleInWords, RuleWords } from '../../contract/mailbox-filing.ts';
import type { NewRule } from '../../contract/rules.ts';
import { encodeId } from '../../model/ids.ts';
import type { FilterRule } from './mailbox-rules.ts';
import { actionFrom, conditionFrom, wordsOfAction, wordsOfCondition } from './rule-words.ts';

/** @throws AppError validation-failed */
export function ruleFrom({ name, match, conditions, actions }: RuleWords): NewRule {
  return {
    name,
    is_any: match === 'any',
    conditions: conditions.map(conditionFrom),
    actions: actions.map(actionFrom),
  };
}

/** The addresses that the rule forwards to. */
export function targetsOf({ actions }: Pick<NewRule, 'actions'>): string[] {
  return actions.flatMap((action) => (action.do === 'forward' ? [action.to] : []));
}

export function wordsOfRule({
  id,
  position,
  name,
  isEnabled,
  isAny,
  conditions,
  actions,
}: FilterRule): RuleInWords {
  return {
    id: encodeId('rule', id),
    position,
    name,
    enabled: isEnabled,
    match: isAny ? 'any' : 'all',
    conditions: conditions.map(wordsOfCondition),
    actions: actions.map(wordsOfAction),
  };
}

/** Whole rules in words, for the command line and the dashboard. */
import type { MailboxRule as RuleInWords, RuleWords } from '../../contract/mailbox-filing.ts';
import type { NewRule } from '../../contract/rules.ts';
import { encodeId } from '../../model/ids.ts';
import type { StoredRule } from './compile-rule.ts';
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

export function wordsOfRule({ id, position, isEnabled, isAny, ...rule }: FilterRule): RuleInWords {
  const words = wordsOfNewRule({ ...rule, is_any: isAny });
  return { id: encodeId('rule', id), position, enabled: isEnabled, ...words };
}

export function wordsOfNewRule({
  name,
  is_any: isAny,
  conditions,
  actions,
}: Pick<StoredRule, 'name' | 'conditions' | 'actions'> & Pick<NewRule, 'is_any'>): RuleWords {
  return {
    name,
    match: isAny ? 'any' : 'all',
    conditions: conditions.map(wordsOfCondition),
    actions: actions.map(wordsOfAction),
  };
}

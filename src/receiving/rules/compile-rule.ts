import type { RuleAction, RuleCondition } from '../../contract/rules.ts';
import type { MailTexts } from './mail-texts.ts';
import { normalForm } from '../../store/search/normal-form.ts';

type How = Extract<RuleCondition, { value: string }>['how'];

export interface StoredRule {
  name: string;
  /** Whether one true condition is enough for the rule to match. */
  isAny: boolean;
  conditions: readonly RuleCondition[];
  actions: readonly RuleAction[];
}

/** The message data that conditions test. */
export interface MailToSort {
  texts: MailTexts;
  octets: number;
  score: number;
}

export interface CompiledRule {
  /** Whether a condition of the rule tests the spam score. */
  testsSpamScore: boolean;
  actions: readonly RuleAction[];
  matches(mail: MailToSort): boolean;
}

export function compileRule({ isAny, conditions, actions }: StoredRule): CompiledRule {
  const tests = conditions.map((condition) => {
    const test = testOf(condition);
    return condition.not === true ? (mail: MailToSort) => !test(mail) : test;
  });
  return {
    testsSpamScore: conditions.some(({ on }) => on === 'spam'),
    actions,
    matches: (mail) => (isAny ? tests.some((test) => test(mail)) : tests.every((test) => test(mail))),
  };
}

function testOf(condition: RuleCondition): (mail: MailToSort) => boolean {
  switch (condition.on) {
    case 'size': {
      const { how, octets: limit } = condition;
      return ({ octets }) => (how === 'over' ? octets > limit : octets < limit);
    }
    case 'spam': {
      const { how, score: limit } = condition;
      return ({ score }) => (how === 'over' ? score > limit : score < limit);
    }
    case 'header': {
      const { name, how, value } = condition;
      const test = comparing(how, value);
      return ({ texts }) => texts.header(name).some(test);
    }
    default: {
      const { on, how, value } = condition;
      const test = comparing(how, value);
      return ({ texts }) => texts.of(on).some(test);
    }
  }
}

/** Compares a text in normal form. Takes time proportional to the text. */
export function comparing(how: How, value: string): (text: string) => boolean {
  if (how === 'matches') return wildcard(value.split('*').map(normalForm));
  const operand = normalForm(value).trim();
  // Attack or accident: a value that consists of zero-width characters would match every text.
  if (operand === '') return () => false;
  switch (how) {
    case 'contains':
      return (text) => text.includes(operand);
    case 'is':
      return (text) => text === operand;
    case 'starts':
      return (text) => text.startsWith(operand);
  }
}

/** Searches each part once, after the match of the previous part, so no pattern causes backtracking. */
function wildcard(parts: readonly string[]): (text: string) => boolean {
  const [first = '', ...rest] = parts;
  const last = rest.pop();
  if (last === undefined) return (text) => text === first;
  return (text) => {
    if (!text.startsWith(first)) return false;
    let at = first.length;
    for (const part of rest) {
      const found = text.indexOf(part, at);
      if (found === -1) return false;
      at = found + part.length;
    }
    return text.length - last.length >= at && text.endsWith(last);
  };
}

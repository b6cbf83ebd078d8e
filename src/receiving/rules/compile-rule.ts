import type { RuleAction, RuleCondition } from '../../contract/rules.ts';
import { comparing } from './compare-texts.ts';
import type { MailTexts } from './mail-texts.ts';

export interface KeptRule {
  name: string;
  /** One of the conditions is enough. */
  isAny: boolean;
  conditions: readonly RuleCondition[];
  actions: readonly RuleAction[];
}

/** What conditions are asked of. */
export interface MailToSort {
  texts: MailTexts;
  octets: number;
  score: number;
}

export interface CompiledRule {
  /** One of its conditions asks for the spam score. */
  asksForSpam: boolean;
  actions: readonly RuleAction[];
  matches(mail: MailToSort): boolean;
}

export function compileRule({ isAny, conditions, actions }: KeptRule): CompiledRule {
  const tests = conditions.map((condition) => {
    const test = testOf(condition);
    return condition.not === true ? (mail: MailToSort) => !test(mail) : test;
  });
  return {
    asksForSpam: conditions.some(({ on }) => on === 'spam'),
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

/** Converts Sieve scripts (RFC 5228) to rules and a vacation reply (docs/rules.md, Sieve scripts). */
import type { NewRule, RuleAction, RuleCondition } from '../../contract/rules.ts';
import { DAY_MS } from '../../model/day.ts';
import {
  parseSieve,
  type SieveArgument,
  type SieveCommand,
  type SieveTest,
} from '../../rfc/sieve/parse-sieve.ts';
import type { Vacation } from '../vacation/vacation.ts';
import { actionFrom } from './rule-words.ts';

/** A remark on a line of the script. */
export interface SieveRemark {
  line: number;
  text: string;
}

export interface ConvertedScript {
  rules: NewRule[];
  vacation: Vacation | null;
  /** Parts that were converted, but behave differently. */
  differences: SieveRemark[];
  /** Commands that were not converted, with the reason. */
  notConverted: SieveRemark[];
}

/** The maximum number of rules that one test may become, and of conditions in one rule. */
const MAX_ALTERNATIVES = 50;
const MAX_CONDITIONS = 20;
const MAX_ACTIONS = 10;
const MAX_NAME = 100;
const MAX_REFUSAL = 200;
const MAX_VALUE = 500;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:Z|[+-]\d{2}:\d{2})$/;
const VACATION_DAYS = { least: 1, most: 30, usual: 7 };

/** @returns the converted script, or the first syntax error */
export function convertSieve(script: string): ConvertedScript | { error: string; line: number } {
  const parsed = parseSieve(script);
  return 'error' in parsed ? parsed : new Conversion().convert(parsed.commands);
}

/** A part of a script that rules cannot express. */
class NotConvertible extends Error {
  readonly line: number;

  constructor(line: number, reason: string) {
    super(reason);
    this.line = line;
  }
}

/** A rule has these conditions, all of which or any of which must be true. */
interface Alternative {
  isAny: boolean;
  conditions: RuleCondition[];
}

/** When a vacation reply is sent. */
type Period = Pick<Vacation, 'startsAt' | 'endsAt'>;

/**
 * A test as a combination of conditions. An empty `all` is always true, an empty `any` never. `isWider`: the condition, if it is not negated,
 * also matches some messages that the test does not match.
 */
type Formula = { condition: RuleCondition; isWider?: boolean } | { all: Formula[] } | { any: Formula[] };

const ALWAYS: Formula = { all: [] };
/** Every message has this property. A rule needs at least one condition. */
const EVERY_MESSAGE: RuleCondition = { on: 'size', how: 'under', octets: 0, not: true };

/** Commands that decide what happens to a message in addition to `if`, and their effects. */
interface Effects {
  folders: Set<string>;
  /** Whether the message also stays in the Inbox unless another command says otherwise. */
  keepsImplicitly: boolean;
  copies: boolean;
  others: RuleAction[];
  stops: boolean;
}

class Conversion {
  readonly #rules: NewRule[] = [];
  readonly #differences: SieveRemark[] = [];
  readonly #notConverted: SieveRemark[] = [];
  #vacation: Vacation | null = null;
  /** What earlier commands may have done to the message without ending the script. */
  #earlier: ReadonlySet<RuleAction['do']> = new Set();
  #mayHaveStopped = false;

  convert(commands: readonly SieveCommand[]): ConvertedScript {
    // One command at a time, and an `if` together with its `elsif` and `else`.
    for (const chain of chainsOf(commands)) this.#convertTopLevel(chain);
    return {
      rules: this.#rules,
      vacation: this.#vacation,
      differences: this.#differences,
      notConverted: this.#notConverted,
    };
  }

  /** Converts a command completely, or not at all. */
  #convertTopLevel(chain: readonly SieveCommand[]): void {
    const [rules, differences, vacation] = [this.#rules.length, this.#differences.length, this.#vacation];
    const state = [this.#earlier, this.#mayHaveStopped] as const;
    try {
      this.#convertAll(chain, ALWAYS, nameOf(chain[0]));
    } catch (error) {
      if (!(error instanceof NotConvertible)) throw error;
      this.#rules.splice(rules);
      this.#differences.splice(differences);
      this.#vacation = vacation;
      [this.#earlier, this.#mayHaveStopped] = state;
      this.#notConverted.push({ line: error.line, text: error.message });
    }
  }

  /** @param path what is true where the commands run */
  #convertAll(commands: readonly SieveCommand[], path: Formula, name: string): void {
    for (const chain of chainsOf(commands)) {
      const [first] = chain;
      if (first === undefined) continue;
      if (first.name === 'if') this.#convertChain(chain, path, name);
      else if (first.name === 'vacation')
        this.#convertVacation(first, path, { startsAt: null, endsAt: null });
      else if (first.name !== 'require') this.#convertActions(chain, path, name);
    }
  }

  #convertChain(chain: readonly SieveCommand[], path: Formula, name: string): void {
    const [first, ...others] = chain;
    if (chain.length > MAX_ALTERNATIVES) throw tooComplex(first?.line ?? 1);
    const period = others.length === 0 ? this.#periodOf(first?.tests ?? []) : null;
    if (first !== undefined && period !== null) {
      const [vacation, ...more] = first.block ?? [];
      if (vacation?.name !== 'vacation' || more.length > 0)
        throw new NotConvertible(first.line, 'only a vacation reply can depend on the date');
      this.#convertVacation(vacation, path, period);
      return;
    }
    let before: Formula = path;
    // The branches exclude each other, so a message that one of them files is not filed by another.
    const earlier = this.#earlier;
    let afterAny = earlier;
    for (const { name: keyword, tests, block, line, comment } of chain) {
      const [test, ...more] = tests;
      if (block === null || more.length > 0 || (test === undefined) !== (keyword === 'else'))
        throw new NotConvertible(
          line,
          `${keyword} needs ${keyword === 'else' ? 'a block' : 'one test and a block'}`,
        );
      const formula = test === undefined ? ALWAYS : this.#formulaOf(test);
      this.#earlier = earlier;
      this.#convertAll(block, { all: [before, formula] }, nameIn(comment) ?? name);
      afterAny = new Set([...afterAny, ...this.#earlier]);
      before = { all: [before, negated(formula)] };
    }
    this.#earlier = afterAny;
  }

  #convertActions(commands: readonly SieveCommand[], path: Formula, name: string): void {
    const [first] = commands;
    if (first === undefined) return;
    const effects: Effects = {
      folders: new Set(),
      keepsImplicitly: true,
      copies: false,
      others: [],
      stops: false,
    };
    for (const command of commands) {
      if (command.block !== null || command.tests.length > 0)
        throw new NotConvertible(command.line, `the command ${command.name} is not supported`);
      // Commands after `stop` never run.
      if (!effects.stops) this.#addEffects(effects, command);
    }
    const actions = this.#actionsOf(effects, first.line);
    if (actions.length === 0) return;
    if (actions.length > MAX_ACTIONS) throw tooComplex(first.line);
    this.#checkActions(actions, path, first.line);
    for (const { isAny, conditions } of alternativesOf(path, first.line))
      this.#rules.push({
        name,
        is_any: isAny,
        conditions: conditions.length === 0 ? [EVERY_MESSAGE] : conditions,
        actions,
      });
    if (effects.stops) this.#mayHaveStopped = true;
    else this.#earlier = new Set([...this.#earlier, ...actions.map(({ do: done }) => done)]);
  }

  /** Rejects actions after which a message could be lost or forwarded that the script keeps. */
  #checkActions(actions: readonly RuleAction[], path: Formula, line: number): void {
    const done = new Set(actions.map((action) => action.do));
    const earlier = this.#earlier;
    const [isFiled, mayBeFiled] = [hasAny(done, FILING), hasAny(earlier, FILING)];
    const isRefusedToo = isFiled && (done.has('refuse') || earlier.has('refuse'));
    // In a script, a message that is discarded and also kept is kept. Of rules, the first decides.
    if (done.has('file') && earlier.has('delete'))
      throw new NotConvertible(
        line,
        'an earlier rule may have moved the message to Trash: add stop after discard in that rule',
      );
    // A script that does both is an error, after which the message is kept. A rule refuses, whatever the others do.
    if (isRefusedToo || (mayBeFiled && done.has('refuse')))
      throw new NotConvertible(
        line,
        'a message cannot be both refused and filed or forwarded: add stop to the first of these rules',
      );
    if (!hasAny(done, REMOVING)) return;
    const [left] = this.#notConverted;
    if (left !== undefined)
      throw new NotConvertible(
        line,
        `discard, redirect and reject are not converted after a command that is not converted (line ${left.line}), because that command may keep the message`,
      );
    if (isWider(path))
      throw new NotConvertible(
        line,
        'discard, redirect and reject cannot depend on an address test that also compares names: use header, or :is with From or To',
      );
  }

  #actionsOf({ folders, keepsImplicitly, copies, others, stops }: Effects, line: number): RuleAction[] {
    if (folders.size > 1 || (copies && keepsImplicitly))
      throw new NotConvertible(line, 'a message cannot be filed in several folders');
    const [folder] = folders;
    const isDiscarded =
      folder === undefined && !keepsImplicitly && !others.some(({ do: done }) => done === 'refuse');
    const isForwarded = others.some(({ do: done }) => done === 'forward');
    if (isDiscarded && isForwarded)
      this.#differs(
        line,
        'redirect leaves a copy of the message in the mailbox; to change this, use forwarding with --keep off',
      );
    if (isDiscarded && !isForwarded)
      this.#differs(line, 'discard moves the message to Trash, where it is deleted after 30 days');
    if (folder !== undefined && this.#earlier.has('file'))
      this.#differs(
        line,
        'if an earlier rule has filed the message, this rule does not: the first of the rules decides',
      );
    return [
      ...(folder === undefined ? [] : [{ do: 'file', folder } as const]),
      ...(isDiscarded && !isForwarded ? [{ do: 'delete' } as const] : []),
      ...others,
      ...(stops ? [{ do: 'stop' } as const] : []),
    ];
  }

  #addEffects(effects: Effects, command: SieveCommand): void {
    const { name, line } = command;
    switch (name) {
      case 'keep': {
        const args = readArguments(command, { words: [], values: ['flags'], positional: 0 });
        effects.folders.add('INBOX');
        effects.keepsImplicitly = false;
        effects.others.push(...flagActions(args.strings('flags'), line));
        return;
      }
      case 'fileinto': {
        const args = readArguments(command, { words: ['copy', 'create'], values: ['flags'], positional: 1 });
        const action = checkedAction(`file ${this.#folderOf(args.text(0), line)}`, line);
        if (action.do === 'file') effects.folders.add(action.folder);
        if (args.has('copy')) effects.copies = true;
        else effects.keepsImplicitly = false;
        effects.others.push(...flagActions(args.strings('flags'), line));
        return;
      }
      case 'discard':
        readArguments(command, { words: [], values: [], positional: 0 });
        effects.keepsImplicitly = false;
        return;
      case 'redirect': {
        const args = readArguments(command, { words: ['copy'], values: [], positional: 1 });
        if (!args.has('copy')) effects.keepsImplicitly = false;
        effects.others.push(checkedAction(`forward ${args.text(0)}`, line));
        return;
      }
      case 'reject':
      case 'ereject': {
        const args = readArguments(command, { words: [], values: [], positional: 1 });
        const text = args.text(0).replace(/\s+/g, ' ').trim();
        if (text === '' || text.length > MAX_REFUSAL || /[^ -~]/.test(text))
          throw new NotConvertible(
            line,
            `the text of ${name} must have 1 to ${MAX_REFUSAL} ASCII characters`,
          );
        effects.keepsImplicitly = false;
        effects.others.push({ do: 'refuse', text });
        return;
      }
      case 'addflag':
      case 'setflag': {
        const args = readArguments(command, { words: [], values: [], positional: 1 });
        effects.others.push(...flagActions(args.list(0), line));
        return;
      }
      case 'stop':
        readArguments(command, { words: [], values: [], positional: 0 });
        effects.stops = true;
        return;
      default:
        throw new NotConvertible(line, `the command ${name} is not supported`);
    }
  }

  /** Servers with Maildir folders put `INBOX.` in front of every name, with dots between the levels. */
  #folderOf(name: string, line: number): string {
    if (!/^INBOX\../i.test(name)) return name;
    const folder = name.slice('INBOX.'.length).replaceAll('.', '/');
    this.#differs(line, `the folder ${name} becomes ${folder}`);
    return folder;
  }

  /** The period of a vacation reply: `currentdate` (RFC 5260), as editors write it. Null if the tests do not only test the date. */
  #periodOf([test, ...more]: readonly SieveTest[]): Period | null {
    if (test === undefined || more.length > 0) return null;
    const dates = test.name === 'allof' ? test.tests : [test];
    if (dates.length === 0 || !dates.every(({ name }) => name === 'currentdate')) return null;
    const period: Period = { startsAt: null, endsAt: null };
    for (const date of dates) {
      const { line } = date;
      const args = readArguments(date, { words: [], values: ['zone', 'value', 'comparator'], positional: 2 });
      const zone = args.strings('zone')?.[0] ?? null;
      const [operator, part, value] = [args.strings('value')?.[0], args.text(0), args.text(1)];
      const isDay = part === 'date';
      const offset = /^[+-]\d{4}$/.test(zone ?? '+0000') ? (zone ?? '+0000') : null;
      const time = new Date(isDay ? `${value}T00:00:00${offset}` : value);
      if (
        (operator !== 'ge' && operator !== 'le') ||
        offset === null ||
        !(isDay ? DAY.test(value) : part === 'iso8601' && TIME.test(value)) ||
        Number.isNaN(time.getTime())
      )
        throw new NotConvertible(line, 'currentdate is not supported with these arguments');
      if (isDay && zone === null) this.#differs(line, 'the day begins and ends at midnight UTC');
      if (operator === 'ge') period.startsAt = time;
      else period.endsAt = isDay ? new Date(time.getTime() + DAY_MS) : time;
    }
    return period;
  }

  #convertVacation(command: SieveCommand, path: Formula, period: Period): void {
    const { line } = command;
    const args = readArguments(command, {
      words: [],
      values: ['days', 'subject', 'from', 'addresses', 'handle'],
      positional: 1,
    });
    const [alternative, ...more] = alternativesOf(path, line);
    if (alternative === undefined || alternative.conditions.length > 0 || more.length > 0)
      throw new NotConvertible(line, 'a vacation reply cannot depend on a test');
    if (this.#vacation !== null) throw new NotConvertible(line, 'a mailbox has only one vacation reply');
    const days = args.number('days') ?? VACATION_DAYS.usual;
    const within = Math.min(Math.max(days, VACATION_DAYS.least), VACATION_DAYS.most);
    if (within !== days) this.#differs(line, `the number of days is ${within} instead of ${days}`);
    if (args.has('from')) this.#differs(line, 'the reply is sent from the address of the mailbox');
    if (args.has('addresses'))
      this.#differs(line, ':addresses is not needed: the aliases of the mailbox count as its addresses');
    if (this.#mayHaveStopped)
      this.#differs(line, 'the reply is sent even if an earlier rule stops the script');
    this.#vacation = {
      subject: args.strings('subject')?.[0] ?? null,
      text: args.text(0),
      html: null,
      ...period,
      days: within,
    };
  }

  #differs(line: number, text: string): void {
    this.#differences.push({ line, text });
  }

  #formulaOf(test: SieveTest): Formula {
    const { name, tests, line } = test;
    switch (name) {
      case 'true':
        return ALWAYS;
      case 'false':
        return { any: [] };
      case 'not': {
        const [one, ...more] = tests;
        if (one === undefined || more.length > 0) throw new NotConvertible(line, 'not needs one test');
        return negated(this.#formulaOf(one));
      }
      case 'allof':
        return { all: tests.map((each) => this.#formulaOf(each)) };
      case 'anyof':
        return { any: tests.map((each) => this.#formulaOf(each)) };
      case 'size':
        return sizeFormula(test);
      case 'exists': {
        const args = readArguments(test, { words: [], values: [], positional: 1 });
        return { all: args.list(0).map((field) => headerCondition(field, 'matches', '*', line)) };
      }
      case 'header':
      case 'address':
        return this.#comparisonFormula(test, name);
      default:
        throw new NotConvertible(line, `the test ${name} is not supported`);
    }
  }

  #comparisonFormula(test: SieveTest, kind: 'header' | 'address'): Formula {
    const { line } = test;
    const args = readArguments(test, {
      words: ['is', 'contains', 'matches', ...(kind === 'address' ? PARTS : [])],
      values: ['comparator'],
      positional: 2,
    });
    const comparator = args.strings('comparator')?.[0] ?? 'i;ascii-casemap';
    if (comparator === 'i;octet')
      this.#differs(line, 'upper and lower case are the same, unlike with i;octet');
    else if (!/^i;(?:ascii|unicode)-casemap$/.test(comparator))
      throw new NotConvertible(line, `the comparator ${comparator} is not supported`);
    const how = args.oneOf(['is', 'contains', 'matches']) ?? 'is';
    const part = args.oneOf(PARTS) ?? 'all';
    const fields = args.list(0).map((field) => field.toLowerCase());
    const compared =
      kind === 'header' ? fields.map(headerSubject) : this.#addressSubjects(fields, how, part, line);
    return {
      any: compared.flatMap((subject) =>
        args.list(1).map((key) => ({
          condition: comparison(subject, part, how, key, line),
          isWider: kind === 'address' && (how !== 'is' || subject.on === 'header'),
        })),
      ),
    };
  }

  #addressSubjects(fields: readonly string[], how: How, part: Part, line: number): Subject[] {
    const [hasTo, hasCc] = [fields.includes('to'), fields.includes('cc')];
    const subjects: Subject[] = [];
    for (const field of fields) {
      if (field === 'from') subjects.push({ on: 'from' });
      else if (field === 'to' || (field === 'cc' && hasTo)) {
        if (!hasCc)
          this.#differs(line, 'addresses in Cc are compared too, because the condition "to" contains Cc');
        if (field === 'to') subjects.push({ on: 'to' });
      } else if (part === 'all' && how !== 'matches') {
        this.#differs(line, `the whole field ${field} is searched, with names and other addresses`);
        subjects.push({ on: 'header', name: field, isWhole: false });
      } else
        throw new NotConvertible(line, `the addresses of the field ${field} cannot be compared like this`);
    }
    if (subjects.some(({ on }) => on !== 'header'))
      this.#differs(line, 'names are compared too, not only addresses');
    return subjects;
  }
}

/** Actions that file or forward a message. */
const FILING = ['file', 'forward'] as const;
/** Actions that keep a message from the Inbox, or send it to another address. */
const REMOVING = ['delete', 'forward', 'refuse'] as const;

function hasAny(done: ReadonlySet<RuleAction['do']>, actions: readonly RuleAction['do'][]): boolean {
  return actions.some((action) => done.has(action));
}

/** Whether rules with this formula also match messages that the tests of the script do not match. */
function isWider(formula: Formula): boolean {
  if ('condition' in formula) return formula.isWider === true && formula.condition.not !== true;
  return ('all' in formula ? formula.all : formula.any).some(isWider);
}

type How = 'is' | 'contains' | 'matches';
const PARTS = ['all', 'localpart', 'domain'] as const;
type Part = (typeof PARTS)[number];
type Subject = { on: 'from' | 'to' | 'subject' } | { on: 'header'; name: string; isWhole: boolean };

function headerSubject(field: string): Subject {
  return field === 'subject' ? { on: 'subject' } : { on: 'header', name: field, isWhole: true };
}

function comparison(subject: Subject, part: Part, how: How, key: string, line: number): RuleCondition {
  if (subject.on === 'header' && !subject.isWhole) return checkedText(subject, 'contains', key, line);
  if (how === 'contains' && key === '') return checkedText(subject, 'matches', '*', line);
  if (part === 'all' && how !== 'matches') return checkedText(subject, how, key, line);
  if (how === 'is' || how === 'contains') {
    if (key.includes('*')) throw new NotConvertible(line, 'a literal * cannot be compared here');
    const inner = how === 'is' ? key : `*${key}*`;
    return checkedText(subject, 'matches', part === 'domain' ? `*@${inner}` : `${inner}@*`, line);
  }
  const pattern = patternFrom(key, line);
  const whole = { all: pattern, domain: `*@${pattern}`, localpart: `${pattern}@*` }[part];
  return checkedText(subject, 'matches', whole, line);
}

/** Converts a pattern of `:matches` (RFC 5228, section 2.7.1). */
function patternFrom(key: string, line: number): string {
  return key.replace(/\\([^])|[?]/g, (found, escaped: string | undefined) => {
    if (escaped === undefined) throw new NotConvertible(line, 'the wildcard ? is not supported');
    if (escaped === '*') throw new NotConvertible(line, 'a literal * cannot be compared with :matches');
    return found.slice(1);
  });
}

function checkedText(subject: Subject, how: How, value: string, line: number): RuleCondition {
  if (value.trim() === '' || value.length > MAX_VALUE || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(value))
    throw new NotConvertible(line, `a compared text must have 1 to ${MAX_VALUE} characters, on one line`);
  return subject.on === 'header'
    ? fieldCondition(subject.name, how, value, line)
    : { on: subject.on, how, value };
}

function fieldCondition(field: string, how: How, value: string, line: number): RuleCondition {
  if (!/^[!-9;-~]{1,76}$/.test(field))
    throw new NotConvertible(line, `${JSON.stringify(field)} is not the name of a field`);
  return { on: 'header', name: field.toLowerCase(), how, value };
}

function headerCondition(field: string, how: How, value: string, line: number): Formula {
  return { condition: fieldCondition(field, how, value, line) };
}

function sizeFormula(test: SieveTest): Formula {
  const { line } = test;
  const [tag, number, ...more] = test.arguments;
  if (
    tag?.kind !== 'tag' ||
    number?.kind !== 'number' ||
    more.length > 0 ||
    (tag.name !== 'over' && tag.name !== 'under')
  )
    throw new NotConvertible(line, 'size needs :over or :under, and a number');
  return { condition: { on: 'size', how: tag.name, octets: number.value } };
}

/** Splits commands into the parts that are converted together: an `if` with its alternatives, consecutive actions, and others alone. */
function chainsOf(commands: readonly SieveCommand[]): SieveCommand[][] {
  const chains: SieveCommand[][] = [];
  let kind: 'if' | 'actions' | 'other' = 'other';
  for (const command of commands) {
    const { name } = command;
    const last = chains.at(-1);
    if (last !== undefined && kind === 'if' && (name === 'elsif' || name === 'else')) last.push(command);
    else if (last !== undefined && kind === 'actions' && isAction(name)) last.push(command);
    else {
      chains.push([command]);
      kind = name === 'if' ? 'if' : isAction(name) ? 'actions' : 'other';
    }
  }
  return chains;
}

function isAction(name: string): boolean {
  return !['require', 'if', 'elsif', 'else', 'vacation'].includes(name);
}

/** The name of a rule: Roundcube and other editors write it into the comment before the `if`. */
function nameOf(command: SieveCommand | undefined): string {
  return nameIn(command?.comment ?? null) ?? `Sieve script, line ${command?.line ?? 1}`;
}

function nameIn(comment: string | null): string | null {
  const name = /^\s*rule:\[(.*)\]/i
    .exec(comment ?? '')?.[1]
    ?.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
    .trim();
  return name === undefined || name === '' ? null : [...name].slice(0, MAX_NAME).join('');
}

function negated(formula: Formula): Formula {
  if ('all' in formula) return { any: formula.all.map(negated) };
  if ('any' in formula) return { all: formula.any.map(negated) };
  const { not, ...rest } = formula.condition;
  return { ...formula, condition: not === true ? rest : { ...formula.condition, not: true } };
}

/**
 * The formula as alternatives, of which each becomes a rule. If several match, their rules have the effect of one, because marks, forwards
 * and filing take effect once.
 */
function alternativesOf(formula: Formula, line: number): Alternative[] {
  const alternatives = expanded(formula, line);
  if (alternatives.some((conditions) => conditions.length > MAX_CONDITIONS)) throw tooComplex(line);
  const areSingle = alternatives.every((conditions) => conditions.length === 1);
  return areSingle && alternatives.length > 1 && alternatives.length <= MAX_CONDITIONS
    ? [{ isAny: true, conditions: alternatives.flat() }]
    : alternatives.map((conditions) => ({ isAny: false, conditions }));
}

function expanded(formula: Formula, line: number): RuleCondition[][] {
  if ('condition' in formula) return [[formula.condition]];
  if ('any' in formula) {
    const alternatives = formula.any.flatMap((each) => expanded(each, line));
    if (alternatives.length > MAX_ALTERNATIVES) throw tooComplex(line);
    return alternatives.some((conditions) => conditions.length === 0) ? [[]] : alternatives;
  }
  let alternatives: RuleCondition[][] = [[]];
  for (const each of formula.all) {
    const others = expanded(each, line);
    if (alternatives.length * others.length > MAX_ALTERNATIVES) throw tooComplex(line);
    alternatives = alternatives.flatMap((one) => others.map((other) => [...one, ...other]));
  }
  return alternatives;
}

function tooComplex(line: number): NotConvertible {
  return new NotConvertible(line, 'the combination of tests is too complex for rules');
}

const FLAGS: Readonly<Record<string, 'read' | 'flag'>> = { '\\seen': 'read', '\\flagged': 'flag' };

/** Converts flags of RFC 5232. An element of a list may contain several flags. */
function flagActions(flags: readonly string[] | null, line: number): RuleAction[] {
  return (flags ?? [])
    .flatMap((element) => element.split(/ +/))
    .filter((flag) => flag !== '')
    .map((flag) => {
      const known = FLAGS[flag.toLowerCase()];
      if (known !== undefined) return { do: known };
      if (flag.startsWith('\\')) throw new NotConvertible(line, `the flag ${flag} is not supported`);
      return checkedAction(`keyword ${flag}`, line);
    });
}

/** @param words an action in the words of `docs/rules.md` */
function checkedAction(words: string, line: number): RuleAction {
  try {
    return actionFrom(words);
  } catch (error) {
    const errors =
      error instanceof Error && 'errors' in error ? (error.errors as Record<string, string>) : {};
    throw new NotConvertible(line, Object.values(errors)[0] ?? `not supported: ${words}`);
  }
}

interface Accepted {
  /** Tags without a value. */
  words: readonly string[];
  /** Tags with a value. */
  values: readonly string[];
  /** The number of arguments without a tag. */
  positional: number;
}

/** @throws NotConvertible if there are other arguments */
function readArguments({ name, line, ...called }: SieveTest, { words, values, positional }: Accepted) {
  const tagged = new Map<string, SieveArgument | null>();
  const rest: SieveArgument[] = [];
  const args = called.arguments;
  for (let at = 0; at < args.length; at++) {
    const argument = args[at];
    if (argument === undefined) continue;
    if (argument.kind !== 'tag') rest.push(argument);
    else if (words.includes(argument.name)) tagged.set(argument.name, null);
    else if (values.includes(argument.name)) tagged.set(argument.name, args[++at] ?? null);
    else throw new NotConvertible(line, `:${argument.name} is not supported for ${name}`);
  }
  if (rest.length !== positional || called.tests.length > 0)
    throw new NotConvertible(line, `${name} is not supported with these arguments`);
  const stringsOf = (argument: SieveArgument | null | undefined): string[] => {
    if (argument?.kind !== 'strings') throw new NotConvertible(line, `${name} needs a text`);
    if (argument.values.some((value) => value.includes('${')))
      throw new NotConvertible(line, 'variables and encoded characters (${...}) are not supported');
    return argument.values;
  };
  return {
    has: (tag: string) => tagged.has(tag),
    oneOf<Word extends string>(choice: readonly Word[]): Word | undefined {
      return choice.find((word) => tagged.has(word));
    },
    strings: (tag: string) => (tagged.has(tag) ? stringsOf(tagged.get(tag)) : null),
    number(tag: string): number | null {
      const argument = tagged.get(tag);
      if (!tagged.has(tag)) return null;
      if (argument?.kind !== 'number') throw new NotConvertible(line, `:${tag} needs a number`);
      return argument.value;
    },
    list: (at: number) => stringsOf(rest[at]),
    text(at: number): string {
      const [text, ...more] = stringsOf(rest[at]);
      if (text === undefined || more.length > 0) throw new NotConvertible(line, `${name} needs one text`);
      return text;
    },
  };
}

/** Parses a shaping table from a file. */
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { type Document, LineCounter, parseDocument } from 'yaml';
import { StartupError } from '../../../model/startup-error.ts';
import { parseDomain } from '../../../rfc/address/domain.ts';

/** The limits for sending to a site. Connections and messages per second are the sum over all workers. */
export interface ShapingRule {
  maxConnections: number;
  maxMessagesPerConnection: number;
  /** May be a fraction. Null: no limit. */
  maxMessagesPerSecond: number | null;
  /** The name of the rule in the table. Null for the default. */
  name: string | null;
}

export type ShapingLimits = Omit<ShapingRule, 'name'>;

export interface FileRule {
  name: string;
  /** The rule applies to hosts with these names, and to hosts below these names. */
  mx: readonly string[];
  /** The rule applies to addresses at these domains. */
  domains: readonly string[];
  /** A missing limit is taken from the rule that would apply without this rule. */
  limits: Partial<ShapingLimits>;
}

export interface ShapingFile {
  default: Partial<ShapingLimits>;
  /** No host or domain is in two rules. */
  rules: readonly FileRule[];
}

const LimitFields = {
  max_connections: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })),
  max_messages_per_connection: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000 })),
  max_messages_per_second: Type.Optional(
    Type.Unsafe<number | null>({ type: ['number', 'null'], exclusiveMinimum: 0, maximum: 100_000 }),
  ),
};
const Names = Type.Optional(Type.Array(Type.String(), { minItems: 1, maxItems: 10_000 }));
const STRICT = { additionalProperties: false };
const Schema = Type.Object(
  {
    default: Type.Optional(Type.Object(LimitFields, STRICT)),
    rules: Type.Optional(
      Type.Array(
        Type.Object(
          {
            name: Type.String({ pattern: '^[a-z0-9._-]{1,64}$' }),
            mx: Names,
            domains: Names,
            ...LimitFields,
          },
          STRICT,
        ),
        { maxItems: 10_000 },
      ),
    ),
  },
  STRICT,
);
type Content = Type.Static<typeof Schema>;
const validator = Compile(Schema);

type Path = readonly (string | number)[];

/**
 * Parses the text of a shaping file.
 * @param path the name of the file in error messages
 * @throws StartupError if the file is invalid: `shaping.yaml:12: rules[1].mx[0]: ...`
 */
export function parseShapingFile(text: string, path: string): ShapingFile {
  return new FileReader(text, path).read();
}

class FileReader {
  readonly #path: string;
  readonly #lines = new LineCounter();
  readonly #document: Document;

  constructor(text: string, path: string) {
    this.#path = path;
    this.#document = parseDocument(text, { lineCounter: this.#lines });
  }

  read(): ShapingFile {
    const content = this.#content();
    const used = { name: new Set<string>(), mx: new Set<string>(), domains: new Set<string>() };
    const claim = (kind: keyof typeof used, text: string, path: Path): string => {
      if (used[kind].has(text)) throw this.#wrong(path, `${text} appears twice`);
      used[kind].add(text);
      return text;
    };
    const rules = (content.rules ?? []).map((rule, at): FileRule => {
      const names = (kind: 'mx' | 'domains'): string[] =>
        (rule[kind] ?? []).map((text, n) => {
          const path = ['rules', at, kind, n];
          return claim(kind, this.#domain(text, path), path);
        });
      if (rule.mx === undefined && rule.domains === undefined) {
        throw this.#wrong(['rules', at], 'must have mx or domains; otherwise the rule matches nothing');
      }
      const name = claim('name', rule.name, ['rules', at, 'name']);
      return { name, mx: names('mx'), domains: names('domains'), limits: limitsOf(rule) };
    });
    return { default: limitsOf(content.default ?? {}), rules };
  }

  #content(): Content {
    const [error] = this.#document.errors;
    if (error !== undefined) {
      const line = error.linePos?.[0].line ?? 1;
      throw new StartupError(`${this.#path}:${line}: ${error.message.split('\n')[0]}`);
    }
    // An empty file is valid and has no rules.
    const content: unknown = this.#toJs() ?? {};
    if (validator.Check(content)) return content;
    const [first] = validator.Errors(content);
    const steps = (first?.instancePath ?? '').split('/').slice(1);
    const path = steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
    throw this.#wrong(
      path,
      first?.keyword === 'boolean' ? 'is not a known field' : (first?.message ?? 'is invalid'),
    );
  }

  #toJs(): unknown {
    try {
      return this.#document.toJS({ maxAliasCount: 0 });
    } catch {
      throw new StartupError(`${this.#path}:1: aliases (*name) cannot be used`);
    }
  }

  #domain(text: string, path: Path): string {
    const domain = parseDomain(text);
    if (typeof domain !== 'string') throw this.#wrong(path, domain.error);
    return domain;
  }

  #wrong(path: Path, why: string): StartupError {
    const field = path.reduce<string>(
      (text, step) => (/^\d+$/.test(String(step)) ? `${text}[${step}]` : `${text}${text && '.'}${step}`),
      '',
    );
    const start = `${this.#path}:${this.#lineOf(path)}: `;
    // In YAML a list can be the name of a field. Such a name has several lines as text.
    const name = field === '' ? 'the file' : field.replaceAll(/\s+/g, ' ');
    return new StartupError(`${start}${name}: ${why}`);
  }

  /** The line of the field. If the field does not exist, the line of the nearest enclosing field. */
  #lineOf(path: Path): number {
    for (let length = path.length; length > 0; length--) {
      const node = this.#document.getIn(path.slice(0, length), true);
      const { range } = (node ?? {}) as { range?: readonly number[] | null };
      if (range?.[0] !== undefined) return this.#lines.linePos(range[0]).line;
    }
    return 1;
  }
}

type LimitContent = NonNullable<Content['default']>;

function limitsOf({
  max_connections: maxConnections,
  max_messages_per_connection: maxMessagesPerConnection,
  max_messages_per_second: maxMessagesPerSecond,
}: LimitContent): Partial<ShapingLimits> {
  return {
    ...(maxConnections !== undefined && { maxConnections }),
    ...(maxMessagesPerConnection !== undefined && { maxMessagesPerConnection }),
    ...(maxMessagesPerSecond !== undefined && { maxMessagesPerSecond }),
  };
}

/** Options of a declared command that are fields of the body or of the query of its operation. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { TSchema } from 'typebox';
import type { CliDoor, Declaration } from '../../contract/operation.ts';
import { validationError } from '../../model/app-error.ts';

/** As commander names them: in camel case. */
export type Options = Readonly<Record<string, string | number | boolean | undefined>>;

interface FieldSchema extends TSchema {
  type?: string;
  enum?: readonly string[];
  description?: string;
}

interface ObjectSchema extends TSchema {
  properties?: Readonly<Record<string, FieldSchema>>;
  required?: readonly string[];
}

/** @throws TypeError the operation has both: its command is written by hand */
function schemaOf({ body, query }: Declaration): ObjectSchema | null {
  if (body !== undefined && query !== undefined)
    throw new TypeError('options are fields of a body or of a query, not of both');
  return body ?? query ?? null;
}

/** @throws TypeError a field is no text, number, switch or choice: the command is written by hand */
export function addFields(command: Command, declaration: Declaration, { options, defaults }: CliDoor): void {
  const { properties = {}, required = [] } = schemaOf(declaration) ?? {};
  for (const [name, { type, enum: words, description = '' }] of Object.entries(properties)) {
    const flag = name.replaceAll('_', '-');
    const option = new Option(`--${flag} <${flag}>`, options?.[name] ?? description);
    if (words !== undefined) option.choices(words);
    else if (type === 'boolean') option.choices(['on', 'off']);
    else if (type === 'integer' || type === 'number') option.argParser(numberFrom);
    else if (type !== 'string') throw new TypeError(`no option can give the field ${name}`);
    const byDefault = defaults?.[name];
    if (byDefault === undefined) option.makeOptionMandatory(required.includes(name));
    else option.default(byDefault);
    command.addOption(option);
  }
}

function numberFrom(text: string): number {
  const number = Number(text);
  if (text.trim() !== '' && Number.isFinite(number)) return number;
  throw new InvalidArgumentError('It is a number.');
}

/** The body or the query that the options make. @throws AppError validation-failed */
export async function givenBy(declaration: Declaration, options: Options): Promise<object> {
  const schema = schemaOf(declaration);
  if (schema === null) return {};
  const given: Record<string, unknown> = {};
  for (const [name, { type }] of Object.entries(schema.properties ?? {})) {
    const value = options[name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())];
    if (value !== undefined) given[name] = type === 'boolean' ? value === 'on' : value;
  }
  // Loading it takes longer than most commands run.
  const { compileCheck } = await import('../http/validation.ts');
  const errors = compileCheck(schema)(given);
  if (errors !== null) throw validationError(errors);
  return given;
}

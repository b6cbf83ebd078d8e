/** The options of a command that is generated from an operation's declaration: one option for each field of the body or query. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { TSchema } from 'typebox';
import type { CliDoor, Declaration } from '../../contract/operation.ts';
import { validationError } from '../../model/app-error.ts';

/** Option values by option name. commander converts the names to camel case. */
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

/** @throws TypeError if the operation has both a body and a query. Such a command must be written by hand */
function schemaOf({ body, query }: Declaration): ObjectSchema | null {
  if (body !== undefined && query !== undefined)
    throw new TypeError('a declared command takes its options from a body or a query, not from both');
  return body ?? query ?? null;
}

/** @throws TypeError if a field is not a string, number, boolean or choice. Such a command must be written by hand */
export function addFields(command: Command, declaration: Declaration, { options, defaults }: CliDoor): void {
  const { properties = {}, required = [] } = schemaOf(declaration) ?? {};
  for (const [name, { type, enum: words, description = '' }] of Object.entries(properties)) {
    const flag = name.replaceAll('_', '-');
    const option = new Option(`--${flag} <${flag}>`, options?.[name] ?? description);
    if (words !== undefined) option.choices(words);
    else if (type === 'boolean') option.choices(['on', 'off']);
    else if (type === 'integer' || type === 'number') option.argParser(numberFrom);
    else if (type !== 'string') throw new TypeError(`the field ${name} cannot be an option`);
    const byDefault = defaults?.[name];
    if (byDefault === undefined) option.makeOptionMandatory(required.includes(name));
    else option.default(byDefault);
    command.addOption(option);
  }
}

export function numberFrom(text: string): number {
  const number = Number(text);
  if (text.trim() !== '' && Number.isFinite(number)) return number;
  throw new InvalidArgumentError('It must be a number.');
}

/** Builds the body or the query from the options. @throws AppError validation-failed */
export async function valuesFrom(declaration: Declaration, options: Options): Promise<object> {
  const schema = schemaOf(declaration);
  if (schema === null) return {};
  const fields: Record<string, unknown> = {};
  for (const [name, { type }] of Object.entries(schema.properties ?? {})) {
    const value = options[name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())];
    if (value !== undefined) fields[name] = type === 'boolean' ? value === 'on' : value;
  }
  // The validator takes longer to load than most commands take to run, so commands without fields skip it.
  const { compileCheck } = await import('../http/validation.ts');
  const errors = compileCheck(schema)(fields);
  if (errors !== null) throw validationError(errors);
  return fields;
}

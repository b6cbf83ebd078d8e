/** Tests declared commands: all existing ones against the program, and invented ones for cases that do not exist yet. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Command } from 'commander';
import { Type } from 'typebox';
import { type Declaration, declare } from '../../contract/operation.ts';
import { OPERATION_MODULES } from '../http/operation-modules.ts';
import { addFields, valuesFrom, type Options } from './declared-options.ts';
import { programFor } from './program.ts';

const DECLARED = OPERATION_MODULES.flatMap(({ operations }) => Object.values(operations)).flatMap(
  ({ doors: { cli } }) => (cli === undefined ? [] : [cli.command]),
);

test('the program contains every declared command exactly once', async () => {
  assert.ok(DECLARED.length >= 10);
  for (const words of DECLARED) {
    let commands: readonly Command[] = [await programFor(words.split(' '))];
    for (const word of words.split(' '))
      commands = commands.flatMap((each) => each.commands.filter((below) => below.name() === word));
    assert.equal(commands.length, 1, words);
  }
});

const fieldsFrom = async (declaration: Declaration, ...args: string[]): Promise<object> => {
  const command = new Command().exitOverride().configureOutput({ writeErr() {} });
  addFields(command, declaration, { command: 'thing make', description: '', example: '' });
  command.parse(args, { from: 'user' });
  return valuesFrom(declaration, command.opts<Options>());
};

const MAKE = declare({
  summary: 'Make a thing',
  body: Type.Object(
    {
      display_name: Type.String({ minLength: 2 }),
      is_open: Type.Optional(Type.Boolean()),
      size: Type.Optional(Type.Integer({ maximum: 3 })),
    },
    { additionalProperties: false },
  ),
  success: { status: 204, description: 'Made.' },
  doors: {},
});

test('the fields of a declared command become options, whose values are validated like a request body', async () => {
  assert.deepEqual(await fieldsFrom(MAKE, '--display-name', 'Bo', '--is-open', 'off', '--size', '2'), {
    display_name: 'Bo',
    is_open: false,
    size: 2,
  });
  assert.deepEqual(await fieldsFrom(MAKE, '--display-name', 'Bo'), { display_name: 'Bo' });
  await assert.rejects(
    fieldsFrom(MAKE, '--display-name', 'B', '--size', '4'),
    (error: { errors?: object }) => {
      assert.deepEqual(Object.keys(error.errors ?? {}), ['display_name', 'size']);
      return true;
    },
  );
  for (const args of [
    [],
    ['--display-name', 'Bo', '--size', 'x'],
    ['--display-name', 'Bo', '--is-open', 'x'],
  ])
    await assert.rejects(fieldsFrom(MAKE, ...args), { name: 'CommanderError' });
});

test('a field that cannot be an option is rejected when the command is defined', async () => {
  const { success } = MAKE;
  const list = Type.Object({ list: Type.Array(Type.String()) });
  await assert.rejects(fieldsFrom(declare({ summary: '', body: list, success, doors: {} })), TypeError);
  await assert.rejects(
    fieldsFrom(declare({ summary: '', body: MAKE.body, query: list, success, doors: {} })),
    TypeError,
  );
});

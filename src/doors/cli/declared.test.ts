/** Commands that rooms declare: the real ones against the help, and made-up ones for what no real one has yet. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Command } from 'commander';
import { Type } from 'typebox';
import { type Declaration, declare } from '../../contract/operation.ts';
import { ROOMS } from '../http/rooms.ts';
import { addFields, givenBy, type Options } from './declared-options.ts';
import { programFor } from './program.ts';

const DECLARED = ROOMS.flatMap(({ operations }) => Object.values(operations)).flatMap(({ doors: { cli } }) =>
  cli === undefined ? [] : [cli.command],
);

test('the program has every command that a room declares, once', async () => {
  assert.ok(DECLARED.length >= 10);
  for (const words of DECLARED) {
    let commands: readonly Command[] = [await programFor(words.split(' '))];
    for (const word of words.split(' '))
      commands = commands.flatMap((each) => each.commands.filter((below) => below.name() === word));
    assert.equal(commands.length, 1, words);
  }
});

const given = async (declaration: Declaration, ...args: string[]): Promise<object> => {
  const command = new Command().exitOverride().configureOutput({ writeErr() {} });
  addFields(command, declaration, { command: 'thing make', description: '', example: '' });
  command.parse(args, { from: 'user' });
  return givenBy(declaration, command.opts<Options>());
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

test('fields become options, whose values are checked as the body of a request is', async () => {
  assert.deepEqual(await given(MAKE, '--display-name', 'Bo', '--is-open', 'off', '--size', '2'), {
    display_name: 'Bo',
    is_open: false,
    size: 2,
  });
  assert.deepEqual(await given(MAKE, '--display-name', 'Bo'), { display_name: 'Bo' });
  await assert.rejects(given(MAKE, '--display-name', 'B', '--size', '4'), (error: { errors?: object }) => {
    assert.deepEqual(Object.keys(error.errors ?? {}), ['display_name', 'size']);
    return true;
  });
  for (const args of [
    [],
    ['--display-name', 'Bo', '--size', 'x'],
    ['--display-name', 'Bo', '--is-open', 'x'],
  ])
    await assert.rejects(given(MAKE, ...args), { name: 'CommanderError' });
});

test('what no option can give is refused when the command is defined', async () => {
  const { success } = MAKE;
  const list = Type.Object({ list: Type.Array(Type.String()) });
  await assert.rejects(given(declare({ summary: '', body: list, success, doors: {} })), TypeError);
  await assert.rejects(
    given(declare({ summary: '', body: MAKE.body, query: list, success, doors: {} })),
    TypeError,
  );
});

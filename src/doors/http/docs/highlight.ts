import bash from 'refractor/bash';
import go from 'refractor/go';
import ini from 'refractor/ini';
import java from 'refractor/java';
import javascript from 'refractor/javascript';
import json from 'refractor/json';
import php from 'refractor/php';
import properties from 'refractor/properties';
import python from 'refractor/python';
import ruby from 'refractor/ruby';
import sql from 'refractor/sql';
import typescript from 'refractor/typescript';
import yaml from 'refractor/yaml';
import { refractor } from 'refractor/core';
import { type Html, html } from '../html.ts';

for (const language of [
  bash,
  go,
  ini,
  java,
  javascript,
  json,
  php,
  properties,
  python,
  ruby,
  sql,
  typescript,
  yaml,
])
  refractor.register(language);

/** The color of each kind of token. Other kinds keep the text color. If a token has several kinds, the first kind with a color is used. */
const COLORS: Readonly<Record<string, 'keyword' | 'string' | 'name' | 'comment' | 'variable'>> = {
  keyword: 'keyword',
  builtin: 'keyword',
  function: 'keyword',
  string: 'string',
  regex: 'string',
  'attr-value': 'string',
  property: 'name',
  'attr-name': 'name',
  number: 'name',
  boolean: 'name',
  parameter: 'name',
  comment: 'comment',
  variable: 'variable',
};

type Node = ReturnType<typeof refractor.highlight>['children'][number];

/** Renders code with a `span` around each token that has a color. @param language the name after the fence in Markdown */
export function highlight(code: string, language: string): Html | string {
  return refractor.registered(language)
    ? html`${refractor.highlight(code, language).children.map(view)}`
    : code;
}

function view(node: Node): Html | string | null {
  if (node.type === 'text') return node.value;
  if (node.type !== 'element') return null;
  const content = html`${node.children.map(view)}`;
  const kinds = node.properties['className'];
  const color = Array.isArray(kinds)
    ? kinds.map((kind) => COLORS[kind]).find((each) => each !== undefined)
    : undefined;
  // A shell command substitution, `$(command)`, is a variable token that contains code. Only the tokens inside it are colored.
  const isCommand = color === 'variable' && node.children[0]?.type === 'element';
  return color === undefined || isCommand ? content : html`<span class="code-${color}">${content}</span>`;
}
